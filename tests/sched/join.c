/* Join, tryjoin, timedjoin, detach, exit, and their errors; main leaves by pthread_exit. */
#include <pthread.h>
#include <semaphore.h>

#include "expect.h"

static sem_t go, ended;

static void *value(void *argument)
{
	return argument;
}

static void *leave(void *argument)
{
	pthread_exit(argument);
}

static void *wait_for_go(void *argument)
{
	sem_wait(&go);
	return argument;
}

static void *detached(void *unused)
{
	sem_post(&ended);
	return unused;
}

static void *self_join(void *unused)
{
	EXPECT_CODE(EDEADLK, pthread_join(pthread_self(), NULL));
	return unused;
}

static void *last(void *main_thread)
{
	EXPECT_CODE(0, pthread_join(*(pthread_t *)main_thread, NULL));
	exit(0);
}

int main(void)
{
	struct timespec past = in_ms(CLOCK_REALTIME, -1), soon = in_ms(CLOCK_MONOTONIC, 5);
	pthread_attr_t attributes;
	static pthread_t main_thread;
	pthread_t t, u;
	void *result;
	int x;

	sem_init(&go, 0, 0);
	sem_init(&ended, 0, 0);
	EXPECT_CODE(0, pthread_create(&t, NULL, value, &x));
	EXPECT_CODE(0, pthread_create(&u, NULL, leave, &result));
	EXPECT(pthread_join(t, &result) == 0 && result == &x);
	EXPECT(pthread_join(u, &result) == 0 && result == &result);
	EXPECT_CODE(0, pthread_create(&t, NULL, wait_for_go, &x));
	EXPECT_CODE(EBUSY, pthread_tryjoin_np(t, &result));
	EXPECT_CODE(ETIMEDOUT, pthread_timedjoin_np(t, &result, &past));
	EXPECT_CODE(ETIMEDOUT, pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &soon));
	sem_post(&go);
	EXPECT(pthread_join(t, &result) == 0 && result == &x);
	EXPECT_CODE(0, pthread_create(&t, NULL, self_join, NULL));
	EXPECT_CODE(0, pthread_join(t, NULL));

	EXPECT_CODE(0, pthread_create(&t, NULL, wait_for_go, NULL));
	EXPECT_CODE(0, pthread_detach(t));
	EXPECT_CODE(EINVAL, pthread_join(t, NULL));
	sem_post(&go);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	EXPECT_CODE(0, pthread_create(&t, &attributes, detached, NULL));
	sem_wait(&ended);
	main_thread = pthread_self();
	EXPECT_CODE(0, pthread_create(&t, NULL, last, &main_thread));
	pthread_exit(NULL);
}
