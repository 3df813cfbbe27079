/* expect: A B */
#include <semaphore.h>
#include "../threads.h"
static sem_t started, ended;
int x;
static void *f(void *p) {
	sem_post(&started);
	x = 1; /* @A */
	sem_post(&ended);
	return p;
}
int main(void) {
	pthread_t t;
	sem_init(&started, 0, 0);
	sem_init(&ended, 0, 0);
	pthread_create(&t, NULL, f, NULL);
	pthread_detach(t);
	sem_wait(&started);
	x = 2; /* @B */
	sem_wait(&ended);
	return 0;
}
