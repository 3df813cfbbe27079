/* More than 64 threads alive at once, each with a turn of its own; then 100 more one by one. */
#include <pthread.h>
#include <semaphore.h>

#include "expect.h"

#define THREADS 200

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all = PTHREAD_COND_INITIALIZER;
static int here, count;

static void *meet(void *unused)
{
	pthread_mutex_lock(&m);
	if (++here == THREADS)
		pthread_cond_broadcast(&all);
	while (here < THREADS)
		pthread_cond_wait(&all, &m);
	count++;
	pthread_mutex_unlock(&m);
	return unused;
}

static void *add(void *unused)
{
	pthread_mutex_lock(&m);
	count++;
	pthread_mutex_unlock(&m);
	return unused;
}

int main(void)
{
	static pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		EXPECT_CODE(0, pthread_create(&t[i], NULL, meet, NULL));
	for (int i = 0; i < THREADS; i++)
		EXPECT_CODE(0, pthread_join(t[i], NULL));
	EXPECT(count == THREADS);
	for (int i = 0; i < 100; i++) {
		EXPECT_CODE(0, pthread_create(&t[0], NULL, add, NULL));
		EXPECT_CODE(0, pthread_join(t[0], NULL));
	}
	EXPECT(count == THREADS + 100);
	return 0;
}
