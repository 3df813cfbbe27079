/* Ping and pong take turns, but pong starts without waiting.
 * expect: A B */
#include <pthread.h>
#include <semaphore.h>

static sem_t ping_may, pong_may;
static int ball;

static void *ping(void *arg)
{
	for (int i = 0; i < 2; i++) {
		sem_wait(&ping_may);
		ball = 1; /* @A */
		sem_post(&pong_may);
	}
	return arg;
}

static void *pong(void *arg)
{
	for (int i = 0; i < 2; i++) {
		sem_wait(&pong_may);
		ball = 2; /* @B */
		sem_post(&ping_may);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&ping_may, 0, 1);
	sem_init(&pong_may, 0, 1);
	pthread_create(&a, NULL, ping, NULL);
	pthread_create(&b, NULL, pong, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return ball == 0;
}
