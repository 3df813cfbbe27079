/*
 * stack - return addresses of the calling thread, by shadow stack or frame pointers.
 *
 *   frame -> | saved frame pointer of the caller |  higher addresses: callers
 *            | return address into the caller    |
 *
 * I1  Nothing is read that does not lie between the given frame and the end of the
 *     thread's own stack; frames must rise. Code without frame pointers (libc) uses rbp
 *     for anything: then the walk ends early, it never faults.
 * I2  Only addresses in the text of a loaded module count as return addresses.
 */
#include "rt/internal.h"

/* A frame larger than this is taken for a stray value. */
#define FRAME_MAX (16ul << 20)

static unsigned from_shadow(const struct rt_thread *self, uintptr_t *out, unsigned max)
{
	uint32_t depth = self->frame_count < RT_SHADOW_STACK ? self->frame_count : RT_SHADOW_STACK;
	unsigned n = 0;

	while (n < max && depth)
		out[n++] = self->frames[--depth];
	return n;
}

static bool frame_is_valid(const struct rt_thread *self, uintptr_t frame)
{
	return frame % sizeof(uintptr_t) == 0 && frame >= self->stack_low &&
	       frame <= self->stack_high - 2 * sizeof(uintptr_t);
}

static unsigned from_frames(const struct rt_thread *self, uintptr_t pc, uintptr_t frame, uintptr_t *out, unsigned max)
{
	unsigned n = 0;

	if (!self->stack_high || !frame_is_valid(self, frame)) {
		rt_count(WIRE_LOST_STACKS);
		return 0;
	}
	while (n < max) {
		const uintptr_t *words = (const uintptr_t *)frame;
		uintptr_t caller = words[1], next = words[0];

		if (!rt_is_text(caller))
			break;
		if (!rt_is_own(caller) && (n || caller != pc))
			out[n++] = caller;
		if (next <= frame || next - frame > FRAME_MAX || !frame_is_valid(self, next))
			break;
		frame = next;
	}
	return n;
}

unsigned rt_stack_of(const struct rt_thread *thread, uintptr_t pc, const void *frame, uintptr_t *out, unsigned max)
{
	unsigned n = 0;

	if (!max)
		return 0;
	out[n++] = pc;
	if (thread->frames && thread->frame_count)
		return n + from_shadow(thread, out + n, max - n);
	return n + from_frames(thread, pc, (uintptr_t)frame, out + n, max - n);
}

unsigned rt_stack(uintptr_t pc, const void *frame, uintptr_t *out, unsigned max)
{
	return rt_stack_of(rt_self(), pc, frame, out, max);
}
