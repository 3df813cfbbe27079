/* expect: A B */
#include "../threads.h"
int x;
static void *f(void *p) { x = 1; /* @A */ return p; }
int main(void) {
	pthread_t t;
	pthread_create(&t, NULL, f, NULL);
	x = 2; /* @B */
	pthread_join(t, NULL);
	return 0;
}
