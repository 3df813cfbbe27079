/*
 * deadheat - the other end of include/deadheat.h.
 */
#include <deadheat.h>

#include "rt/abi/held.h"

/* The header's declarations are weak references; these are the definitions. */
#define NOTE __attribute__((visibility("default"), used))

static enum lock_mode mode_of(int write)
{
	return write ? LOCK_WRITE : LOCK_READ;
}

NOTE void deadheat_start(void)
{
	rt_paused = false;
}

NOTE void deadheat_stop(void)
{
	rt_paused = true;
}

NOTE void deadheat_lock_before(const void *lock, int write)
{
	held_want(lock, mode_of(write), RT_CALLER);
}

NOTE void deadheat_lock_acquired(const void *lock, int write)
{
	held_acquired(lock, mode_of(write), RT_CALLER);
}

NOTE void deadheat_lock_released(const void *lock, int write)
{
	held_released(lock, mode_of(write), RT_CALLER);
}

NOTE void deadheat_lock_destroy(const void *lock)
{
	if (rt_wire)
		TELL(rt_on_destroy(lock));
}

NOTE void deadheat_alloc(const void *block, size_t size)
{
	if (rt_wire)
		TELL(rt_on_alloc(block, size, RT_CALLER));
}

NOTE void deadheat_free(const void *block, size_t size)
{
	if (!rt_wire)
		return;
	rt_turn_access(block, size, ACCESS_WRITE | ACCESS_FREE, RT_CALLER);
	TELL(rt_on_free(block, size, RT_CALLER));
}

NOTE void deadheat_send(const void *object)
{
	if (rt_wire)
		TELL(rt_on_send(object));
}

NOTE void deadheat_receive(const void *object)
{
	if (rt_wire)
		TELL(rt_on_receive(object));
}

NOTE void deadheat_ignore_begin(void)
{
	if (rt_wire)
		TELL(rt_on_ignore(1));
}

NOTE void deadheat_ignore_end(void)
{
	if (rt_wire)
		TELL(rt_on_ignore(-1));
}

NOTE void deadheat_benign(const void *address, size_t size, const char *why)
{
	if (rt_wire)
		TELL(rt_meant(address, size, why));
}
