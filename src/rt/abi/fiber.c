/*
 * fiber - user-level contexts announced by tsan's fiber calls.
 *
 * Running free, a fiber is to the engine what a thread is: it has its own record and clock,
 * and a switch hands the kernel thread's identity (rt_self_tls) over, with an edge from the
 * old to the new one unless the program says there is none. Under the scheduler a fiber
 * stays part of the thread it runs on: turns belong to kernel threads.
 */
#include "rt/abi/tell.h"

#define FIBER_NO_SYNC 1u

static bool fibers_are_threads(void)
{
	return rt_wire && (rt_kind == WIRE_RT_DETECT || rt_kind == WIRE_RT_NOP);
}

RT_EXPORT void *__tsan_get_current_fiber(void);
RT_EXPORT void *__tsan_get_current_fiber(void)
{
	return rt_self();
}

/* Without a wire all fibers may be the one thread: nobody asks about them. */
RT_EXPORT void *__tsan_create_fiber(unsigned flags);
RT_EXPORT void *__tsan_create_fiber(unsigned flags)
{
	struct rt_thread *fiber;

	if (!fibers_are_threads())
		return rt_self();
	fiber = rt_thread_new(RT_CALLER);
	if (fiber->id != RT_NO_THREAD)
		TELL(rt_on_thread_create(fiber));
	return fiber;
}

static void become(struct rt_thread *fiber)
{
	bool first = !fiber->tid;

	fiber->tid = rt_self()->tid;
	rt_self_tls = fiber;
	if (first)
		TELL(rt_on_thread_start(fiber));
}

RT_EXPORT void __tsan_switch_to_fiber(void *to, unsigned flags);
RT_EXPORT void __tsan_switch_to_fiber(void *to, unsigned flags)
{
	struct rt_thread *fiber = to;

	if (fiber == rt_self() || !fibers_are_threads())
		return;
	if (!(flags & FIBER_NO_SYNC))
		TELL(rt_on_send(fiber));
	become(fiber);
	if (!(flags & FIBER_NO_SYNC))
		TELL(rt_on_receive(fiber));
}

/* The engine hears a thread's end from itself: be the fiber for that moment. */
RT_EXPORT void __tsan_destroy_fiber(void *which);
RT_EXPORT void __tsan_destroy_fiber(void *which)
{
	struct rt_thread *self = rt_self(), *fiber = which;

	if (fiber == self || !fibers_are_threads() || fiber->id == RT_NO_THREAD)
		return;
	if (fiber->tid) {
		rt_self_tls = fiber;
		TELL(rt_on_thread_end(fiber));
		rt_self_tls = self;
	}
	rt_thread_end(fiber);
}

RT_EXPORT void __tsan_set_fiber_name(void *fiber, const char *name);
RT_EXPORT void __tsan_set_fiber_name(void *fiber, const char *name)
{
}
