/* A semaphore with two permits is no mutex.
 * expect: A A */
#include <pthread.h>
#include <semaphore.h>

static sem_t permit;
static int shared;

static void *work(void *arg)
{
	sem_wait(&permit);
	shared++; /* @A */
	sem_post(&permit);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&permit, 0, 2);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return shared != 2;
}
