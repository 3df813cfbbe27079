/*
 * tell - what the traps saw becomes candidates.
 *
 * Side a is the instruction that had the int3. Side b is known by the address after it: the memory
 * instruction of the tables that ends there. If there is none (libc, a call through memory, a return)
 * nothing is told, only counted. Pairs of two atomics are left out: by their lock prefix, or by what
 * the source line and the debug information say of moves (find/plain/atomic.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "find/plain/plain.h"
#include "find/trap/internal.h"
#include "race/fingerprint.h"

/* What has been told already, and how high it stands. */
struct told {
	char id[CANDIDATE_ID_SIZE];
	enum rung rung;
};

struct seen {
	struct loaded *module;
	const struct trap_site *site;
	struct place place;
};

static const struct trap_table *table_of(const struct teller *t, const struct loaded *m)
{
	return &t->tables->plan->tables[m->table];
}

static void build_id_text(const struct trap_table *table, char out[BUILD_ID_HEX_MAX])
{
	static const char digits[] = "0123456789abcdef";

	for (uint32_t i = 0; i < table->build_id_size && i < 20; i++) {
		out[2 * i] = digits[table->build_id[i] >> 4];
		out[2 * i + 1] = digits[table->build_id[i] & 15];
	}
	out[2 * (table->build_id_size < 20 ? table->build_id_size : 20)] = 0;
}

static struct place place_in(struct teller *t, struct arena *arena, const struct loaded *m, uint64_t address)
{
	char build_id[BUILD_ID_HEX_MAX];

	build_id_text(table_of(t, m), build_id);
	return (struct place){ arena_strdup(arena, build_id), arena_strdup(arena, table_of(t, m)->path), address - m->base };
}

/* The site at the address, or, with ends, the one that ends there. */
static bool find_site(struct teller *t, struct arena *arena, struct traced *process, uint64_t address, bool ends,
		      struct seen *out)
{
	struct loaded *m = traced_module(process, t->tables, address);
	const struct trap_site *sites = m ? table_sites(t->tables, m->table) : NULL;
	uint32_t low = 0, high = m ? table_of(t, m)->count : 0;
	uint64_t offset = m ? address - m->base : 0;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (sites[mid].offset + (ends ? sites[mid].length : 0u) < offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (!m || low >= table_of(t, m)->count || sites[low].offset + (ends ? sites[low].length : 0u) != offset)
		return false;
	*out = (struct seen){ m, &sites[low], place_in(t, arena, m, m->base + sites[low].offset) };
	return true;
}

/* ---- one side ------------------------------------------------------------------------------------------ */

static const char *lock_name(struct teller *t, struct arena *arena, struct traced *process, uint64_t lock)
{
	struct loaded *m = traced_module(process, t->tables, lock);
	struct place place;
	const char *name;

	for (size_t i = 0; !m && i < process->modules.count; i++) { /* data lies behind the text */
		struct loaded *other = process->modules.items[i];

		if (lock >= other->base && lock - other->base < 64u << 20)
			m = other;
	}
	if (m) {
		place = place_in(t, arena, m, lock);
		name = sym_variable(t->sym, arena, &place);
		if (name)
			return name;
	}
	return arena_printf(arena, "lock at 0x%llx", (unsigned long long)lock);
}

static void tell_locks(struct teller *t, struct arena *arena, struct traced *process, const struct trap_side *side,
		       struct access *to)
{
	uint32_t count = side->lock_count < TRAP_LOCKS ? side->lock_count : TRAP_LOCKS;
	struct held_lock *held = ARENA_ARRAY(arena, struct held_lock, count + 1);

