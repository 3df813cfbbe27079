/*
 * futex - syscall(SYS_futex, ...), which is how C++ waits on atomics and how own locks wait.
 *
 * WAIT compares and queues in one step, as the kernel does; WAKE picks which of the queued
 * go on (a recorded choice each). A waiter is a struct on its own stack, linked from the
 * object. Operations with priority inheritance, and words that other processes wait on,
 * stay the kernel's: the first outside, the second additionally (a wake also goes to the
 * kernel). Other numbers go straight through, but those that only yield or sleep are ours.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/abi/tell.h"
#include "rt/sched/internal.h"

struct waiter {
	struct waiter *next;
	struct sched_object *object;
	uint32_t bits;
	bool woken;
};

struct futex {
	struct waiter *first;
};

struct futex_call {
	uint32_t *word;
	int command;
	bool absolute, realtime, private;
	uint32_t value;
	const struct timespec *timeout; /* or a count: second_value */
	uint32_t *second;
	uint32_t bits;                  /* or the compare value */
};

static struct futex *model(struct sched_object *object)
{
	return (struct futex *)object->state;
}

static bool is_woken(struct sched_thread *thread, void *argument)
{
	(void)thread;
	return ((const struct waiter *)argument)->woken;
}

static void enqueue(struct waiter *w, struct sched_object *object)
{
	struct waiter **end = &model(object)->first;

	while (*end)
		end = &(*end)->next;
	w->next = NULL;
	w->object = object;
	*end = w;
}

static void dequeue(struct waiter *w)
{
	struct waiter **at = &model(w->object)->first;

	while (*at && *at != w)
		at = &(*at)->next;
	if (*at)
		*at = w->next;
}

static uint32_t count_matching(struct sched_object *object, uint32_t bits)
{
	uint32_t n = 0;

	for (struct waiter *w = model(object)->first; w; w = w->next)
		n += (w->bits & bits) != 0;
	return n;
}

/* A random one of those that match, taken off the queue; NULL if none. */
static struct waiter *pick(struct sched_object *object, uint32_t bits)
{
	uint32_t count = count_matching(object, bits), nth;
	struct waiter *w;

	if (!count)
		return NULL;
	nth = count > 1 ? sched_choose(OP_WAKE, count) : 0;
	for (w = model(object)->first; !(w->bits & bits) || nth--; w = w->next)
		;
	dequeue(w);
	return w;
}

