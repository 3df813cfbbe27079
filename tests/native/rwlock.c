/* Read-write locks: modes, read locks taken twice, try and timed ones. */
#include "spy.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *others(void *nothing)
{
	struct timespec t = past();

	/* Held for reading by T0:
	   > T0 want lock read
	   > T0 acquire lock read
	   > T0 create T1
	   > T1 start
	   > T1 acquire lock read
	   > T1 release lock read
	   > T1 end
	   > T0 join T1 */
	CHECK(pthread_rwlock_trywrlock(&lock), EBUSY);
	CHECK(pthread_rwlock_timedwrlock(&lock, &t), ETIMEDOUT);
	CHECK(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &t), ETIMEDOUT);
	CHECK(pthread_rwlock_tryrdlock(&lock), 0);
	CHECK(pthread_rwlock_timedrdlock(&lock, &t), 0);
	CHECK(pthread_rwlock_unlock(&lock), 0);
	CHECK(pthread_rwlock_unlock(&lock), 0);
	return nothing;
}

static void *shut_out(void *nothing)
{
	struct timespec t = past();

	CHECK(pthread_rwlock_tryrdlock(&lock), EBUSY);
	CHECK(pthread_rwlock_timedrdlock(&lock, &t), ETIMEDOUT);
	CHECK(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &t), ETIMEDOUT);
	return nothing;
}

static void in_thread(void *(*f)(void *))
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, f, NULL), 0);
	CHECK(pthread_join(thread, NULL), 0);
}

int main(void)
{
	NAME(lock);
	CHECK(pthread_rwlock_rdlock(&lock), 0);
	CHECK(pthread_rwlock_rdlock(&lock), 0);
	in_thread(others);
	CHECK(pthread_rwlock_unlock(&lock), 0);
	/* > T0 release lock read
	   > T0 want lock write
	   > T0 acquire lock write
	   > T0 want lock write
	   > T0 create T2
	   > T2 start
	   > T2 end
	   > T0 join T2
	   > T0 release lock write
	   > T0 destroy lock
	   > end */
	CHECK(pthread_rwlock_unlock(&lock), 0);
	CHECK(pthread_rwlock_wrlock(&lock), 0);
	CHECK(pthread_rwlock_wrlock(&lock), EDEADLK);
	in_thread(shut_out);
	CHECK(pthread_rwlock_unlock(&lock), 0);
	CHECK(pthread_rwlock_destroy(&lock), 0);
	return 0;
}
