/*
 * atomic - C11 atomics as messages: a release store or read-modify-write sends to its
 * address, an acquire load or read-modify-write receives what was sent there; relaxed ones
 * carry nothing but what fences lend them.
 *
 * Sent clocks are joined, also by stores: a store that replaced the clock would be exact,
 * but hook and operation are two steps, and two stores in one order with their hooks in the
 * other would lose an edge that the program has. Joining only keeps order that was there once.
 *
 * Fences (C11 7.17.4): a release fence keeps a copy of the clock, later relaxed stores send
 * it; a relaxed load notes its address, a later acquire fence receives from it. The last
 * RELAXED_LOADS addresses are noted: enough for every fence idiom, a polling loop notes one.
 */
#include "rt/detect/internal.h"

static bool releases(int order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool acquires(int order)
{
	return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL ||
	       order == __ATOMIC_SEQ_CST;
}

static void touch(struct detect_thread *t, const void *address, size_t size, unsigned flags, uintptr_t pc,
		  const void *frame)
{
	struct touch x = { .t = t, .address = (uintptr_t)address, .size = size, .flags = flags | ACCESS_ATOMIC,
			   .pc = pc, .frame = frame, .record = true };

	x.site = site_of(pc, x.flags, size);
	if (x.site)
		record_touch(&x);
}

void rt_on_atomic(const void *address, size_t size, unsigned flags, int order, uintptr_t pc)
{
	struct detect_thread *t = detect_self();

	if (!t || detect_off)
		return;
	if (!t->ignore)
		touch(t, address, size, flags, pc, __builtin_frame_address(0));
	if (!(flags & ACCESS_WRITE))
		return;
	if (releases(order))
		object_send(t, (uintptr_t)address);
	else if (t->fenced)
		object_send_clock(t, (uintptr_t)address, &t->fence);
	sample_sync(t);
}

static void note_relaxed(struct detect_thread *t, uintptr_t address)
{
	for (uint32_t i = 0; i < RELAXED_LOADS; i++)
		if (t->relaxed[i] == address)
			return;
	t->relaxed[t->relaxed_count++ % RELAXED_LOADS] = address;
}

void rt_on_atomic_done(const void *address, unsigned flags, int order)
{
	struct detect_thread *t = detect_self();

	(void)flags;
	if (!t || detect_off)
		return;
	if (acquires(order))
		object_receive(t, (uintptr_t)address);
	else
		note_relaxed(t, (uintptr_t)address);
}

void rt_on_fence(int order)
{
	struct detect_thread *t = detect_self();

	if (!t || detect_off)
		return;
	for (uint32_t i = 0; acquires(order) && i < RELAXED_LOADS; i++) {
		if (t->relaxed[i])
			object_receive(t, t->relaxed[i]);
		t->relaxed[i] = 0;
	}
	if (releases(order)) {
		segment_advance(t);
		clock_join(&t->fence, &t->vc);
		t->fenced = true;
	}
	sample_sync(t);
}
