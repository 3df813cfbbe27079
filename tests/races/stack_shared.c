/* A local of one thread, handed to another by pointer.
   expect: A B */
#include "../threads.h"
static void *f(void *p) {
	*(int *)p = 1; /* @A */
	return p;
}
int main(void) {
	pthread_t t;
	int local = 0;
	pthread_create(&t, NULL, f, &local);
	local = 2; /* @B */
	pthread_join(t, NULL);
	return 0;
}
