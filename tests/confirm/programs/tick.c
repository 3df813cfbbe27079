/*
 * A clock ticks (an access of the pair, ten times) beside a thread that works until the last tick;
 * the other access comes after that, so the two never meet. Every tick is held back in vain: that must
 * not add up to a "hang".
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int over;
static atomic_long work;
static int now;

static void *clock_ticks(void *p)
{
	for (int i = 1; i <= 10; i++)
		now = i; /* A */
	atomic_store(&over, 1);
	return p;
}

static void *worker(void *p)
{
	while (!atomic_load(&over))
		atomic_fetch_add(&work, 1);
	return now ? p : NULL; /* B */
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, clock_ticks, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
