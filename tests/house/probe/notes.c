/*
 * notes - a counter behind a lock the runtime cannot see (inline assembly), told or not told by
 * each means of deadheat.h and of tsan's interface. WHAT: which note is given.
 *
 *   silent: lock tsan annotate ignore benign stop handover
 *   found:  nothing reader dropped
 */
#include <deadheat.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

void AnnotateRWLockAcquired(const char *, int, const volatile void *, long) __attribute__((weak));
void AnnotateRWLockReleased(const char *, int, const volatile void *, long) __attribute__((weak));
void __tsan_mutex_pre_lock(void *, unsigned) __attribute__((weak));
void __tsan_mutex_post_lock(void *, unsigned, int) __attribute__((weak));
int __tsan_mutex_pre_unlock(void *, unsigned) __attribute__((weak));
void __tsan_mutex_post_unlock(void *, unsigned) __attribute__((weak));

static const char *what;
static int lock;
static long counter;
static int passed; /* handed over once: 0 free, 1 sent */

static int is(const char *name)
{
	return !strcmp(what, name);
}

static int invisible_exchange(int *word, int value)
{
	__asm__ volatile("xchg %0, %1" : "+r"(value), "+m"(*word) : : "memory");
	return value;
}

static void take(void)
{
	if (is("lock") || is("reader"))
		DEADHEAT_LOCK_BEFORE(&lock, is("lock"));
	if (is("tsan") && __tsan_mutex_pre_lock)
		__tsan_mutex_pre_lock(&lock, 0);
	while (invisible_exchange(&lock, 1))
		;
	if (is("tsan") && __tsan_mutex_post_lock)
		__tsan_mutex_post_lock(&lock, 0, 0);
	if (is("lock") || is("reader"))
		DEADHEAT_LOCK_ACQUIRED(&lock, is("lock"));
	if (is("annotate") && AnnotateRWLockAcquired)
		AnnotateRWLockAcquired(__FILE__, __LINE__, &lock, 1);
	if (is("ignore"))
		DEADHEAT_IGNORE_BEGIN();
}

static void give(void)
{
	if (is("ignore"))
		DEADHEAT_IGNORE_END();
	if (is("annotate") && AnnotateRWLockReleased)
		AnnotateRWLockReleased(__FILE__, __LINE__, &lock, 1);
	if (is("lock") || is("reader"))
		DEADHEAT_LOCK_RELEASED(&lock, is("lock"));
	if (is("tsan") && __tsan_mutex_pre_unlock)
		__tsan_mutex_pre_unlock(&lock, 0);
	invisible_exchange(&lock, 0);
	if (is("tsan") && __tsan_mutex_post_unlock)
		__tsan_mutex_post_unlock(&lock, 0);
}

/* The first thread's part is over before the second's begins, and it says so. */
static void *first(void *nothing)
{
	counter++;
	if (is("handover"))
		DEADHEAT_SEND(&passed);
	invisible_exchange(&passed, 1);
	return nothing;
}

static void *second(void *nothing)
{
	while (!invisible_exchange(&passed, 0))
		;
	if (is("handover"))
		DEADHEAT_RECEIVE(&passed);
	counter++;
	return nothing;
}

static void *run(void *nothing)
{
	for (int i = 0; i < 100; i++) {
		take();
		counter++;
		give();
	}
	return nothing;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	int once;

	what = argc > 1 ? argv[1] : "nothing";
	once = is("handover") || is("dropped");
	if (is("benign"))
		DEADHEAT_BENIGN(&counter, sizeof(counter), "a test");
	if (is("stop"))
		DEADHEAT_STOP();
	pthread_create(&a, NULL, once ? first : run, NULL);
	pthread_create(&b, NULL, once ? second : run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	DEADHEAT_START();
	printf("%ld\n", counter);
	return 0;
}
