/*
 * lock - the small lock of the slow paths.
 *
 * The word is 0 free, 1 taken, 2 taken and somebody may sleep (Drepper's "mutex 2").
 * I1  Taken only between rt_enter and rt_leave or in the constructor: a signal handler
 *     that interrupts the holder finds rt_enter refused and never waits for itself.
 */
#include "rt/rt.h"

/* About 2 us: longer than any holder needs on its core, shorter than a sleep and wake. */
#define LOCK_SPINS 200

static bool lock_try(struct rt_lock *lock)
{
	uint32_t none = 0;

	return __atomic_compare_exchange_n(&lock->word, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static RT_NOINLINE void lock_slow(struct rt_lock *lock)
{
	for (int i = 0; i < LOCK_SPINS; i++) {
		if (!__atomic_load_n(&lock->word, __ATOMIC_RELAXED) && lock_try(lock))
			return;
		__builtin_ia32_pause();
	}
	while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE))
		rt_futex_wait(&lock->word, 2);
}

void rt_lock(struct rt_lock *lock)
{
	if (!lock_try(lock))
		lock_slow(lock);
}

void rt_unlock(struct rt_lock *lock)
{
	if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2)
		rt_futex_wake(&lock->word, 1);
}
