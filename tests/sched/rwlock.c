/* Readers share, writers are alone, every error code, timeouts, writer preference. */
#include <pthread.h>
#include <sched.h>

#include "expect.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;
static pthread_barrier_t both;

static void *writer(void *unused)
{
	for (int i = 0; i < 3; i++) {
		EXPECT_CODE(0, pthread_rwlock_wrlock(&lock));
		a++;
		sched_yield();
		b++;
		EXPECT_CODE(0, pthread_rwlock_unlock(&lock));
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 3; i++) {
		EXPECT_CODE(0, pthread_rwlock_rdlock(&lock));
		int seen = a;
		sched_yield();
		EXPECT(a == seen && b == seen);
		EXPECT_CODE(0, pthread_rwlock_unlock(&lock));
	}
	return unused;
}

/* Two readers inside at once: both must be able to reach the barrier. */
static void *sharer(void *unused)
{
	EXPECT_CODE(0, pthread_rwlock_rdlock(&lock));
	pthread_barrier_wait(&both);
	EXPECT_CODE(0, pthread_rwlock_unlock(&lock));
	return unused;
}

static void *other(void *unused)
{
	struct timespec past = in_ms(CLOCK_REALTIME, -1000), soon = in_ms(CLOCK_MONOTONIC, 20);

	EXPECT_CODE(EBUSY, pthread_rwlock_tryrdlock(&lock));
	EXPECT_CODE(EBUSY, pthread_rwlock_trywrlock(&lock));
	EXPECT_CODE(ETIMEDOUT, pthread_rwlock_timedrdlock(&lock, &past));
	EXPECT_CODE(ETIMEDOUT, pthread_rwlock_timedwrlock(&lock, &past));
	EXPECT_CODE(ETIMEDOUT, pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &soon));
	EXPECT_CODE(ETIMEDOUT, pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &soon));
	return unused;
}

static void *read_side(void *unused)
{
	EXPECT_CODE(0, pthread_rwlock_tryrdlock(&lock));
	EXPECT_CODE(EBUSY, pthread_rwlock_trywrlock(&lock));
	EXPECT_CODE(0, pthread_rwlock_unlock(&lock));
	return unused;
}

static void run(void *(*first)(void *), void *(*second)(void *), int each)
{
	pthread_t t[6];
	int n = 0;

	for (int i = 0; i < each; i++) {
		EXPECT_CODE(0, pthread_create(&t[n++], NULL, first, NULL));
		if (second)
			EXPECT_CODE(0, pthread_create(&t[n++], NULL, second, NULL));
	}
	while (n)
		EXPECT_CODE(0, pthread_join(t[--n], NULL));
}

static void errors(void)
{
	struct timespec bad = { 0, 1000000000 }, later = in_ms(CLOCK_REALTIME, 100000);

	EXPECT_CODE(0, pthread_rwlock_wrlock(&lock));
	EXPECT_CODE(EDEADLK, pthread_rwlock_wrlock(&lock));
	EXPECT_CODE(EDEADLK, pthread_rwlock_rdlock(&lock));
	EXPECT_CODE(EBUSY, pthread_rwlock_trywrlock(&lock));
	run(other, NULL, 1);
	EXPECT_CODE(0, pthread_rwlock_unlock(&lock));
	EXPECT_CODE(EINVAL, pthread_rwlock_timedrdlock(&lock, &bad));
	EXPECT_CODE(EINVAL, pthread_rwlock_clockwrlock(&lock, CLOCK_THREAD_CPUTIME_ID, &later));
	EXPECT_CODE(0, pthread_rwlock_timedwrlock(&lock, &later));
	EXPECT_CODE(0, pthread_rwlock_unlock(&lock));
	EXPECT_CODE(0, pthread_rwlock_rdlock(&lock));
	EXPECT_CODE(0, pthread_rwlock_rdlock(&lock));
	run(read_side, NULL, 2);
	EXPECT_CODE(0, pthread_rwlock_unlock(&lock));
	EXPECT_CODE(EBUSY, pthread_rwlock_trywrlock(&lock));
	EXPECT_CODE(0, pthread_rwlock_unlock(&lock));
	EXPECT_CODE(0, pthread_rwlock_trywrlock(&lock));
	EXPECT_CODE(0, pthread_rwlock_unlock(&lock));
}

int main(void)
{
	pthread_rwlockattr_t attributes;

	pthread_barrier_init(&both, NULL, 2);
	errors();
	run(sharer, NULL, 2);
	run(writer, reader, 2);
	EXPECT(a == 6 && b == 6);
	EXPECT_CODE(0, pthread_rwlock_destroy(&lock));
	EXPECT_CODE(0, pthread_rwlockattr_init(&attributes));
	EXPECT_CODE(0, pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
	EXPECT_CODE(0, pthread_rwlock_init(&lock, &attributes));
	run(writer, reader, 3);
	EXPECT(a == 15 && b == 15);
	return 0;
}
