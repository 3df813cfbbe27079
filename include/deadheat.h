/*
 * deadheat.h - what a program may tell deadheat about itself. C and C++, no dependency.
 *
 * Every call is a no-op, of the cost of one test, when the deadheat runtime is not there: the
 * functions are weak references. Ship them in production code without harm.
 *
 *     #include <deadheat.h>
 *
 *     void my_lock(struct my_lock *l)        void my_unlock(struct my_lock *l)
 *     {                                      {
 *             DEADHEAT_LOCK_BEFORE(l, 1);            DEADHEAT_LOCK_RELEASED(l, 1);
 *             ... take it ...                        ... give it back ...
 *             DEADHEAT_LOCK_ACQUIRED(l, 1);  }
 *     }
 */
#ifndef DEADHEAT_H
#define DEADHEAT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(DEADHEAT_DISABLE)
#define DEADHEAT_WEAK __attribute__((weak))

/*
 * Stop and start looking at memory accesses, in the whole process. Synchronisation is
 * followed all the time, so what is seen after a start is judged rightly. Starts on;
 * a stop and a start cancel out, they do not nest.
 */
void deadheat_start(void) DEADHEAT_WEAK;
void deadheat_stop(void) DEADHEAT_WEAK;

/*
 * Locks of your own making. write: 1 exclusive, 0 shared with other readers. before: where
 * it may block (for the order of locks, optional); acquired: after it is yours; released:
 * before you give it back; destroy: its address may become something else. A lock may be
 * taken again by its holder: as many released as acquired.
 */
void deadheat_lock_before(const void *lock, int write) DEADHEAT_WEAK;
void deadheat_lock_acquired(const void *lock, int write) DEADHEAT_WEAK;
void deadheat_lock_released(const void *lock, int write) DEADHEAT_WEAK;
void deadheat_lock_destroy(const void *lock) DEADHEAT_WEAK;

/*
 * Allocators of your own making: alloc after the block is carved out, free before it goes
 * back (free writes to all of it: a use that races with it is a race).
 */
void deadheat_alloc(const void *block, size_t size) DEADHEAT_WEAK;
void deadheat_free(const void *block, size_t size) DEADHEAT_WEAK;

/*
 * Happens before: whatever a thread did before it sent to object happens before whatever
 * another does after it received from it. Send before the other can go on; receive after.
 */
void deadheat_send(const void *object) DEADHEAT_WEAK;
void deadheat_receive(const void *object) DEADHEAT_WEAK;

/* Accesses of the calling thread in between are not looked at. Nests. */
void deadheat_ignore_begin(void) DEADHEAT_WEAK;
void deadheat_ignore_end(void) DEADHEAT_WEAK;

/* Races on these bytes are known and meant; why is kept with the results. */
void deadheat_benign(const void *address, size_t size, const char *why) DEADHEAT_WEAK;

#define DEADHEAT_CALL(name, arguments) ((void)(name ? (name arguments, 0) : 0))
#else
#define DEADHEAT_CALL(name, arguments) ((void)0)
#endif

#define DEADHEAT_START() DEADHEAT_CALL(deadheat_start, ())
#define DEADHEAT_STOP() DEADHEAT_CALL(deadheat_stop, ())
#define DEADHEAT_LOCK_BEFORE(lock, write) DEADHEAT_CALL(deadheat_lock_before, (lock, write))
#define DEADHEAT_LOCK_ACQUIRED(lock, write) DEADHEAT_CALL(deadheat_lock_acquired, (lock, write))
#define DEADHEAT_LOCK_RELEASED(lock, write) DEADHEAT_CALL(deadheat_lock_released, (lock, write))
#define DEADHEAT_LOCK_DESTROY(lock) DEADHEAT_CALL(deadheat_lock_destroy, (lock))
#define DEADHEAT_ALLOC(block, size) DEADHEAT_CALL(deadheat_alloc, (block, size))
#define DEADHEAT_FREE(block, size) DEADHEAT_CALL(deadheat_free, (block, size))
#define DEADHEAT_SEND(object) DEADHEAT_CALL(deadheat_send, (object))
#define DEADHEAT_RECEIVE(object) DEADHEAT_CALL(deadheat_receive, (object))
#define DEADHEAT_IGNORE_BEGIN() DEADHEAT_CALL(deadheat_ignore_begin, ())
#define DEADHEAT_IGNORE_END() DEADHEAT_CALL(deadheat_ignore_end, ())
#define DEADHEAT_BENIGN(address, size, why) DEADHEAT_CALL(deadheat_benign, (address, size, why))

#ifdef __cplusplus
}
#endif

#endif
