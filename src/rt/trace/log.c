/*
 * log - records of a thread into its chunk of the shared mapping (wire/trace.h).
 *
 * No lock: a chunk has one owner. A free one is looked for from a shared cursor, a bounded
 * number of steps: a full pool means the host is behind, and waiting for it would make the
 * program wait.
 */
#include "rt/trace/trace.h"

#define LOOK 256 /* of a pool of thousands: not finding one there means that nearly all are taken */

uint64_t trace_order(void)
{
	return __atomic_add_fetch(&trace_header->order, 1, __ATOMIC_SEQ_CST);
}

void trace_count_add(enum trace_counter counter, uint64_t n)
{
	if (trace_header)
		__atomic_fetch_add(&trace_header->counters[counter], n, __ATOMIC_RELAXED);
}

static uint32_t *state_of(uint32_t index)
{
	return (uint32_t *)((char *)trace_header + trace_header->states_offset) + index;
}

static bool chunk_take(struct trace_thread *self)
{
	uint32_t count = trace_header->chunk_count;

	for (unsigned i = 0; i < LOOK; i++) {
		uint32_t index = __atomic_fetch_add(&trace_header->chunk_cursor, 1, __ATOMIC_RELAXED) % count;
		uint32_t none = TRACE_FREE;
		struct trace_chunk *chunk;

		if (__atomic_load_n(state_of(index), __ATOMIC_RELAXED) != TRACE_FREE)
			continue;
		chunk = (void *)((char *)trace_header + trace_header->chunks_offset + (size_t)index * TRACE_CHUNK);
		if (!__atomic_compare_exchange_n(state_of(index), &none, TRACE_OWNED, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&chunk->used, 0, __ATOMIC_RELAXED);
		chunk->process = trace_process;
		chunk->thread = self->number;
		chunk->sequence = self->chunk_sequence++;
		chunk->lost = self->lost;
		self->chunk = chunk;
		self->chunk_index = index;
		return true;
	}
	return false;
}

void trace_flush(struct trace_thread *self)
{
	if (!self->chunk)
		return;
	self->chunk = NULL;
	__atomic_store_n(state_of(self->chunk_index), TRACE_FULL, __ATOMIC_RELEASE);
}

void trace_log_fork_child(struct trace_thread *self)
{
	self->chunk = NULL;
	self->chunk_sequence = 0;
	self->lost = 0;
}

void *trace_record(struct trace_thread *self, enum trace_record_type type, size_t size, uint64_t order)
{
	struct trace_record *record;

	if (!trace_wants(TRACE_SAMPLE)) /* trap looks at clocks and locksets as they are: nobody reads a log */
		return NULL;
	if (unlikely(!self->chunk || self->chunk->used + size > TRACE_CHUNK_ROOM)) {
		trace_flush(self);
		if (!chunk_take(self)) {
			self->lost++;
			trace_count(TRACE_LOST_RECORDS);
			return NULL;
		}
	}
	record = (void *)((char *)(self->chunk + 1) + self->chunk->used);
	record->type = type;
	record->size = size;
	record->aux = 0;
	record->order = order;
	return record;
}

void trace_commit(struct trace_thread *self, void *record)
{
	struct trace_record *head = record;

	__atomic_store_n(&self->chunk->used, self->chunk->used + head->size, __ATOMIC_RELEASE);
}

void trace_note(struct trace_thread *self, const char *text)
{
	size_t size = rt_strlen(text) + 1;
	size_t room = (sizeof(struct trace_record) + size + 7) & -(size_t)8;
	struct trace_record *record = trace_record(self, TRACE_R_NOTE, room, 0);

	if (!record)
		return;
	rt_memcpy(record + 1, text, size);
	trace_commit(self, record);
}

static void object_record(const void *object, enum trace_record_type type)
{
	struct trace_thread *self = trace_self();
	struct trace_r_object *record;

	trace_tick(self);
	if (!trace_enter(self))
		return;
	trace_modules_check(self);
	record = trace_wants(TRACE_SAMPLE) ? trace_record(self, type, sizeof(*record), trace_order()) : NULL;
	if (record) {
		record->object = (uintptr_t)object;
		trace_commit(self, record);
	}
	trace_leave(self);
}

void trace_send(const void *object)
{
	object_record(object, TRACE_R_SEND);
}

void trace_receive(const void *object)
{
	object_record(object, TRACE_R_RECEIVE);
}

void trace_destroy(const void *object)
{
	object_record(object, TRACE_R_DESTROY);
}
