/*
 * notes - what a program tells of itself through include/deadheat.h: start and stop, locks and
 * allocators of its own, order, what is meant.
 */
#include "deadheat.h"
#include "rt/trace/trace.h"

static void range_record(enum trace_record_type type, const void *block, size_t size, uintptr_t pc)
{
	struct trace_thread *self = trace_self();
	struct trace_r_alloc *record;

	if (!trace_header || !trace_enter(self))
		return;
	record = trace_record(self, type, sizeof(*record), trace_order());
	if (record) {
		record->block = (uintptr_t)block;
		record->size = size;
		record->pc = pc;
		trace_commit(self, record);
	}
	trace_leave(self);
}

RT_EXPORT void deadheat_start(void)
{
	if (trace_header)
		__atomic_store_n(&trace_header->active, 1, __ATOMIC_RELAXED);
}

RT_EXPORT void deadheat_stop(void)
{
	if (trace_header)
		__atomic_store_n(&trace_header->active, 0, __ATOMIC_RELAXED);
}

RT_EXPORT void deadheat_lock_before(const void *lock, int write)
{
}

RT_EXPORT void deadheat_lock_acquired(const void *lock, int write)
{
	if (trace_header)
		trace_acquire(lock, write ? LOCK_WRITE : LOCK_READ);
}

RT_EXPORT void deadheat_lock_released(const void *lock, int write)
{
	if (trace_header)
		trace_release(lock, write ? LOCK_WRITE : LOCK_READ);
}

RT_EXPORT void deadheat_lock_destroy(const void *lock)
{
}

RT_EXPORT void deadheat_alloc(const void *block, size_t size)
{
	range_record(TRACE_R_ALLOC, block, size, RT_CALLER);
}

/* What comes there next is told when it comes. */
RT_EXPORT void deadheat_free(const void *block, size_t size)
{
}

RT_EXPORT void deadheat_send(const void *object)
{
	if (trace_header)
		trace_send(object);
}

RT_EXPORT void deadheat_receive(const void *object)
{
	if (trace_header)
		trace_receive(object);
}

RT_EXPORT void deadheat_ignore_begin(void)
{
	if (trace_header)
		trace_self()->ignoring++;
}

RT_EXPORT void deadheat_ignore_end(void)
{
	if (trace_header)
		trace_self()->ignoring--;
}

RT_EXPORT void deadheat_benign(const void *address, size_t size, const char *why)
{
	range_record(TRACE_R_BENIGN, address, size, RT_CALLER);
}
