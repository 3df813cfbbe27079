/*
 * lock - what a thread holds: acquire and release move it between segments of one epoch.
 *
 * A lock gets an ordinal at its first acquisition; the object at its address remembers it
 * (sync.c), so a lock made anew at the same address is another lock. Under the rule hb a
 * release also sends and an acquire receives.
 */
#include "rt/detect/internal.h"

#define CHUNK 1024u
#define CHUNKS (1u << 16)

static struct rt_lock lock;
static struct lock_info **chunks;
static uint32_t ordinal_count = 1; /* 0 is no lock */

struct lock_info *lock_info(uint32_t ordinal)
{
	return &chunks[ordinal / CHUNK][ordinal % CHUNK];
}

static uint32_t ordinal_new(uintptr_t address, uintptr_t pc)
{
	uint32_t ordinal = 0;

	if (!chunks)
		chunks = rt_reserve(CHUNKS * sizeof(*chunks), false);
	if (chunks && ordinal_count < CHUNK * CHUNKS &&
	    (chunks[ordinal_count / CHUNK] || (chunks[ordinal_count / CHUNK] = rt_arena(CHUNK * sizeof(struct lock_info)))))
		ordinal = ordinal_count++;
	if (ordinal)
		*lock_info(ordinal) = (struct lock_info){ .address = address, .first_at = pc };
	return ordinal;
}

static uint32_t ordinal_of(struct detect_thread *t, uintptr_t address, uintptr_t pc)
{
	struct object *object = object_at(t, address, true);

	if (!object)
		return 0;
	if (likely(object->ordinal))
		return object->ordinal;
	rt_lock(&lock);
	if (!object->ordinal)
		object->ordinal = ordinal_new(address, pc);
	rt_unlock(&lock);
	if (!object->ordinal)
		rt_count(WIRE_LOST_LOCKS);
	return object->ordinal;
}

static bool held_grow(struct detect_thread *t)
{
	uint32_t size = t->held_size ? t->held_size * 2 : 16;
	struct held *held = rt_arena(size * sizeof(*held));

	if (!held) {
		rt_count(WIRE_LOST_LOCKS);
		return false;
	}
	if (t->held_count)
		rt_memcpy(held, t->held, t->held_count * sizeof(*held));
	t->held = held;
	t->held_size = size;
	return true;
}

static struct held *held_find(struct detect_thread *t, uint32_t ordinal)
{
	for (uint32_t i = t->held_count; i > 0; i--)
		if (t->held[i - 1].ordinal == ordinal)
			return &t->held[i - 1];
	return NULL;
}

/* One step between locksets, memoised: add is 1 or 0. */
static void lockset_step(struct detect_thread *t, uint32_t element, unsigned add)
{
	uint64_t key = (uint64_t)t->lockset << 34 ^ (uint64_t)element << 1 ^ add ^ 1ull << 63;
	unsigned i = (t->lockset * 31 + element * 2 + add) % STEP_CACHE;

	if (t->steps[i].key != key) {
		t->steps[i].result = add ? lockset_add(t->lockset, element) : lockset_remove(t->lockset, element);
		t->steps[i].key = key;
	}
	t->lockset = t->steps[i].result;
	segment_leave(t);
}

static void hold(struct detect_thread *t, uint32_t ordinal, enum lock_mode mode, uintptr_t pc)
{
	struct held *held = held_find(t, ordinal);

	if (held) {
		held->count++;
		if (mode != LOCK_WRITE || held->mode == LOCK_WRITE)
			return;
		lockset_step(t, ordinal << 1 | held->mode, 0);
		held->mode = mode;
	} else if (t->held_count < t->held_size || held_grow(t))
		t->held[t->held_count++] = (struct held){ ordinal, mode, 1, pc };
	else
		return;
	lockset_step(t, ordinal << 1 | mode, 1);
}

static void let_go(struct detect_thread *t, struct held *held)
{
	uint32_t element = held->ordinal << 1 | held->mode;

	if (--held->count)
		return;
	t->held_count--;
	for (uint32_t i = (uint32_t)(held - t->held); i < t->held_count; i++)
		t->held[i] = t->held[i + 1];
	lockset_step(t, element, 0);
}

void rt_on_acquire(const void *address, enum lock_mode mode, uintptr_t pc)
{
	struct detect_thread *t = detect_self();
	uint32_t ordinal;

	if (!t || detect_off || !(ordinal = ordinal_of(t, (uintptr_t)address, pc)))
		return;
	if (detect_hb)
		object_receive(t, (uintptr_t)address);
	hold(t, ordinal, mode, pc);
	lock_info(ordinal)->last_at = pc;
	lock_info(ordinal)->last_thread = t->id;
	sample_sync(t);
}

void rt_on_release(const void *address, enum lock_mode mode, uintptr_t pc)
{
	struct detect_thread *t = detect_self();
	struct object *object;
	struct held *held;

	(void)mode, (void)pc;
	if (!t || detect_off || !(object = object_at(t, (uintptr_t)address, false)))
		return;
	held = object->ordinal ? held_find(t, object->ordinal) : NULL;
	if (held)
		let_go(t, held);
	if (detect_hb)
		object_send(t, (uintptr_t)address);
	sample_sync(t);
}

void rt_on_want(const void *address, enum lock_mode mode, uintptr_t pc)
{
	struct detect_thread *t = detect_self();
	uint32_t ordinal;

	if (!t || detect_off || !t->held_count || !(ordinal = ordinal_of(t, (uintptr_t)address, pc)))
		return;
	if (!held_find(t, ordinal))
		order_want(t, ordinal, mode, pc, __builtin_frame_address(0));
}
