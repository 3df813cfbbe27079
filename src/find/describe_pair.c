/* describe_pair - PAIR, HIT, CYCLE and DEADLOCK records become candidates and deadlocks. */
#include <string.h>

#include "find/describe.h"
#include "race/fingerprint.h"

static const struct held_lock *describe_locks(struct describe *d, const struct wire_lock *locks, size_t count)
{
	struct held_lock *held = ARENA_ARRAY(d->arena, struct held_lock, count + 1);

	for (size_t i = 0; i < count; i++) {
		held[i].name = describe_lock_name(d, &locks[i]);
		held[i].mode = locks[i].mode == LOCK_READ ? LOCK_READ : LOCK_WRITE;
	}
	return held;
}

/* Large numbers are addresses, mostly: those are read in hex. */
static const char *value_text(struct arena *arena, const struct wire_access *access, uint64_t value)
{
	if (access->size < 8)
		value &= (1ull << (access->size * 8)) - 1;
	return arena_printf(arena, value >> 32 ? "0x%llx" : "%llu", (unsigned long long)value);
}

const char *describe_value(struct arena *arena, const struct wire_access *access)
{
	uint64_t before = access->value_state & WIRE_VALUE_WENT ? access->went : access->value;

	if (!access->value_state || !access->size || access->size > sizeof(before))
		return NULL;
	if (!access_is_write(access->flags) || !(access->value_state & WIRE_VALUE_LEFT))
		return value_text(arena, access, before);
	return arena_printf(arena, "%s -> %s", value_text(arena, access, before), value_text(arena, access, access->left));
}

/* The place of the access itself, inlined frames resolved: innermost function and line. */
static void locate(struct describe *d, const struct wire_access *from, struct access *to)
{
	struct place *place = ARENA_NEW(d->arena, struct place);
	const struct frame *frames;
	int first_line;
	size_t count;

	*place = describe_place(d, from->pc, 1);
	to->places = place;
	to->place_count = 1;
	count = describe_frames(d, from->pc, &frames, &first_line);
	to->function = count && frames[0].function ? frames[0].function : "??";
	to->file = count && frames[0].file ? frames[0].file : "";
	to->line = count ? frames[0].line : 0;
	to->column = count ? frames[0].column : 0;
	to->ordinal = access_ordinal(to->line, first_line);
}

static void describe_access(struct describe *d, const struct wire_access_view *view, struct access *to)
{
	const struct wire_access *from = view->access;
	struct frame *frames;

	*to = (struct access){ .flags = from->flags, .size = from->size };
	locate(d, from, to);
	to->thread = describe_thread_name(d, from->thread);
	to->value = describe_value(d->arena, from);
	to->locks = describe_locks(d, view->locks, from->lock_count);
	to->lock_count = from->lock_count;
	if (from->stack_count)
		to->stack_count = describe_stack(d, view->stack, from->stack_count, &frames);
	else
		to->stack_count = describe_stack(d, &from->pc, 1, &frames);
	to->stack = frames;
}

static void describe_memory(struct describe *d, const struct wire_pair_view *view, struct candidate *candidate)
{
	const struct wire_ev_pair *pair = view->pair;
	struct place place;
	bool global = pair->memory == WIRE_MEM_GLOBAL && pair->memory_pc.module != WIRE_NO_MODULE;

	if (global)
		place = describe_place(d, pair->memory_pc, 0);
	else if (pair->memory == WIRE_MEM_UNKNOWN)
		global = describe_address(d, view->access[0].access->address, &place);
	if (global) {
		const char *slash = strrchr(place.module, '/');

		candidate->variable = sym_variable(d->sym, d->arena, &place);
		candidate->memory = arena_printf(d->arena, "global of %s", slash ? slash + 1 : place.module);
	} else if (pair->memory == WIRE_MEM_HEAP && pair->memory_size) {
		candidate->memory = arena_printf(d->arena, "heap block of %llu bytes from %s",
						 (unsigned long long)pair->memory_size,
						 describe_where(d, pair->memory_pc));
	} else if (pair->memory == WIRE_MEM_HEAP) {
		candidate->memory = "heap";
	} else if (pair->memory == WIRE_MEM_STACK) {
		candidate->memory = arena_printf(d->arena, "stack of %s",
						 describe_thread_name(d, pair->memory_thread));
	}
}

bool describe_hit(struct describe *d, const struct wire_record *record, struct candidate *candidate, bool *swapped)
{
	struct wire_pair_view view;
	const struct place *first;

	*candidate = (struct candidate){ .rung = RUNG_SUSPECTED };
	if (!wire_view_pair(record, &view))
		return false;
	for (int i = 0; i < 2; i++)
		describe_access(d, &view.access[i], &candidate->access[i]);
	describe_memory(d, &view, candidate);
	first = candidate->access[0].places;
	candidate_identify(candidate);
	*swapped = candidate->access[0].places != first;
	return true;
}

bool describe_pair(struct describe *d, const struct wire_record *record, struct candidate *candidate)
{
	bool swapped;

	return describe_hit(d, record, candidate, &swapped);
}

/* Which of the locks thread i holds is another one of the cycle waiting for? The last taken if unclear. */
static const struct wire_lock *lock_in_cycle(const struct wire_wait_view *waits, size_t count, size_t i)
{
	const struct wire_wait_view *own = &waits[i];
	uint32_t held = own->wait->lock_count;

	for (size_t step = 1; step < count; step++) {
		uint32_t wanted = waits[(i + count - step) % count].wait->wants_id;

		for (uint32_t l = 0; l < held; l++)
			if (own->locks[l].id == wanted)
				return &own->locks[l];
	}
	return held ? &own->locks[held - 1] : NULL;
}

static void describe_edge(struct describe *d, const struct wire_wait_view *waits, size_t count, size_t i,
			  struct deadlock_edge *edge)
{
	const struct wire_lock *held = lock_in_cycle(waits, count, i);
	struct frame *frames = NULL;

	edge->waits_for = describe_wanted_name(d, waits[i].wait);
	edge->holds = held ? describe_lock_name(d, held) : "nothing";
	edge->held_at = held ? describe_place(d, held->taken_at, 1) : (struct place){ "", "", 0 };
	edge->wait_at = (struct place){ "", "", 0 };
	if (waits[i].wait->stack_count)
		edge->wait_at = describe_place(d, waits[i].stack[0], 1);
	edge->stack_count = describe_stack(d, waits[i].stack, waits[i].wait->stack_count, &frames);
	edge->stack = frames;
}

bool describe_deadlock(struct describe *d, const struct wire_record *record, struct deadlock *deadlock)
{
	struct wire_wait_view *waits;
	struct deadlock_edge *edges;
	size_t count;

	*deadlock = (struct deadlock){ .rung = RUNG_SUSPECTED };
	if (!wire_view_deadlock(record, d->arena, &waits, &count) || !count)
		return false;
	edges = ARENA_ARRAY(d->arena, struct deadlock_edge, count);
	for (size_t i = 0; i < count; i++)
		describe_edge(d, waits, count, i, &edges[i]);
	deadlock->edge_count = count;
	deadlock_identify(deadlock, edges);
	return true;
}
