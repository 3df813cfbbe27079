/* never: A B */
#include <semaphore.h>
#include "../threads.h"
static sem_t s;
int x, seen;
static void *f(void *p) {
	x = 1; /* @A */
	sem_post(&s);
	return p;
}
static void *g(void *p) {
	sem_wait(&s);
	seen = x; /* @B */
	return p;
}
int main(void) {
	sem_init(&s, 0, 0);
	run2(f, g);
	return seen != 1;
}
