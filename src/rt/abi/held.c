/*
 * held - counts of the calling thread's own announced locks.
 *
 * A short array per thread, newest last, searched from the end: programs hold few at
 * once. Beyond HELD_MAX a lock goes uncounted (WIRE_LOST_LOCKS): every lock and unlock of it is
 * told to the engine as it comes.
 */
#include "rt/abi/held.h"

#define HELD_MAX 64

struct held {
	const void *lock;
	enum lock_mode mode;
	uint32_t count;
};

static RT_TLS struct held held[HELD_MAX];
static RT_TLS uint32_t held_count;

static struct held *find(const void *lock, enum lock_mode mode)
{
	for (uint32_t i = held_count; i--;)
		if (held[i].lock == lock && held[i].mode == mode)
			return &held[i];
	return NULL;
}

static void forget(struct held *entry)
{
	held_count--;
	for (; entry < held + held_count; entry++)
		entry[0] = entry[1];
}

int held_levels(const void *lock, enum lock_mode mode)
{
	const struct held *entry = find(lock, mode);

	return entry ? (int)entry->count : 0;
}

void held_want(const void *lock, enum lock_mode mode, uintptr_t pc)
{
	if (rt_wire && !find(lock, mode))
		TELL(rt_on_want(lock, mode, pc));
}

void held_acquired(const void *lock, enum lock_mode mode, uintptr_t pc)
{
	struct held *entry = rt_wire ? find(lock, mode) : NULL;

	if (!rt_wire)
		return;
	if (entry) {
		entry->count++;
		return;
	}
	if (held_count < HELD_MAX)
		held[held_count++] = (struct held){ lock, mode, 1 };
	else
		rt_count(WIRE_LOST_LOCKS);
	TELL(rt_on_acquire(lock, mode, pc));
}

void held_released(const void *lock, enum lock_mode mode, uintptr_t pc)
{
	struct held *entry = rt_wire ? find(lock, mode) : NULL;

	if (!rt_wire || (entry && --entry->count))
		return;
	if (entry)
		forget(entry);
	TELL(rt_on_release(lock, mode, pc));
}
