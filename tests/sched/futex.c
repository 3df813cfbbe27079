/* syscall(SYS_futex): compare, wake some, bit sets, requeue, timeouts. */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "expect.h"

static _Atomic uint32_t word, second;
static atomic_int awake, waiting;

static long futex(_Atomic uint32_t *at, int op, uint32_t value, const void *time, void *other, uint32_t bits)
{
	return syscall(SYS_futex, at, op | FUTEX_PRIVATE_FLAG, value, time, other, bits);
}

static void *waiter(void *unused)
{
	atomic_fetch_add(&waiting, 1);
	while (atomic_load(&word) == 0)
		EXPECT(futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0) == 0 || errno == EAGAIN || errno == EINTR);
	atomic_fetch_add(&awake, 1);
	return unused;
}

/* An own mutex, as runtimes write them: 0 free, 1 taken, 2 taken and waited for. */
static _Atomic uint32_t own;
static int guarded;

static void own_lock(void)
{
	uint32_t free = 0;

	if (atomic_compare_exchange_strong(&own, &free, 1))
		return;
	while (atomic_exchange(&own, 2) != 0)
		futex(&own, FUTEX_WAIT, 2, NULL, NULL, 0);
}

static void own_unlock(void)
{
	if (atomic_exchange(&own, 0) == 2)
		futex(&own, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void *adder(void *unused)
{
	for (int i = 0; i < 3; i++) {
		own_lock();
		guarded++;
		own_unlock();
	}
	return unused;
}

static void *bit_waiter(void *bits)
{
	while (atomic_load(&second) == 0)
		futex(&second, FUTEX_WAIT_BITSET, 0, NULL, NULL, (uint32_t)(uintptr_t)bits);
	return NULL;
}

static void start(pthread_t *t, int n, void *(*function)(void *))
{
	for (int i = 0; i < n; i++)
		EXPECT_CODE(0, pthread_create(&t[i], NULL, function, NULL));
}

static void join(pthread_t *t, int n)
{
	for (int i = 0; i < n; i++)
		EXPECT_CODE(0, pthread_join(t[i], NULL));
}

int main(void)
{
	struct timespec short_time = { 0, 1000000 };
	pthread_t t[3];

	EXPECT_ERRNO(EAGAIN, (int)futex(&word, FUTEX_WAIT, 7, NULL, NULL, 0));
	EXPECT_ERRNO(ETIMEDOUT, (int)futex(&word, FUTEX_WAIT, 0, &short_time, NULL, 0));
	EXPECT(futex(&word, FUTEX_WAKE, 10, NULL, NULL, 0) == 0);
	start(t, 3, waiter);
	while (atomic_load(&waiting) < 3)
		sched_yield();
	atomic_store(&word, 1);
	futex(&word, FUTEX_REQUEUE, 1, (void *)10, &second, 0);
	futex(&second, FUTEX_WAKE, 10, NULL, NULL, 0);
	join(t, 3);
	EXPECT(atomic_load(&awake) == 3);
	start(t, 3, adder);
	join(t, 3);
	EXPECT(guarded == 9);
	EXPECT_CODE(0, pthread_create(&t[0], NULL, bit_waiter, (void *)2));
	atomic_store(&second, 1);
	EXPECT(futex(&second, FUTEX_WAKE_BITSET, 1, NULL, NULL, 1) == 0);
	futex(&second, FUTEX_WAKE_BITSET, 1, NULL, NULL, 3);
	join(t, 1);
	return 0;
}
