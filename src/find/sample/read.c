/*
 * read - the first walk over the records of a process: what was loaded where and when, which
 * threads lived, where records are missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "find/sample/internal.h"

void process_each(const struct process *process, record_visit *visit, void *context)
{
	for (size_t i = process->chunk_low; i < process->chunk_high; i++) {
		const struct trace_chunk *chunk = process->log->chunks.items[i];
		const struct trace_record *record;
		size_t at = 0;

		while ((record = tracer_next(chunk, &at)))
			if (!visit(context, chunk->thread, record))
				return;
	}
}

/* ---- modules -------------------------------------------------------------------------------- */

/*
 * Their data is guarded by locks and atomics of their own, which nobody sees from outside: libc, the
 * loader, allocators, and us.
 */
static bool is_left_out(const char *path)
{
	static const char *const names[] = {
		"libc.so", "libc-2", "ld-linux", "ld-2", "libpthread", "libdeadheat_", "libjemalloc", "libtcmalloc",
		"libmimalloc", "linux-vdso", "libasan", "libtsan",
	};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static void build_id_hex(const struct trace_r_module *record, char out[BUILD_ID_HEX_MAX])
{
	size_t size = record->build_id_size > sizeof(record->build_id) ? sizeof(record->build_id) : record->build_id_size;

	out[0] = 0;
	for (size_t i = 0; i < size; i++)
		snprintf(out + 2 * i, 3, "%02x", record->build_id[i]);
}

static void module_gone(struct process *p, const struct trace_r_module *record)
{
	for (size_t i = 0; i < p->modules.count; i++)
		if (p->modules.items[i].base == record->base && p->modules.items[i].low == record->low &&
		    p->modules.items[i].to == UINT64_MAX)
			p->modules.items[i].to = record->head.order;
}

/* It may run before it is announced (dlopen): it is there since what was there before has gone. */
static uint64_t free_since(const struct process *p, const struct seen_module *m)
{
	uint64_t since = 0;

	for (size_t i = 0; i < p->modules.count; i++) {
		const struct seen_module *other = &p->modules.items[i];

		if (other->low < m->high && m->low < other->high && other->to != UINT64_MAX && other->to > since)
			since = other->to;
	}
	return since;
}

static void read_module(struct process *p, const struct trace_r_module *record)
{
	size_t room = record->head.size - sizeof(*record);
	struct seen_module m = { record->base, record->low, record->high, record->head.order, UINT64_MAX, "", "", NULL, false, 0 };

	if (record->head.aux) {
		module_gone(p, record);
		return;
	}
	m.path = arena_printf(p->arena, "%.*s", (int)strnlen((const char *)(record + 1), room), (const char *)(record + 1));
	build_id_hex(record, m.build_id);
	m.left_out = is_left_out(m.path);
	m.from = free_since(p, &m);
	if (!m.left_out)
		m.code = code_open(m.path, record->build_id, record->build_id_size);
	VEC_PUSH(&p->modules, m);
}

struct seen_module *process_module(struct process *p, uint64_t address, uint64_t order)
{
	for (size_t i = p->modules.count; i-- > 0;) {
		struct seen_module *m = &p->modules.items[i];

		if (address >= m->low && address < m->high && order >= m->from && order <= m->to)
			return m;
	}
	return NULL;
}

/* ---- threads ---------------------------------------------------------------------------------- */

static struct seen_thread *thread_at(struct process *p, uint32_t number)
{
	if (number >= MOST_THREADS)
		return NULL;
	while (p->threads.count <= number)
		VEC_PUSH(&p->threads, (struct seen_thread){ .parent = UINT32_MAX, .to = UINT64_MAX });
	return &p->threads.items[number];
}

static void read_thread(struct process *p, uint32_t number, const struct trace_r_thread *record)
{
	struct seen_thread *t = thread_at(p, number);

	if (!t)
		return;
	t->known = true;
	t->parent = record->head.aux;
	t->created_at = record->created_at;
	t->stack_low = record->stack_low;
	t->stack_high = record->stack_high;
	t->from = record->head.order;
}

/* ---- the walk ------------------------------------------------------------------------------------ */

static bool visit(void *context, uint32_t thread, const struct trace_record *record)
{
	struct process *p = context;
	struct seen_thread *t = thread_at(p, thread);

	switch (record->type) {
	case TRACE_R_MODULE:
		if (record->size > sizeof(struct trace_r_module))
			read_module(p, (const void *)record);
		break;
	case TRACE_R_THREAD:
		if (record->size >= sizeof(struct trace_r_thread))
			read_thread(p, thread, (const void *)record);
		break;
	case TRACE_R_END:
		if (t)
			t->to = record->order;
		break;
	case TRACE_R_STRAY: /* held since before we came */
		if (t && p->log->run.attached && record->order > t->trusted)
			t->trusted = record->order;
		break;
	case TRACE_R_NOTE:
		VEC_PUSH(&p->notes, arena_printf(p->arena, "%.*s",
						 (int)strnlen((const char *)(record + 1), record->size - sizeof(*record)),
						 (const char *)(record + 1)));
		break;
	case TRACE_R_BENIGN:
		if (record->size >= sizeof(struct trace_r_alloc)) {
			const struct trace_r_alloc *r = (const void *)record;

			VEC_PUSH(&p->benign, (struct range){ r->block, r->block + r->size });
		}
		break;
	default:
		break;
	}
	return true;
}

/* Between the last record before a loss and the first after it. */
static void read_gaps(struct process *p)
{
	uint64_t last = 0, lost = 0;
	uint32_t thread = UINT32_MAX;

	for (size_t i = p->chunk_low; i < p->chunk_high; i++) {
		const struct trace_chunk *chunk = p->log->chunks.items[i];
		const struct trace_record *record;
		size_t at = 0;
		bool first = true;

		if (chunk->thread != thread) {
			thread = chunk->thread;
			last = lost = 0;
		}
		while ((record = tracer_next(chunk, &at))) {
			if (first && chunk->lost != lost)
				VEC_PUSH(&p->gaps, (struct gap){ last, record->order });
			first = false;
			if (record->order > last)
				last = record->order;
		}
		lost = chunk->lost;
	}
}

void process_read(struct process *process)
{
	process_each(process, visit, process);
	read_gaps(process);
}

void process_free(struct process *p)
{
	for (size_t i = 0; i < p->modules.count; i++)
		code_close(p->modules.items[i].code);
	for (size_t i = 0; i < p->samples.count; i++)
		clock_drop(p->samples.items[i].heard);
	VEC_FREE(&p->modules);
	VEC_FREE(&p->threads);
	VEC_FREE(&p->samples);
	VEC_FREE(&p->accesses);
	VEC_FREE(&p->gaps);
	VEC_FREE(&p->benign);
	VEC_FREE(&p->notes);
}
