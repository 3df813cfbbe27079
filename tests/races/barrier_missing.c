/* expect: A B */
#include "../threads.h"
static pthread_barrier_t b;
int x[2], sum;
static void *f(void *p) {
	pthread_barrier_wait(&b);
	x[0] = 1; /* @A */
	return p;
}
static void *g(void *p) {
	pthread_barrier_wait(&b);
	sum = x[0]; /* @B */
	return p;
}
int main(void) {
	pthread_barrier_init(&b, NULL, 2);
	run2(f, g);
	return 0;
}
