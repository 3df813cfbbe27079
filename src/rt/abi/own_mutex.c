/*
 * own_mutex - tsan's notes for mutexes a program makes itself (sanitizer/tsan_interface.h).
 *
 * Between pre and post of an operation the program is inside its mutex: what it does there
 * is the mutex's business and not looked at. "Divert" is a stretch of ordinary program in it.
 */
#include "rt/abi/held.h"

/* Bits of tsan_interface.h. */
enum {
	MUTEX_READ = 1 << 3,
	MUTEX_TRY = 1 << 4,
	MUTEX_TRY_FAILED = 1 << 5,
	MUTEX_RECURSIVE_LOCK = 1 << 6,
	MUTEX_RECURSIVE_UNLOCK = 1 << 7,
};

static enum lock_mode mode_of(unsigned flags)
{
	return flags & MUTEX_READ ? LOCK_READ : LOCK_WRITE;
}

static void inside(int delta)
{
	if (rt_wire)
		TELL(rt_on_ignore(delta));
}

RT_EXPORT void __tsan_mutex_create(void *mutex, unsigned flags);
RT_EXPORT void __tsan_mutex_create(void *mutex, unsigned flags)
{
}

RT_EXPORT void __tsan_mutex_destroy(void *mutex, unsigned flags);
RT_EXPORT void __tsan_mutex_destroy(void *mutex, unsigned flags)
{
	if (rt_wire)
		TELL(rt_on_destroy(mutex));
}

RT_EXPORT void __tsan_mutex_pre_lock(void *mutex, unsigned flags);
RT_EXPORT void __tsan_mutex_pre_lock(void *mutex, unsigned flags)
{
	if (!(flags & MUTEX_TRY))
		held_want(mutex, mode_of(flags), RT_CALLER);
	inside(1);
}

RT_EXPORT void __tsan_mutex_post_lock(void *mutex, unsigned flags, int recursion);
RT_EXPORT void __tsan_mutex_post_lock(void *mutex, unsigned flags, int recursion)
{
	int times = flags & MUTEX_RECURSIVE_LOCK && recursion > 1 ? recursion : 1;

	inside(-1);
	while (!(flags & MUTEX_TRY_FAILED) && times--)
		held_acquired(mutex, mode_of(flags), RT_CALLER);
}

/* With RECURSIVE_UNLOCK all levels are given up at once, and their number is the answer. */
RT_EXPORT int __tsan_mutex_pre_unlock(void *mutex, unsigned flags);
RT_EXPORT int __tsan_mutex_pre_unlock(void *mutex, unsigned flags)
{
	int levels = 1;

	if (flags & MUTEX_RECURSIVE_UNLOCK)
		levels = held_levels(mutex, mode_of(flags));
	for (int i = 0; i < levels; i++)
		held_released(mutex, mode_of(flags), RT_CALLER);
	inside(1);
	return flags & MUTEX_RECURSIVE_UNLOCK ? levels : 0;
}

RT_EXPORT void __tsan_mutex_post_unlock(void *mutex, unsigned flags);
RT_EXPORT void __tsan_mutex_post_unlock(void *mutex, unsigned flags)
{
	inside(-1);
}

RT_EXPORT void __tsan_mutex_pre_signal(void *mutex, unsigned flags);
RT_EXPORT void __tsan_mutex_pre_signal(void *mutex, unsigned flags)
{
	inside(1);
}

RT_EXPORT void __tsan_mutex_post_signal(void *mutex, unsigned flags);
RT_EXPORT void __tsan_mutex_post_signal(void *mutex, unsigned flags)
{
	inside(-1);
}

RT_EXPORT void __tsan_mutex_pre_divert(void *mutex, unsigned flags);
RT_EXPORT void __tsan_mutex_pre_divert(void *mutex, unsigned flags)
{
	inside(-1);
}

RT_EXPORT void __tsan_mutex_post_divert(void *mutex, unsigned flags);
RT_EXPORT void __tsan_mutex_post_divert(void *mutex, unsigned flags)
{
	inside(1);
}

/* Happens-before notes of the same header. */
RT_EXPORT void __tsan_acquire(void *object);
RT_EXPORT void __tsan_acquire(void *object)
{
	if (rt_wire)
		TELL(rt_on_receive(object));
}

RT_EXPORT void __tsan_release(void *object);
RT_EXPORT void __tsan_release(void *object)
{
	if (rt_wire)
		TELL(rt_on_send(object));
}

RT_EXPORT void __tsan_ignore_thread_begin(void);
RT_EXPORT void __tsan_ignore_thread_begin(void)
{
	inside(1);
}

RT_EXPORT void __tsan_ignore_thread_end(void);
RT_EXPORT void __tsan_ignore_thread_end(void)
{
	inside(-1);
}

/* A wish to be told of locks held here: the host's lock cycles say more. */
RT_EXPORT void __tsan_check_no_mutexes_held(void);
RT_EXPORT void __tsan_check_no_mutexes_held(void)
{
}
