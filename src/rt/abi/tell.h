/*
 * tell - speak to the engine from outside the runtime: enter, say it, leave (rt.h I4).
 *
 *     if (rt_wire)
 *             TELL(rt_on_send(sem));
 *
 * A signal handler that interrupted the runtime is not heard, and counted. A thread whose
 * end was told is not the program's any more: libc tidies up after it, unheard.
 */
#ifndef ABI_TELL_H
#define ABI_TELL_H

#include "rt/rt.h"

static inline struct rt_thread *tell_self(void)
{
	return likely(rt_self_tls != NULL) ? rt_self_tls : rt_self();
}

static inline void tell_skipped(const struct rt_thread *self)
{
	if (!self->ended)
		rt_count(WIRE_SKIPPED_REENTRANT);
}

#define TELL(call) \
	do { \
		struct rt_thread *teller = tell_self(); \
		if (rt_enter(teller)) { \
			call; \
			rt_leave(teller); \
		} else { \
			tell_skipped(teller); \
		} \
	} while (0)

#endif
