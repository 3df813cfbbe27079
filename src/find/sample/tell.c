/*
 * tell - pairs of places become candidates: lines, functions, locks, memory, in the words of
 * race/. An access is placed at the instruction itself (not at a return address), so that its
 * line, and with it the candidate's id, is the one an instrumented build has.
 *
 * Atomics compiled to plain moves look like races from here. Where debug information says that
 * the variable's type is atomic, that the access is inlined from an <atomic> header, or the
 * source line says so, the access is atomic; a pair of such is nobody's race.
 */
#include <string.h>

#include "find/sample/internal.h"
#include "race/fingerprint.h"

struct teller {
	struct process *process;
	struct sym *sym;
	const struct find_sink *sink;
	struct arena *arena;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static struct place place_in(const struct seen_module *module, uint64_t address)
{
	return (struct place){ .build_id = module->build_id, .module = module->path, .offset = address - module->base };
}

/* "f.c:12 in main" of a return address. */
static const char *where(struct teller *t, uint64_t pc, uint64_t order)
{
	struct seen_module *module = process_module(t->process, pc, order);
	struct frame *frames;
	struct place place;
	size_t n;

	if (!module)
		return "??";
	place = place_in(module, pc - 1);
	n = sym_frames(t->sym, t->arena, &place, &frames, NULL);
	if (n && frames[0].file && frames[0].line)
		return arena_printf(t->arena, "%s:%d in %s", base_name(frames[0].file), frames[0].line,
				    frames[0].function ? frames[0].function : "??");
	if (n && frames[0].function)
		return arena_printf(t->arena, "%s in %s", frames[0].function, base_name(module->path));
	return arena_printf(t->arena, "%s+0x%llx", base_name(module->path), (unsigned long long)place.offset);
}

static const char *thread_name(struct teller *t, uint32_t number)
{
	const struct seen_thread *thread = number < t->process->threads.count ? &t->process->threads.items[number] : NULL;

	if (!number)
		return "main thread";
	if (!thread || !thread->created_at)
		return arena_printf(t->arena, "T%u", number);
	return arena_printf(t->arena, "T%u, created at %s", number, where(t, thread->created_at, thread->from));
}

static const char *lock_name(struct teller *t, uint64_t lock, uint64_t order)
{
	struct seen_module *module = process_module(t->process, lock, order);
	struct place place;
	const char *name;

	if (module) {
		place = place_in(module, lock);
		name = sym_variable(t->sym, t->arena, &place);
		if (name)
			return name;
	}
	return arena_printf(t->arena, "lock at 0x%llx", (unsigned long long)lock);
}

static void tell_locks(struct teller *t, const struct seen_sample *sample, struct access *to)
{
	const uint64_t *locks = (const uint64_t *)(sample->record + 1);
	struct held_lock *held = ARENA_ARRAY(t->arena, struct held_lock, sample->record->lock_count + 1);

	for (uint32_t i = 0; i < sample->record->lock_count; i++) {
		held[i].name = lock_name(t, locks[i] & ~TRACE_LOCK_SHARED, sample->order);
		held[i].mode = locks[i] & TRACE_LOCK_SHARED ? LOCK_READ : LOCK_WRITE;
	}
	to->locks = held;
	to->lock_count = sample->record->lock_count;
}

/* ---- atomics -------------------------------------------------------------------------------------- */

static bool line_is_atomic(struct sym *sym, const char *file, int line)
{
	static const char *const words[] = {
		"atomic_", "__atomic", "__sync_", "memory_order", "READ_ONCE", "WRITE_ONCE", ".load(", ".store(", ">load(", ">store(",
	};
	const char *text = file && *file && line ? sym_source_line(sym, file, line) : NULL;

	for (size_t i = 0; text && i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

static bool file_is_atomic(const char *file)
{
	const char *name = file ? base_name(file) : "";

	return !strcmp(name, "atomic") || !strcmp(name, "atomic_base.h") || !strcmp(name, "stdatomic.h") ||
	       !strcmp(name, "atomic_wait.h");
}

static bool says_atomic(struct teller *t, const struct frame *frames, size_t count)
{
	for (size_t i = 0; i < count && i < 3; i++)
		if (file_is_atomic(frames[i].file))
			return true;
	return count && line_is_atomic(t->sym, frames[0].file, frames[0].line);
}

/* ---- the two sides ---------------------------------------------------------------------------------- */

static void tell_access(struct teller *t, const struct seen_access *from, struct access *to)
{
	const struct seen_sample *sample = &t->process->samples.items[from->sample];
	const struct seen_module *module = &t->process->modules.items[from->module];
	struct place *place = ARENA_NEW(t->arena, struct place);
	struct frame *frames;
	int first_line = 0;
	size_t n;

	*place = (struct place){ .build_id = module->build_id, .module = module->path, .offset = from->place };
	n = sym_frames(t->sym, t->arena, place, &frames, &first_line);
	*to = (struct access){ .flags = from->flags, .size = from->size, .places = place, .place_count = 1 };
	to->function = n && frames[0].function ? frames[0].function : "??";
	to->file = n && frames[0].file ? frames[0].file : "";
	to->line = n ? frames[0].line : 0;
	to->column = n ? frames[0].column : 0;
	to->ordinal = access_ordinal(to->line, first_line);
	to->thread = thread_name(t, sample->thread);
	to->stack = frames;
	to->stack_count = n;
	tell_locks(t, sample, to);
	if (says_atomic(t, frames, n))
		to->flags |= ACCESS_ATOMIC;
}

/* ---- the memory between them ---------------------------------------------------------------------------- */

struct block {
	uint64_t address, order;
	const struct trace_r_alloc *found;
};

static bool see_block(void *context, uint32_t thread, const struct trace_record *record)
{
	struct block *b = context;
	const struct trace_r_alloc *r = (const void *)record;

	if (record->type == TRACE_R_ALLOC && record->size >= sizeof(*r) && !record->aux && b->address >= r->block &&
	    b->address - r->block < r->size && record->order <= b->order && (!b->found || record->order > b->found->head.order))
		b->found = r;
	return true;
}

/* Is the variable one of the atomic types? True also drops the pair. */
static bool tell_memory(struct teller *t, const struct seen_access *access, struct candidate *candidate)
{
	uint64_t order = t->process->samples.items[access->sample].order;
	struct seen_module *module = process_module(t->process, access->address, order);
	struct block block = { access->address, order, NULL };
	struct place place;

	if (module) {
		place = place_in(module, access->address);
		candidate->variable = sym_variable(t->sym, t->arena, &place);
		candidate->memory = arena_printf(t->arena, "global of %s", base_name(module->path));
		return sym_is_atomic(t->sym, &place);
	}
	process_each(t->process, see_block, &block);
	if (block.found)
		candidate->memory = arena_printf(t->arena, "heap block of %llu bytes from %s",
						 (unsigned long long)block.found->size, where(t, block.found->pc, order));
	return false;
}

int pairs_tell(struct process *process, const seen_pairs *pairs, struct sym *sym, const struct find_sink *sink,
	       uint64_t *told)
{
	struct teller t = { process, sym, sink, process->arena };

	for (size_t i = 0; i < pairs->count; i++) {
		const struct seen_pair *pair = &pairs->items[i];
		struct candidate candidate = { .rung = RUNG_SUSPECTED, .found_by = FINDER_SAMPLE };

		tell_access(&t, &process->accesses.items[pair->a], &candidate.access[0]);
		tell_access(&t, &process->accesses.items[pair->b], &candidate.access[1]);
		if (candidate.access[0].flags & candidate.access[1].flags & ACCESS_ATOMIC)
			continue;
		if (tell_memory(&t, &process->accesses.items[pair->a], &candidate))
			continue;
		candidate_identify(&candidate);
		if (sink->candidate(sink->context, &candidate))
			return -1;
		++*told;
	}
	return 0;
}
