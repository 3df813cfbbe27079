/*
 * once - pthread_once: who ran the routine sends, whoever returns receives.
 *
 * The send must come before the real once lets others go on, so it happens inside the
 * routine. That takes no argument; the real one runs it on the calling thread, so what to
 * run travels in thread-local storage. A nested once may overwrite it: native_once_run has
 * copied it by then. A routine that throws or is cancelled sends nothing and will run again.
 */
#include "rt/native/internal.h"

static RT_TLS void *next_control;
static RT_TLS void (*next_routine)(void);

void native_once_prepare(void *control, void (*routine)(void))
{
	next_control = control;
	next_routine = routine;
}

void native_once_run(void)
{
	void *control = next_control;

	next_routine();
	TELL(rt_on_send(control));
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
