/* Two posters, one wait: the wait may have been for the other.
 * expect: A B */
#include <pthread.h>
#include <semaphore.h>

static sem_t one, two;
static int x, y;

static void *set_x(void *arg)
{
	x = 1; /* @A */
	sem_post(&one);
	return arg;
}

static void *set_y(void *arg)
{
	y = 1;
	sem_post(&one);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int sum;

	sem_init(&one, 0, 0);
	sem_init(&two, 0, 0);
	pthread_create(&a, NULL, set_x, NULL);
	pthread_create(&b, NULL, set_y, NULL);
	sem_wait(&one);
	sum = x + y; /* @B */
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return sum > 2;
}
