/* Hand-over by a semaphore that starts at zero.
 * never: A B */
#include <pthread.h>
#include <semaphore.h>

static sem_t filled;
static int slot;

static void *fill(void *arg)
{
	slot = 5; /* @A */
	sem_post(&filled);
	return arg;
}

static void *drain(void *arg)
{
	sem_wait(&filled);
	return slot == 5 ? arg : NULL; /* @B */
}

int main(void)
{
	pthread_t a, b;

	sem_init(&filled, 0, 0);
	pthread_create(&a, NULL, fill, NULL);
	pthread_create(&b, NULL, drain, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
