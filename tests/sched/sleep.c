/* Time goes forward by at least what was slept, and threads that sleep let others run. */
#include <pthread.h>
#include <stdint.h>
#include <stdatomic.h>
#include <unistd.h>

#include "expect.h"

static atomic_int done;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *nap(void *unused)
{
	int64_t before = now();
	struct timespec until = in_ms(CLOCK_MONOTONIC, 3);

	EXPECT(usleep(2000) == 0);
	EXPECT(now() - before >= 2000000);
	EXPECT_CODE(0, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL));
	EXPECT(now() - before >= 3000000);
	atomic_fetch_add(&done, 1);
	return unused;
}

int main(void)
{
	struct timespec bad = { 0, 1000000000 }, some = { 0, 1 };
	pthread_t t[2];

	EXPECT_ERRNO(EINVAL, nanosleep(&bad, NULL));
	EXPECT_CODE(EINVAL, clock_nanosleep(CLOCK_REALTIME, 0, &bad, NULL));
	EXPECT(nanosleep(&some, NULL) == 0);
	for (int i = 0; i < 2; i++)
		EXPECT_CODE(0, pthread_create(&t[i], NULL, nap, NULL));
	while (atomic_load(&done) < 2)
		EXPECT(usleep(500) == 0);
	for (int i = 0; i < 2; i++)
		EXPECT_CODE(0, pthread_join(t[i], NULL));
	EXPECT(sleep(0) == 0);
	return 0;
}
