/* never: A B */
#include "../threads.h"
static void *f(void *p) {
	*(int *)p = 1; /* @A */
	return p;
}
int main(void) {
	pthread_t t;
	int local = 0;
	pthread_create(&t, NULL, f, &local);
	pthread_join(t, NULL);
	local += 2; /* @B */
	return local != 3;
}
