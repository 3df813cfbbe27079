/*
 * once - pthread_once: who ran the routine sends, whoever returns receives.
 *
 * The send must come before the real once lets others go on, so it happens inside the
 * routine. That takes no argument; the real one runs it on the calling thread, so what to
 * run travels in thread-local storage. A nested once may overwrite it: native_once_run has
 * copied it by then. A routine that throws or is cancelled will run again, by somebody who
 * has seen what it did (C++ says so of std::call_once): it sends when it is left.
 */
#include "rt/abi/leave.h"
#include "rt/native/internal.h"

static RT_TLS void *next_control;
static RT_TLS void (*next_routine)(void);

void native_once_prepare(void *control, void (*routine)(void))
{
	next_control = control;
	next_routine = routine;
}

struct once_call {
	struct leave leave;
	void *control;
};

static void once_left(struct leave *leave)
{
	TELL(rt_on_send(((struct once_call *)leave)->control));
}

void native_once_run(void)
{
	struct once_call call = { { .left = once_left }, next_control };

	TELL(rt_on_receive(call.control));
	leave_call(&call.leave, next_routine);
	TELL(rt_on_send(call.control));
}

RT_EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
	int result;

	if (!rt_wire)
		return REAL(pthread_once)(control, routine);
	native_once_prepare(control, routine);
	result = REAL(pthread_once)(control, native_once_run);
	if (result == 0)
		TELL(rt_on_receive(control));
	return result;
}
