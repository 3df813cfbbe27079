/*
 * native - sync objects of a program that runs free: call the real one, tell the engine.
 *
 * I1  What the engine holds as "held" follows the return values: EBUSY, ETIMEDOUT, EDEADLK,
 *     EPERM change nothing; EOWNERDEAD is a lock taken.
 * I2  The engine sees the outermost lock and unlock of a recursive lock only. Depth and owner
 *     are glibc's own (bits/struct_mutex.h, bits/struct_rwlock.h): a thread reads its own
 *     there without a race.
 * I3  Without a wire every function is a jump to the real one.
 */
#ifndef NATIVE_INTERNAL_H
#define NATIVE_INTERNAL_H

#include <pthread.h>

#include "rt/abi/tell.h"

/* ---- mutex.c, also for conditions and C11 -------------------------------------- */

/* Does the calling thread hold it already, so that one more lock does not block or fail? */
bool native_mutex_is_mine(const pthread_mutex_t *mutex);
/* Would an unlock by the calling thread really give it up? */
bool native_mutex_gives_up(const pthread_mutex_t *mutex);
/* After a lock that returned 0 or EOWNERDEAD. */
void native_mutex_taken(const pthread_mutex_t *mutex, uintptr_t pc);

/* ---- cond.c, also for C11 -------------------------------------------------------- */

typedef int native_wait(void *argument);
/*
 * The whole of a condition wait: real(argument) waits, returns 0 when woken. got_it says
 * whether a result means that the mutex is held again.
 */
int native_cond_wait(const void *cond, const pthread_mutex_t *mutex, native_wait *real, void *argument,
		     uintptr_t pc);

/* ---- depth.c: locks a thread may hold more than once, where libc does not say how often -- */

/* true: the first time. */
bool native_depth_enter(const void *lock);
/* true: the last time. */
bool native_depth_leave(const void *lock);
bool native_depth_any(const void *lock);

/* ---- thread.c, also for C11 --------------------------------------------------------- */

/* A record for a thread about to run start; NULL when there is no room: run it unseen. */
struct rt_thread *native_thread_new(void *(*start)(void *), void *argument, uintptr_t pc);
/* The parent, after the real creation: result is its error, 0 if it runs. */
void native_thread_created(struct rt_thread *child, pthread_t handle, int result);
/* The child, first thing. */
void native_thread_begin(struct rt_thread *self);
/* Make sure the end of the calling thread is heard, whichever way it ends. */
void native_thread_arm(void);
/* After a join that returned 0; joined as looked up before it. */
void native_thread_joined(struct rt_thread *joined);

/* ---- once.c, also for C11 -------------------------------------------------------------- */

/* Remember what the next real once of this thread shall run; pass native_once_run to it. */
void native_once_prepare(void *control, void (*routine)(void));
void native_once_run(void);

#endif
