/*
 * Mutexes of every kind: POSIX's answers, and what the engine hears.
 */
#include "spy.h"

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, recursive, errorcheck, robust;

static void make(pthread_mutex_t *mutex, int type, int robustness)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	CHECK(pthread_mutexattr_settype(&attributes, type), 0);
	CHECK(pthread_mutexattr_setrobust(&attributes, robustness), 0);
	CHECK(pthread_mutex_init(mutex, &attributes), 0);
	pthread_mutexattr_destroy(&attributes);
}

static void *others(void *nothing)
{
	struct timespec t = past();

	CHECK(pthread_mutex_trylock(&normal), EBUSY);
	CHECK(pthread_mutex_timedlock(&normal, &t), ETIMEDOUT);
	CHECK(pthread_mutex_clocklock(&normal, CLOCK_MONOTONIC, &t), ETIMEDOUT);
	CHECK(pthread_mutex_trylock(&recursive), EBUSY);
	CHECK(pthread_mutex_unlock(&recursive), EPERM);
	CHECK(pthread_mutex_unlock(&errorcheck), EPERM);
	return nothing;
}

static void *dies(void *nothing)
{
	CHECK(pthread_mutex_lock(&robust), 0);
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
	struct timespec t = past();

	NAME(normal);
	NAME(recursive);
	NAME(errorcheck);
	NAME(robust);
	/* > T0 destroy recursive
	   > T0 destroy errorcheck
	   > T0 destroy robust */
	make(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
	make(&errorcheck, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
	make(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
	/* > T0 want normal write
	   > T0 acquire normal write */
	CHECK(pthread_mutex_lock(&normal), 0);
	CHECK(pthread_mutex_trylock(&normal), EBUSY);
	CHECK(pthread_mutex_timedlock(&normal, &t), ETIMEDOUT);
	/* The outermost only:
	   > T0 want recursive write
	   > T0 acquire recursive write
	   > T0 release recursive write
	   > T0 want recursive write
	   > T0 acquire recursive write */
	CHECK(pthread_mutex_lock(&recursive), 0);
	CHECK(pthread_mutex_lock(&recursive), 0);
	CHECK(pthread_mutex_trylock(&recursive), 0);
	CHECK(pthread_mutex_unlock(&recursive), 0);
	CHECK(pthread_mutex_unlock(&recursive), 0);
	CHECK(pthread_mutex_unlock(&recursive), 0);
	CHECK(pthread_mutex_unlock(&recursive), EPERM);
	CHECK(pthread_mutex_lock(&recursive), 0);
	/* > T0 want errorcheck write
	   > T0 acquire errorcheck write */
	CHECK(pthread_mutex_unlock(&errorcheck), EPERM);
	CHECK(pthread_mutex_lock(&errorcheck), 0);
	CHECK(pthread_mutex_lock(&errorcheck), EDEADLK);
	/* Nothing that fails is heard:
	   > T0 create T1
	   > T1 start
	   > T1 end
	   > T0 join T1 */
	in_thread(others);
	/* > T0 release errorcheck write
	   > T0 release normal write
	   > T0 acquire normal write
	   > T0 release normal write */
	CHECK(pthread_mutex_unlock(&errorcheck), 0);
	CHECK(pthread_mutex_unlock(&normal), 0);
	CHECK(pthread_mutex_timedlock(&normal, &t), 0);
	CHECK(pthread_mutex_unlock(&normal), 0);
	/* A dead owner's lock is ours, and must be made consistent:
	   > T0 create T2
	   > T2 start
	   > T2 want robust write
	   > T2 acquire robust write
	   > T2 end
	   > T0 join T2
	   > T0 want robust write
	   > T0 acquire robust write
	   > T0 release robust write
	   > T0 want robust write
	   > T0 destroy robust
	   > T0 destroy normal */
	in_thread(dies);
	CHECK(pthread_mutex_lock(&robust), EOWNERDEAD);
	CHECK(pthread_mutex_unlock(&robust), 0);
	CHECK(pthread_mutex_lock(&robust), ENOTRECOVERABLE);
	CHECK(pthread_mutex_destroy(&robust), 0);
	CHECK(pthread_mutex_destroy(&normal), 0);
	return 0;
}
/* > end */
