/*
 * once - pthread_once, call_once and the guards of C++ static variables.
 *
 * All three are one thing: idle, running, done. "Done" is also written where libc and the
 * compiler keep it, because the program looks there without a call (a guard's first byte)
 * and because a forked child goes on without the model.
 *
 * A routine can be left by an exception (std::call_once) or by cancellation: then the
 * object is idle again and the next caller runs it, as libc does it, having seen what the
 * one before did.
 */
#include "rt/abi/late.h"
#include "rt/abi/leave.h"
#include "rt/abi/tell.h"
#include "rt/sched/internal.h"

enum once_state { ONCE_IDLE, ONCE_RUNNING, ONCE_DONE };
#define GLIBC_ONCE_DONE 2

struct once {
	uint32_t known;
	uint32_t state; /* enum once_state */
};

static struct once *model(struct sched_object *object)
{
	return (struct once *)object->state;
}

static struct sched_object *once_object(const void *address, bool done)
{
	struct sched_object *object = sched_object(address, OBJECT_ONCE);

	if (!model(object)->known) {
		model(object)->known = 1;
		model(object)->state = done ? ONCE_DONE : ONCE_IDLE;
	}
	return object;
}

static bool not_running(struct sched_thread *thread, void *argument)
{
	const struct once *once = argument;

	(void)thread;
	return once->state != ONCE_RUNNING;
}

/* True: run it. False: somebody has done it, and we have seen what he did. */
static bool once_begin(struct sched_object *object, uintptr_t pc)
{
	struct once *once = model(object);

	sched_wait(OP_ONCE, object, pc, not_running, once, 0, 0);
	TELL(rt_on_receive(object->address));
	if (once->state == ONCE_DONE)
		return false;
	once->state = ONCE_RUNNING;
	return true;
}

static void once_end(struct sched_object *object, enum once_state state, uintptr_t pc)
{
	sched_step(OP_ONCE, object, pc, NULL, NULL);
	TELL(rt_on_send(object->address));
	model(object)->state = state;
}

struct once_call {
	struct leave leave;
	struct sched_object *object;
};

/* In the midst of an unwinding: no scheduling point. */
static void once_left(struct leave *leave)
{
	struct sched_object *object = ((struct once_call *)leave)->object;

	TELL(rt_on_send(object->address));
	model(object)->state = ONCE_IDLE;
}

int sched_once(pthread_once_t *control, void (*routine)(void), uintptr_t pc)
{
	struct once_call call = { { .left = once_left }, once_object(control, *control == GLIBC_ONCE_DONE) };

	if (!once_begin(call.object, pc))
		return 0;
	leave_call(&call.leave, routine);
	once_end(call.object, ONCE_DONE, pc);
	__atomic_store_n(control, GLIBC_ONCE_DONE, __ATOMIC_RELEASE);
	return 0;
}

RT_EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
	if (!sched_self())
		return REAL(pthread_once)(control, routine);
	return sched_once(control, routine, RT_CALLER);
}

/* ---- guards: byte 0 is what compiled code looks at ------------------------------ */

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

RT_EXPORT int __cxa_guard_acquire(uint64_t *guard)
{
	if (!sched_self())
		return LATE(__cxa_guard_acquire)(guard);
	return once_begin(once_object(guard, *(uint8_t *)guard), RT_CALLER);
}

RT_EXPORT void __cxa_guard_release(uint64_t *guard)
{
	if (!sched_self()) {
		LATE(__cxa_guard_release)(guard);
		return;
	}
	once_end(once_object(guard, false), ONCE_DONE, RT_CALLER);
	TELL(rt_on_atomic(guard, 1, ACCESS_WRITE | ACCESS_ATOMIC, __ATOMIC_RELEASE, RT_CALLER));
	__atomic_store_n((uint8_t *)guard, 1, __ATOMIC_RELEASE);
}

RT_EXPORT void __cxa_guard_abort(uint64_t *guard)
{
	if (!sched_self()) {
		LATE(__cxa_guard_abort)(guard);
		return;
	}
	once_end(once_object(guard, false), ONCE_IDLE, RT_CALLER);
}
