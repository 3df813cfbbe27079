/*
 * once - pthread_once, call_once and the guards of C++ static variables.
 *
 * All three are one thing: idle, running (by whom), done. "Done" is also written where
 * libc and the compiler keep it, because the program looks there without a call (a guard's
 * first byte) and because a forked child goes on without the model.
 *
 * A routine can be left by an exception (std::call_once) or by cancellation: then the
 * object is idle again and the next caller runs it, as libc does it. There is no unwinder
 * in here and no libgcc: once_call is a frame whose personality routine only resets the
 * object in the cleanup phase, found as the innermost one this thread runs.
 */
#include <unwind.h>

#include "rt/abi/late.h"
#include "rt/abi/tell.h"
#include "rt/sched/internal.h"

enum once_state { ONCE_IDLE, ONCE_RUNNING, ONCE_DONE };
#define GLIBC_ONCE_DONE 2

struct once {
	uint32_t known;
	uint32_t state;              /* enum once_state */
	uint32_t runner;             /* ordinal of the thread */
	uint32_t reserved;
	struct sched_object *outer;  /* the one the runner was in when it began this one */
	const void *address;
};

/* The innermost routine this thread is in. */
static RT_TLS struct sched_object *once_current;

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
	if (once->state == ONCE_DONE) {
		TELL(rt_on_receive(object->address));
		return false;
	}
	once->state = ONCE_RUNNING;
	once->runner = sched_self()->ordinal;
	return true;
}

static void once_end(struct sched_object *object, enum once_state state, uintptr_t pc)
{
	sched_step(OP_ONCE, object, pc, NULL, NULL);
	if (state == ONCE_DONE)
		TELL(rt_on_send(object->address));
	model(object)->state = state;
}

_Unwind_Reason_Code sched_once_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
					   struct _Unwind_Exception *exception, struct _Unwind_Context *context);
_Unwind_Reason_Code sched_once_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
					   struct _Unwind_Exception *exception, struct _Unwind_Context *context)
{
	(void)version, (void)class, (void)exception, (void)context;
	if ((actions & _UA_CLEANUP_PHASE) && once_current) {
		model(once_current)->state = ONCE_IDLE;
		once_current = model(once_current)->outer;
	}
	return _URC_CONTINUE_UNWIND;
}

void sched_once_call(void (*routine)(void));
__asm__(".text\n"
	".hidden sched_once_call\n"
	".globl sched_once_call\n"
	".type sched_once_call, @function\n"
	"sched_once_call:\n"
	".cfi_startproc\n"
	".cfi_personality 0x1b, sched_once_personality\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"call *%rdi\n"
	"pop %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size sched_once_call, . - sched_once_call\n");

static void once_run(struct sched_object *object, void (*routine)(void))
{
	model(object)->outer = once_current;
	once_current = object;
	sched_once_call(routine);
	once_current = model(object)->outer;
}

int sched_once(pthread_once_t *control, void (*routine)(void), uintptr_t pc)
{
	struct sched_object *object = once_object(control, *control == GLIBC_ONCE_DONE);

	if (!once_begin(object, pc))
		return 0;
	once_run(object, routine);
	once_end(object, ONCE_DONE, pc);
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
