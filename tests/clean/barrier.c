/* never: A B */
#include "../threads.h"
static pthread_barrier_t b;
int x[2], sum[2];
static void *f(void *p) {
	for (int round = 0; round < 3; round++) {
		x[(long)p] = round; /* @A */
		pthread_barrier_wait(&b);
		sum[(long)p] += x[1 - (long)p]; /* @B */
		pthread_barrier_wait(&b);
	}
	return p;
}
int main(void) {
	pthread_barrier_init(&b, NULL, 2);
	run2(f, f);
	return sum[0] != 3 || sum[1] != 3;
}
