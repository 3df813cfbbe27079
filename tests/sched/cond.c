/* Conditions: a bounded queue, broadcast to all, timeouts by both clocks, the mutex comes back. */
#include <pthread.h>

#include "expect.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER, go, idle;
static int queue[2], in, out, sum, ready, gone;

static void *produce(void *unused)
{
	for (int i = 1; i <= 6; i++) {
		pthread_mutex_lock(&m);
		while (in - out == 2)
			EXPECT_CODE(0, pthread_cond_wait(&not_full, &m));
		queue[in++ % 2] = i;
		EXPECT_CODE(0, pthread_cond_signal(&not_empty));
		pthread_mutex_unlock(&m);
	}
	return unused;
}

static void *consume(void *unused)
{
	for (int i = 1; i <= 6; i++) {
		pthread_mutex_lock(&m);
		while (in == out)
			EXPECT_CODE(0, pthread_cond_wait(&not_empty, &m));
		sum += queue[out++ % 2];
		EXPECT_CODE(0, pthread_cond_signal(&not_full));
		pthread_mutex_unlock(&m);
	}
	return unused;
}

static void *wait_for_go(void *unused)
{
	pthread_mutex_lock(&m);
	while (!ready)
		EXPECT_CODE(0, pthread_cond_wait(&go, &m));
	gone++;
	pthread_mutex_unlock(&m);
	return unused;
}

static void timeouts(void)
{
	struct timespec past = in_ms(CLOCK_REALTIME, -1), soon = in_ms(CLOCK_MONOTONIC, 5), bad = { 0, 1000000000 };
	pthread_mutexattr_t attributes;
	pthread_mutex_t check;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&check, &attributes);
	EXPECT_CODE(0, pthread_cond_init(&idle, NULL));
	EXPECT_CODE(0, pthread_mutex_lock(&check));
	EXPECT_CODE(ETIMEDOUT, pthread_cond_timedwait(&idle, &check, &past));
	EXPECT_CODE(EDEADLK, pthread_mutex_lock(&check));
	EXPECT_CODE(ETIMEDOUT, pthread_cond_clockwait(&idle, &check, CLOCK_MONOTONIC, &soon));
	EXPECT_CODE(EINVAL, pthread_cond_timedwait(&idle, &check, &bad));
	EXPECT_CODE(0, pthread_mutex_unlock(&check));
	EXPECT_CODE(EPERM, pthread_cond_wait(&idle, &check));
	EXPECT_CODE(0, pthread_cond_destroy(&idle));
}

int main(void)
{
	pthread_t t[4];

	EXPECT_CODE(0, pthread_create(&t[0], NULL, produce, NULL));
	EXPECT_CODE(0, pthread_create(&t[1], NULL, consume, NULL));
	EXPECT_CODE(0, pthread_join(t[0], NULL));
	EXPECT_CODE(0, pthread_join(t[1], NULL));
	EXPECT(sum == 21);
	EXPECT_CODE(0, pthread_cond_init(&go, NULL));
	for (int i = 0; i < 4; i++)
		EXPECT_CODE(0, pthread_create(&t[i], NULL, wait_for_go, NULL));
	pthread_mutex_lock(&m);
	ready = 1;
	EXPECT_CODE(0, pthread_cond_broadcast(&go));
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 4; i++)
		EXPECT_CODE(0, pthread_join(t[i], NULL));
	EXPECT(gone == 4);
	timeouts();
	return 0;
}