static uint64_t deadline_of(const struct futex_call *call)
{
	const struct timespec *t = call->timeout;

	if (!t)
		return 0;
	if (call->absolute)
		return sched_deadline_from(t, call->realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC);
	return sched_now() + (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec + 1;
}

static long futex_wait(const struct futex_call *call, uintptr_t pc)
{
	struct sched_object *object = sched_object(call->word, OBJECT_FUTEX);
	struct waiter w = { .bits = call->bits };
	enum sched_wake wake;

	if (!call->bits || (call->timeout && sched_bad_time(call->timeout)))
		return -EINVAL;
	sched_step(OP_FUTEX, object, pc, NULL, NULL);
	if (__atomic_load_n(call->word, __ATOMIC_SEQ_CST) != call->value)
		return -EAGAIN;
	enqueue(&w, object);
	wake = sched_wait(OP_FUTEX, object, pc, is_woken, &w, deadline_of(call), WAIT_SIGNAL);
	if (wake == WAKE_READY) {
		TELL(rt_on_receive(call->word));
		return 0;
	}
	dequeue(&w);
	return wake == WAKE_TIMEOUT ? -ETIMEDOUT : -EINTR;
}

static long wake_some(struct sched_object *object, uint32_t bits, uint32_t most)
{
	struct waiter *w;
	long woken = 0;

	TELL(rt_on_send(object->address));
	while ((uint32_t)woken < most && (w = pick(object, bits))) {
		w->woken = true;
		woken++;
	}
	return woken;
}

static long futex_wake(const struct futex_call *call, uintptr_t pc)
{
	struct sched_object *object = sched_object(call->word, OBJECT_FUTEX);
	long woken;

	if (!call->bits)
		return -EINVAL;
	sched_step(OP_FUTEX, object, pc, NULL, NULL);
	woken = wake_some(object, call->bits, call->value);
	if (!call->private && (uint32_t)woken < call->value) {
		long others = rt_syscall(SYS_futex, call->word, FUTEX_WAKE, call->value - (uint32_t)woken, NULL, NULL, 0);

		woken += others > 0 ? others : 0;
	}
	return woken;
}

static long futex_requeue(const struct futex_call *call, uintptr_t pc)
{
	struct sched_object *from = sched_object(call->word, OBJECT_FUTEX);
	struct sched_object *to = sched_object(call->second, OBJECT_FUTEX);
	uint32_t most = (uint32_t)(uintptr_t)call->timeout, moved = 0;
	struct waiter *w;
	long woken;

	sched_step(OP_FUTEX, from, pc, NULL, NULL);
	if (call->command == FUTEX_CMP_REQUEUE && __atomic_load_n(call->word, __ATOMIC_SEQ_CST) != call->bits)
		return -EAGAIN;
	woken = wake_some(from, FUTEX_BITSET_MATCH_ANY, call->value);
	while (moved < most && (w = pick(from, FUTEX_BITSET_MATCH_ANY))) {
		enqueue(w, to);
		moved++;
	}
	return call->command == FUTEX_CMP_REQUEUE ? woken + moved : woken;
}

static long futex_outside(const long *a, uintptr_t pc)
{
	long result;

	sched_outside_begin(OP_FUTEX, pc);
	result = rt_syscall(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
	sched_outside_end();
	return result;
}

static long futex(const long *a, uintptr_t pc)
{
	struct futex_call call = {
		.word = (uint32_t *)a[0],
		.command = (int)a[1] & FUTEX_CMD_MASK,
		.private = a[1] & FUTEX_PRIVATE_FLAG,
		.realtime = a[1] & FUTEX_CLOCK_REALTIME,
		.value = (uint32_t)a[2],
		.timeout = (const struct timespec *)a[3],
		.second = (uint32_t *)a[4],
		.bits = (uint32_t)a[5],
	};

	call.absolute = call.command == FUTEX_WAIT_BITSET;
	switch (call.command) {
	case FUTEX_WAIT:
		call.bits = FUTEX_BITSET_MATCH_ANY;
		return futex_wait(&call, pc);
	case FUTEX_WAIT_BITSET:
		return futex_wait(&call, pc);
	case FUTEX_WAKE:
		call.bits = FUTEX_BITSET_MATCH_ANY;
		return futex_wake(&call, pc);
	case FUTEX_WAKE_BITSET:
		return futex_wake(&call, pc);
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		return futex_requeue(&call, pc);
	default:
		return futex_outside(a, pc);
	}
}

static long sleep_call(clockid_t clock, int flags, const struct timespec *time, struct timespec *left, uintptr_t pc)
{
	return -sched_sleep(clock, flags, time, left, pc);
}

/* -errno on failure, as the kernel. */
static long route(long number, const long *a, uintptr_t pc)
{
	switch (number) {
	case SYS_futex:
		return futex(a, pc);
	case SYS_sched_yield:
		sched_step(OP_YIELD, NULL, pc, NULL, NULL);
		return 0;
	case SYS_nanosleep:
		return sleep_call(CLOCK_MONOTONIC, 0, (const struct timespec *)a[0], (struct timespec *)a[1], pc);
	case SYS_clock_nanosleep:
		return sleep_call((clockid_t)a[0], (int)a[1], (const struct timespec *)a[2], (struct timespec *)a[3], pc);
	default:
		return rt_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}

RT_EXPORT long syscall(long number, ...)
{
	va_list list;
	long a[6], result;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	result = sched_self() ? route(number, a, RT_CALLER) : rt_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}
