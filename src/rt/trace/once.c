/*
 * once - pthread_once, call_once: who ran the routine sends, whoever returns receives.
 *
 * Libraries call once at every entry, so a thread receives each control only once: it
 * remembers the last ones it saw done. The routine takes no argument; what to run travels
 * in the thread's slot. The call in a forked child or a nested once copies it first.
 */
#include <threads.h>

#include "rt/trace/sync.h"

#define SEEN(self, control) (&(self)->once_seen[((uintptr_t)(control) >> 2) % 16])

void trace_once_begin(struct trace_thread *self, void *control, void (*routine)(void))
{
	self->once_routine = routine;
	self->once_control = control;
}

void trace_once_run(void)
{
	struct trace_thread *self = trace_self();
	void *control = self->once_control;
	void (*routine)(void) = self->once_routine;

	routine();
	trace_send(control);
}

void trace_once_end(struct trace_thread *self, void *control)
{
	*SEEN(self, control) = (uintptr_t)control;
	trace_receive(control);
}

RT_EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
	struct trace_thread *self;
	int result;

	if (!trace_header)
		return REAL(pthread_once)(control, routine);
	self = trace_self();
	if (likely(*SEEN(self, control) == (uintptr_t)control)) {
		self->once_routine = routine;
		self->once_control = control;
		return REAL(pthread_once)(control, trace_once_run);
	}
	trace_once_begin(self, control, routine);
	result = REAL(pthread_once)(control, trace_once_run);
	if (result == 0)
		trace_once_end(self, control);
	return result;
}

RT_EXPORT void call_once(once_flag *flag, void (*routine)(void))
{
	struct trace_thread *self;

	if (!trace_header) {
		REAL(call_once)(flag, routine);
		return;
	}
	self = trace_self();
	trace_once_begin(self, flag, routine);
	REAL(call_once)(flag, trace_once_run);
	if (*SEEN(self, flag) != (uintptr_t)flag)
		trace_once_end(self, flag);
}
