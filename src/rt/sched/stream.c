/*
 * stream - flockfile is a recursive lock by the stream's address.
 *
 * The real one is not taken: a thread that prints to a stream another holds would block
 * inside libc, with the turn. So such a line may come out between the holder's; nothing
 * else is lost.
 */
#include <stdio.h>

#include "rt/sched/turn.h"

RT_EXPORT void flockfile(FILE *stream)
{
	if (sched_self())
		mutex_lock_object(mutex_recursive(stream), RT_CALLER);
	else
		REAL(flockfile)(stream);
}

RT_EXPORT int ftrylockfile(FILE *stream)
{
	return sched_self() ? mutex_trylock_object(mutex_recursive(stream), RT_CALLER) : REAL(ftrylockfile)(stream);
}

RT_EXPORT void funlockfile(FILE *stream)
{
	if (sched_self())
		mutex_unlock_object(mutex_recursive(stream), RT_CALLER);
	else
		REAL(funlockfile)(stream);
}
