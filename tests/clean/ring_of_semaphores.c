/* never: A B */
#include <semaphore.h>
#include "../threads.h"
static sem_t full, empty;
int ring[2], sum;
static void *f(void *p) {
	for (int i = 0; i < 10; i++) {
		sem_wait(&empty);
		ring[i & 1] = i; /* @A */
		sem_post(&full);
	}
	return p;
}
static void *g(void *p) {
	for (int i = 0; i < 10; i++) {
		sem_wait(&full);
		sum += ring[i & 1]; /* @B */
		sem_post(&empty);
	}
	return p;
}
int main(void) {
	sem_init(&full, 0, 0);
	sem_init(&empty, 0, 1);
	run2(f, g);
	return sum != 45;
}
