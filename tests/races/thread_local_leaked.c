/* expect: A B */
#include <semaphore.h>
#include "../threads.h"
static __thread int x;
int *leaked, seen;
static sem_t ready, done;
static void *f(void *p) {
	leaked = &x;
	sem_post(&ready);
	x = 1; /* @A */
	sem_wait(&done);
	return p;
}
static void *g(void *p) {
	sem_wait(&ready);
	seen = *leaked; /* @B */
	sem_post(&done);
	return p;
}
int main(void) {
	sem_init(&ready, 0, 0);
	sem_init(&done, 0, 0);
	run2(f, g);
	return 0;
}
