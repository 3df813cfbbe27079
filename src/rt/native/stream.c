/*
 * stream - flockfile: a recursive lock the program may hold around several stdio calls. The
 * locking inside each stdio call protects the stream's own bytes, which nobody sees.
 */
#include <stdio.h>

#include "rt/native/internal.h"

static void told(FILE *stream, uintptr_t pc)
{
	if (native_depth_enter(stream))
		TELL(rt_on_acquire(stream, LOCK_WRITE, pc));
}

RT_EXPORT void flockfile(FILE *stream)
{
	uintptr_t pc = RT_CALLER;

	if (!rt_wire) {
		REAL(flockfile)(stream);
		return;
	}
	if (!native_depth_any(stream))
		TELL(rt_on_want(stream, LOCK_WRITE, pc));
	REAL(flockfile)(stream);
	told(stream, pc);
}

RT_EXPORT int ftrylockfile(FILE *stream)
{
	int result = REAL(ftrylockfile)(stream);

	if (rt_wire && result == 0)
		told(stream, RT_CALLER);
	return result;
}

RT_EXPORT void funlockfile(FILE *stream)
{
	if (rt_wire && native_depth_leave(stream))
		TELL(rt_on_release(stream, LOCK_WRITE, RT_CALLER));
	REAL(funlockfile)(stream);
}