	for (uint32_t i = 0; i < count; i++) {
		held[i].name = lock_name(t, arena, process, side->locks[i] & ~TRACE_LOCK_SHARED);
		held[i].mode = side->locks[i] & TRACE_LOCK_SHARED ? LOCK_READ : LOCK_WRITE;
	}
	to->locks = held;
	to->lock_count = count;
}

static void add_frames(struct frame *to, size_t *count, size_t most, const struct frame *frames, size_t n)
{
	for (size_t i = 0; i < n && *count < most; i++)
		to[(*count)++] = frames[i];
}

static void tell_stack(struct teller *t, struct arena *arena, struct traced *process, const struct trap_side *side,
		       const struct place *place, struct access *to)
{
	struct frame *all = ARENA_ARRAY(arena, struct frame, 64), *frames;
	size_t count = 0, n = sym_frames(t->sym, arena, place, &frames, NULL);

	add_frames(all, &count, 64, frames, n);
	for (uint32_t i = 0; i < side->stack_count && i < TRAP_STACK; i++) {
		struct loaded *m = traced_module(process, t->tables, side->stack[i]);
		struct place caller;

		if (!m)
			continue;
		caller = place_in(t, arena, m, side->stack[i] - 1);
		n = sym_frames(t->sym, arena, &caller, &frames, NULL);
		add_frames(all, &count, 64, frames, n);
	}
	to->stack = all;
	to->stack_count = count;
}

static void tell_side(struct teller *t, struct arena *arena, struct traced *process, const struct trap_side *side,
		      const struct seen *seen, struct access *to)
{
	struct place *place = ARENA_NEW(arena, struct place);
	struct frame *frames;
	int first_line = 0;
	size_t n;

	*place = seen->place;
	*to = (struct access){ .size = seen->site->size, .places = place, .place_count = 1 };
	to->flags = (seen->site->flags & TRAP_WRITE) ? ACCESS_WRITE : ACCESS_READ;
	if ((seen->site->flags & TRAP_ATOMIC) || plain_is_atomic(t->sym, arena, place))
		to->flags |= ACCESS_ATOMIC;
	n = sym_frames(t->sym, arena, place, &frames, &first_line);
	to->function = n && frames[0].function ? frames[0].function : "??";
	to->file = n && frames[0].file ? frames[0].file : "";
	to->line = n ? frames[0].line : 0;
	to->column = n ? frames[0].column : 0;
	to->ordinal = access_ordinal(to->line, first_line);
	to->thread = side->thread ? arena_printf(arena, "T%u", side->thread) : "main thread";
	tell_locks(t, arena, process, side, to);
	tell_stack(t, arena, process, side, place, to);
}

static void tell_memory(struct teller *t, struct arena *arena, struct traced *process, uint64_t address,
			struct candidate *candidate)
{
	for (size_t i = 0; i < process->modules.count; i++) {
		struct loaded *m = process->modules.items[i];
		struct place place;

		if (address < m->base || address - m->base >= 256u << 20)
			continue;
		place = place_in(t, arena, m, address);
		candidate->variable = sym_variable(t->sym, arena, &place);
		if (candidate->variable)
			return;
	}
}

/* ---- telling ---------------------------------------------------------------------------------------------- */

/* Once on each rung: the store has it, and production may run for days. */
static bool is_news(struct teller *t, const struct candidate *candidate)
{
	struct told *new;

	for (size_t i = 0; i < t->told.count; i++)
		if (!strcmp(t->told.items[i]->id, candidate->id)) {
			if (t->told.items[i]->rung >= candidate->rung)
				return false;
			t->told.items[i]->rung = candidate->rung;
			return true;
		}
	new = calloc(1, sizeof(*new));
	if (!new)
		BUG("no memory");
	memcpy(new->id, candidate->id, sizeof(new->id));
	new->rung = candidate->rung;
	VEC_PUSH(&t->told, new);
	return true;
}

static int put(struct teller *t, struct arena *arena, struct traced *process, const struct trap_find *find,
	       struct candidate *candidate)
{
	if (candidate->access[0].flags & candidate->access[1].flags & ACCESS_ATOMIC) {
		t->atomics++;
		return 0;
	}
	if (!access_is_write(candidate->access[0].flags | candidate->access[1].flags))
		return 0;
	candidate->found_by = FINDER_TRAP;
	tell_memory(t, arena, process, find->a.address, candidate);
	candidate_identify(candidate);
	return is_news(t, candidate) ? t->sink->candidate(t->sink->context, candidate) : 0;
}

/* No watchpoints: only one side is known. A statement that writes may well have met itself. */
static int tell_changed(struct teller *t, struct arena *arena, struct traced *process, const struct trap_find *find)
{
	struct candidate candidate = { .rung = RUNG_SUSPECTED };
	struct seen a;

	t->result->changed++;
	if (!find_site(t, arena, process, find->a.pc, false, &a) || !(a.site->flags & TRAP_WRITE))
		return 0;
	tell_side(t, arena, process, &find->a, &a, &candidate.access[0]);
	candidate.access[1] = candidate.access[0];
	candidate.access[1].thread = NULL;
	return put(t, arena, process, find, &candidate);
}

int tell_find(struct teller *t, const struct trap_find *find)
{
	struct traced *process = traced_of(t->processes, find->process);
	struct candidate candidate = { .rung = find->how == TRAP_BY_STALL ? RUNG_CAUGHT : RUNG_SUSPECTED };
	struct arena arena = ARENA_INIT;
	struct seen a, b;
	int result = 0;

	if (!process || process->over) {
		t->outside++;
	} else if (find->how == TRAP_BY_VALUE) {
		result = tell_changed(t, &arena, process, find);
	} else if (!find_site(t, &arena, process, find->a.pc, false, &a) ||
		   !find_site(t, &arena, process, find->b.pc, true, &b)) {
		t->outside++;
	} else {
		tell_side(t, &arena, process, &find->a, &a, &candidate.access[0]);
		tell_side(t, &arena, process, &find->b, &b, &candidate.access[1]);
		processes_favour(t->processes, find->process, find->a.pc, find->how == TRAP_BY_STALL);
		result = put(t, &arena, process, find, &candidate);
	}
	arena_free(&arena);
	return result;
}

void tell_end(struct teller *t)
{
	for (size_t i = 0; i < t->told.count; i++) {
		if (t->told.items[i]->rung >= RUNG_CAUGHT)
			t->result->caught++;
		else
			t->result->suspected++;
		free(t->told.items[i]);
	}
	VEC_FREE(&t->told);
}
