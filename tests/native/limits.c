/* Many of everything: 1,000 threads at once, 10,000 locks, 256 held at the same time. */
#include "spy.h"

#define THREADS 1000
#define LOCKS 10000
#define HELD 256

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int here, sum;
static pthread_mutex_t locks[LOCKS];
static pthread_rwlock_t read_locks[HELD];

static void *meets(void *nothing)
{
	pthread_mutex_lock(&gate);
	if (++here == THREADS)
		pthread_cond_broadcast(&all_here);
	while (here < THREADS)
		pthread_cond_wait(&all_here, &gate);
	sum++;
	pthread_mutex_unlock(&gate);
	return nothing;
}

static void threads(void)
{
	static pthread_t all[THREADS];
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstacksize(&attributes, 128 * 1024), 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&all[i], &attributes, meets, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(all[i], NULL), 0);
	CHECK(sum, THREADS);
}

static void *many_locks(void *nothing)
{
	for (int i = 0; i < LOCKS; i++) {
		CHECK(pthread_mutex_lock(&locks[i]), 0);
		CHECK(pthread_mutex_unlock(&locks[i]), 0);
	}
	return nothing;
}

static void held(void)
{
	for (int i = 0; i < HELD; i++) {
		CHECK(pthread_mutex_lock(&locks[i]), 0);
		CHECK(pthread_rwlock_rdlock(&read_locks[i]), 0);
	}
	for (int i = 0; i < HELD; i++) {
		CHECK(pthread_mutex_unlock(&locks[i]), 0);
		CHECK(pthread_rwlock_unlock(&read_locks[i]), 0);
	}
}

int main(void)
{
	pthread_t two[2];

	threads();
	for (int i = 0; i < LOCKS; i++)
		CHECK(pthread_mutex_init(&locks[i], NULL), 0);
	for (int i = 0; i < HELD; i++)
		CHECK(pthread_rwlock_init(&read_locks[i], NULL), 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&two[i], NULL, many_locks, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(two[i], NULL);
	held();
	for (int i = 0; i < LOCKS; i++)
		CHECK(pthread_mutex_destroy(&locks[i]), 0);
	puts("all of them");
	return 0;
}
