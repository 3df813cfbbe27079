/*
 * races - for campaigns: a pair that meets in every trial, one that does harm in some of the
 * schedules, and one that is suspected and can never meet.
 */
#include <pthread.h>
#include <stdlib.h>

static int often, harm = 2, never, ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_ready(void)
{
	int r;

	pthread_mutex_lock(&lock);
	r = ready;
	pthread_mutex_unlock(&lock);
	return r;
}

static void *left(void *x)
{
	often++;
	never = 1;
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_mutex_unlock(&lock);
	if (harm > 1 && is_ready())
		harm--;
	return x;
}

/* What the lock says orders the two accesses to never: no schedule can bring them together. */
static void *right(void *x)
{
	often++;
	while (!is_ready())
		;
	never++;
	if (harm > 1)
		harm--;
	return x;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, left, NULL);
	pthread_create(&b, NULL, right, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (harm < 1)
		abort();
	return 0;
}
