/* never: A B
   never: A C */
#include "../threads.h"
int x;
static void *f(void *p) { x = 1; /* @A */ return p; }
int main(void) {
	pthread_t t;
	x = 2; /* @B */
	pthread_create(&t, NULL, f, NULL);
	pthread_join(t, NULL);
	x = 3; /* @C */
	return 0;
}
