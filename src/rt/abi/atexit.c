/*
 * atexit - what is done before a handler is registered happens before the handler runs.
 *
 * Matters for objects with static storage that some other thread made (C++ registers their
 * destructors by __cxa_atexit, and so does atexit): the main thread destroys them at exit,
 * with nothing else between the two threads but libc's list. The same for functions libc
 * calls on threads of its own: timers and message queues with SIGEV_THREAD.
 */
#include <mqueue.h>
#include <signal.h>
#include <time.h>

#include "rt/abi/tell.h"

struct handler {
	union {
		void (*function)(void *);
		void (*notify)(union sigval);
	};
	void *argument;
};

/* NULL: nobody listens, or there is no memory; use the program's own then. */
static struct handler *remember(void (*function)(void *), void *argument)
{
	struct handler *handler = rt_wire ? rt_arena(sizeof(*handler)) : NULL;

	if (!handler)
		return NULL;
	handler->function = function;
	handler->argument = argument;
	TELL(rt_on_send(handler));
	return handler;
}

static void run(void *argument)
{
	struct handler *handler = argument;

	if (rt_wire)
		TELL(rt_on_receive(handler));
	handler->function(handler->argument);
}

RT_EXPORT int __cxa_atexit(void (*function)(void *), void *argument, void *library);

RT_EXPORT int __cxa_atexit(void (*function)(void *), void *argument, void *library)
{
	struct handler *handler = remember(function, argument);

	if (!handler)
		return REAL(__cxa_atexit)(function, argument, library);
	return REAL(__cxa_atexit)(run, handler, library);
}

/* ---- SIGEV_THREAD ------------------------------------------------------------------------ */

static void notify(union sigval value)
{
	struct handler *handler = value.sival_ptr;

	if (rt_wire)
		TELL(rt_on_receive(handler));
	handler->notify((union sigval){ .sival_ptr = handler->argument });
}

static bool by_thread(const struct sigevent *event, struct sigevent *ours)
{
	struct handler *handler;

	if (!event || event->sigev_notify != SIGEV_THREAD)
		return false;
	handler = remember((void (*)(void *))(uintptr_t)event->sigev_notify_function, event->sigev_value.sival_ptr);
	if (!handler)
		return false;
	*ours = *event;
	ours->sigev_notify_function = notify;
	ours->sigev_value.sival_ptr = handler;
	return true;
}

RT_EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
	struct sigevent ours;

	return REAL(timer_create)(clock, by_thread(event, &ours) ? &ours : event, timer);
}

RT_EXPORT int mq_notify(mqd_t queue, const struct sigevent *event)
{
	struct sigevent ours;

	return REAL(mq_notify)(queue, by_thread(event, &ours) ? &ours : event);
}
