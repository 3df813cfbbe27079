/*
 * sync - what the sync objects of rt/trace share: how a result becomes a lock held.
 */
#ifndef TRACE_SYNC_H
#define TRACE_SYNC_H

#include <errno.h>
#include <pthread.h>

#include "rt/trace/trace.h"

static inline int lock_told(const void *lock, enum lock_mode mode, int result)
{
	if (likely(trace_header != NULL) && likely(result == 0))
		trace_acquire(lock, mode);
	return result;
}

static inline int mutex_told(const void *mutex, int result)
{
	if (likely(trace_header != NULL) && (likely(result == 0) || result == EOWNERDEAD))
		trace_acquire(mutex, LOCK_WRITE);
	return result;
}

/* cond.c: the whole of a condition wait around real(argument), also for C11. */
typedef int trace_wait(void *argument);
int trace_cond_wait(const void *cond, const void *mutex, trace_wait *real, void *argument);

/* once.c: real(control, routine) runs ours instead of routine; also for C11. */
void trace_once_begin(struct trace_thread *self, void *control, void (*routine)(void));
void trace_once_run(void);
void trace_once_end(struct trace_thread *self, void *control);

/* thread.c, also for C11. NULL: no room, run it unseen. */
struct trace_thread *trace_create_begin(void *start, void *argument, uintptr_t pc, size_t stack_size);
void trace_create_end(struct trace_thread *child, pthread_t handle, bool runs);
void trace_child_begin(struct trace_thread *self);
uint32_t trace_joining(pthread_t handle);
void trace_joined(pthread_t handle, uint32_t number);

#endif
