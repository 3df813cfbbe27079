/*
 * depth - how often the calling thread holds each lock that may be taken again: rwlocks for
 * reading, stdio streams.
 *
 * glibc only counts readers, not whose they are. The engine wants the outermost ones
 * (internal.h I2), so each thread keeps a short list, newest last: nearly always the entry
 * asked for is the last. It grows by doubling from the arena; what it outgrew is not given
 * back (at most as much again).
 */
#include "rt/native/internal.h"

struct held {
	const void *lock;
	uint32_t depth;
};

#define INLINE_HELD 8
static RT_TLS struct held first_held[INLINE_HELD];
static RT_TLS struct held *more_held;
static RT_TLS uint32_t held_count, held_size;

static struct held *list(void)
{
	return more_held ? more_held : first_held;
}

static struct held *find(const void *lock)
{
	struct held *all = list();

	for (uint32_t i = held_count; i-- > 0;)
		if (all[i].lock == lock)
			return &all[i];
	return NULL;
}

static bool grow(void)
{
	uint32_t size = (held_size ? held_size : INLINE_HELD) * 2;
	struct held *bigger = rt_arena(size * sizeof(*bigger));

	if (!bigger)
		return false;
	for (uint32_t i = 0; i < held_count; i++)
		bigger[i] = list()[i];
	more_held = bigger;
	held_size = size;
	return true;
}

bool native_depth_enter(const void *lock)
{
	struct held *held = find(lock);

	if (held) {
		held->depth++;
		return false;
	}
	if (held_count == (held_size ? held_size : INLINE_HELD) && !grow()) {
		rt_count(WIRE_LOST_LOCKS);
		return true;
	}
	list()[held_count++] = (struct held){ lock, 1 };
	return true;
}

bool native_depth_leave(const void *lock)
{
	struct held *held = find(lock);

	if (!held)
		return true;
	if (--held->depth)
		return false;
	*held = list()[--held_count];
	return true;
}

bool native_depth_any(const void *lock)
{
	return find(lock) != NULL;
}
