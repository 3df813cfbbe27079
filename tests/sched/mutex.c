/* Every kind of mutex: who may lock and unlock it again, and what comes back. */
#include <pthread.h>
#include <sched.h>

#include "expect.h"

static pthread_mutex_t m;
static int a, b;

static void make(int type, int robust)
{
	pthread_mutexattr_t attributes;

	EXPECT_CODE(0, pthread_mutexattr_init(&attributes));
	EXPECT_CODE(0, pthread_mutexattr_settype(&attributes, type));
	EXPECT_CODE(0, pthread_mutexattr_setrobust(&attributes, robust));
	EXPECT_CODE(0, pthread_mutex_init(&m, &attributes));
	pthread_mutexattr_destroy(&attributes);
}

static void in_thread(void *(*function)(void *))
{
	pthread_t t;

	EXPECT_CODE(0, pthread_create(&t, NULL, function, NULL));
	EXPECT_CODE(0, pthread_join(t, NULL));
}

static void *busy(void *unused)
{
	struct timespec past = in_ms(CLOCK_REALTIME, -1), soon = in_ms(CLOCK_MONOTONIC, 5);

	EXPECT_CODE(EBUSY, pthread_mutex_trylock(&m));
	EXPECT_CODE(ETIMEDOUT, pthread_mutex_timedlock(&m, &past));
	EXPECT_CODE(ETIMEDOUT, pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &soon));
	return unused;
}

static void *not_mine(void *unused)
{
	EXPECT_CODE(EPERM, pthread_mutex_unlock(&m));
	return unused;
}

static void *die_holding(void *unused)
{
	EXPECT_CODE(0, pthread_mutex_lock(&m));
	return unused;
}

static void *counting(void *unused)
{
	for (int i = 0; i < 3; i++) {
		EXPECT_CODE(0, pthread_mutex_lock(&m));
		a++;
		sched_yield();
		EXPECT(++b == a);
		EXPECT_CODE(0, pthread_mutex_unlock(&m));
	}
	return unused;
}

static void count(void)
{
	pthread_t t[3];

	a = b = 0;
	for (int i = 0; i < 3; i++)
		EXPECT_CODE(0, pthread_create(&t[i], NULL, counting, NULL));
	for (int i = 0; i < 3; i++)
		EXPECT_CODE(0, pthread_join(t[i], NULL));
	EXPECT(a == 9 && b == 9);
}

int main(void)
{
	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
	count();
	EXPECT_CODE(0, pthread_mutex_lock(&m));
	in_thread(busy);
	EXPECT_CODE(EBUSY, pthread_mutex_destroy(&m));
	EXPECT_CODE(0, pthread_mutex_unlock(&m));
	EXPECT_CODE(0, pthread_mutex_destroy(&m));

	make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
	EXPECT_CODE(EPERM, pthread_mutex_unlock(&m));
	EXPECT_CODE(0, pthread_mutex_lock(&m));
	EXPECT_CODE(EDEADLK, pthread_mutex_lock(&m));
	EXPECT_CODE(EBUSY, pthread_mutex_trylock(&m));
	in_thread(not_mine);
	EXPECT_CODE(0, pthread_mutex_unlock(&m));
	count();
	EXPECT_CODE(0, pthread_mutex_destroy(&m));

	make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
	EXPECT_CODE(0, pthread_mutex_lock(&m));
	EXPECT_CODE(0, pthread_mutex_trylock(&m));
	EXPECT_CODE(0, pthread_mutex_unlock(&m));
	in_thread(busy);
	in_thread(not_mine);
	EXPECT_CODE(0, pthread_mutex_unlock(&m));
	EXPECT_CODE(EPERM, pthread_mutex_unlock(&m));
	count();
	EXPECT_CODE(0, pthread_mutex_destroy(&m));

	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
	in_thread(die_holding);
	EXPECT_CODE(EOWNERDEAD, pthread_mutex_lock(&m));
	EXPECT_CODE(0, pthread_mutex_consistent(&m));
	EXPECT_CODE(0, pthread_mutex_unlock(&m));
	in_thread(die_holding);
	EXPECT_CODE(EOWNERDEAD, pthread_mutex_trylock(&m));
	EXPECT_CODE(0, pthread_mutex_unlock(&m));
	EXPECT_CODE(ENOTRECOVERABLE, pthread_mutex_lock(&m));
	EXPECT_CODE(0, pthread_mutex_destroy(&m));
	return 0;
}
