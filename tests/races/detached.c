/* expect: A B */
#include <semaphore.h>
#include "../threads.h"
static sem_t s;
static int x;
static void *f(void *p) {
	sem_post(&s);
	x = 1; /* @A */
	sem_post(&s);
	return p;
}
int main(void) {
	pthread_t t;
	sem_init(&s, 0, 0);
	pthread_create(&t, NULL, f, NULL);
	pthread_detach(t);
	sem_wait(&s);
	x = 2; /* @B */
	sem_wait(&s);
	return 0;
}
