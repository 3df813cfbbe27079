/* never: A A */
#include <semaphore.h>
#include "../threads.h"
static sem_t s;
int x;
static void *f(void *p) {
	sem_wait(&s);
	x++; /* @A */
	sem_post(&s);
	return p;
}
int main(void) {
	sem_init(&s, 0, 1);
	run2(f, f);
	return x != 2;
}
