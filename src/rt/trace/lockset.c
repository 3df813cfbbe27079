/*
 * lockset - what the inline half in trace.h leaves: locks given back out of order, nesting
 * beyond the array, locks we did not see taken.
 *
 * A hole in the middle is closed by moving entries down; a handler must not see that half
 * done, so it is done inside (I1).
 */
#include "rt/trace/trace.h"

void trace_acquire_lost(struct trace_thread *self)
{
	self->locks_lost++;
	trace_count(TRACE_LOST_LOCKS);
}

static bool remove_held(struct trace_thread *self, uintptr_t lock)
{
	uint32_t i = self->lock_count;

	while (i && self->held[i - 1].lock != lock)
		i--;
	if (!i)
		return false;
	for (; i < self->lock_count; i++)
		self->held[i - 1] = self->held[i];
	self->lock_count--;
	return true;
}

/* Taken by another thread, or before we came: said in the log, so that a reader can doubt what was before. */
static void stray(struct trace_thread *self, const void *lock)
{
	struct trace_r_object *record = trace_record(self, TRACE_R_STRAY, sizeof(*record), trace_order());

	if (record) {
		record->object = (uintptr_t)lock;
		trace_commit(self, record);
	}
}

void trace_release_slow(struct trace_thread *self, const void *lock, enum lock_mode mode)
{
	bool entered = trace_enter(self);

	if (!remove_held(self, (uintptr_t)lock)) {
		if (self->locks_lost)
			self->locks_lost--;
		else if (entered && trace_header)
			stray(self, lock);
	}
	if (entered)
		trace_leave(self);
}
