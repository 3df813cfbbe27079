/*
 * meeting - who met: the pair of statements behind a HIT record, the cycle behind a
 * DEADLOCK record, each symbolised once however many trials show it again.
 *
 * A pair met that is not the one aimed at (a third access in the same set of sites) is a
 * confirmed race of its own: both threads stood there. So hits are attributed by what
 * the two sites are, never by what was planned.
 */
#include <string.h>

#include "confirm/internal.h"
#include "find/describe.h"

static uint64_t hash_bytes(uint64_t h, const void *data, size_t size)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < size; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h;
}

static const struct wire_ev_module *module_at(const struct server *server, uint32_t index)
{
	struct wire_cursor at = { 0 };
	const struct wire_record *record;
	uint32_t seen = 0;

	while ((record = wire_next(&server->wire, &at)))
		if (record->type == WIRE_EV_MODULE && record->size >= sizeof(struct wire_ev_module) &&
		    seen++ == index)
			return (const void *)record;
	return NULL;
}

/* Independent of load addresses and of the order of modules. */
static uint64_t place_key(const struct server *server, struct wire_pc pc)
{
	const struct wire_ev_module *module = module_at(server, pc.module);
	uint64_t h = hash_bytes(SCHEDULE_HASH_START, &pc.offset, sizeof(pc.offset));

	if (!module)
		return h;
	if (*module->build_id)
		return hash_bytes(h, module->build_id, strnlen(module->build_id, sizeof(module->build_id)));
	return hash_bytes(h, wire_module_path(module), strlen(wire_module_path(module)));
}

static void learn(struct describe *describe, const struct server *server)
{
	struct wire_cursor at = { 0 };
	const struct wire_record *record;

	while ((record = wire_next(&server->wire, &at)))
		describe_learn(describe, record);
}

static const struct meeting *find(const struct meetings *meetings, const uint64_t key[2])
{
	for (size_t i = 0; i < meetings->known.count; i++) {
		const struct meeting *m = meetings->known.items[i];

		if (m->key[0] == key[0] && m->key[1] == key[1])
			return m;
	}
	return NULL;
}

static const struct meeting *describe_new(struct meetings *meetings, struct sym *sym, const struct server *server,
					  const struct wire_record *record, const uint64_t key[2])
{
	struct meeting *meeting = ARENA_NEW(&meetings->arena, struct meeting);
	struct wire_pair_view view;
	struct describe describe;
	bool good;

	describe_begin(&describe, sym, &meetings->arena);
	learn(&describe, server);
	good = describe_hit(&describe, record, &meeting->candidate, &meeting->swapped);
	describe_end(&describe);
	if (!good)
		return NULL;
	meeting->key[0] = key[0];
	meeting->key[1] = key[1];
	if (wire_view_pair(record, &view))
		for (int i = 0; i < 2; i++)
			meeting->thread[i] = view.access[i ^ meeting->swapped].access->thread;
	meeting->candidate.rung = RUNG_CONFIRMED;
	VEC_PUSH(&meetings->known, meeting);
	return meeting;
}

const struct meeting *meeting_of(struct meetings *meetings, struct sym *sym, const struct server *server,
				 const struct wire_record *record)
{
	struct wire_pair_view view;
	const struct meeting *known;
	uint64_t key[2];

	if (!wire_view_pair(record, &view))
		return NULL;
	for (int i = 0; i < 2; i++) {
		key[i] = place_key(server, view.access[i].access->pc);
		key[i] = hash_bytes(key[i], &view.access[i].access->flags, sizeof(view.access[i].access->flags));
	}
	known = find(meetings, key);
	return known ? known : describe_new(meetings, sym, server, record, key);
}

const char *meeting_thread(const struct meetings *meetings, struct arena *arena, uint32_t thread)
{
	for (size_t i = 0; i < meetings->known.count; i++) {
		const struct meeting *m = meetings->known.items[i];

		for (int side = 0; side < 2; side++)
			if (m->thread[side] == thread && m->candidate.access[side].thread)
				return m->candidate.access[side].thread;
	}
	return thread ? arena_printf(arena, "T%u", thread) : "main thread";
}

/* ---- deadlocks ------------------------------------------------------------------------- */

static int wait_of(const struct wire_wait_view *waits, size_t count, uint32_t thread)
{
	for (size_t i = 0; i < count; i++)
		if (waits[i].wait->thread == thread)
			return (int)i;
	return -1;
}

/* Follow who waits for whom; marks the waits on a cycle and returns how many, 0 if there is none. */
static size_t mark_cycle(const struct wire_wait_view *waits, size_t count, bool *on_cycle)
{
	for (size_t start = 0; start < count; start++) {
		int at = (int)start;
		size_t length = 0;

		memset(on_cycle, 0, count * sizeof(*on_cycle));
		while (at >= 0 && !on_cycle[at]) {
			on_cycle[at] = true;
			length++;
			at = wait_of(waits, count, waits[at].wait->owner);
		}
		if (at == (int)start)
			return length;
	}
	return 0;
}

static size_t wait_bytes(const struct wire_wait_view *view)
{
	return sizeof(*view->wait) + view->wait->lock_count * sizeof(*view->locks) +
	       view->wait->stack_count * sizeof(*view->stack);
}

/* The same record with only those who wait for each other, in the order of waiting. */
static const struct wire_record *cut_to_cycle(struct arena *arena, const struct wire_record *record)
{
	struct wire_wait_view *waits;
	struct wire_ev_deadlock head = { .head.type = record->type };
	struct strbuf bytes = STRBUF_INIT;
	const struct wire_record *result;
	size_t count, length;
	bool *on_cycle;
	int at = -1;

	if (!wire_view_deadlock(record, arena, &waits, &count) || !count)
		return record;
	on_cycle = ARENA_ARRAY(arena, bool, count);
	length = mark_cycle(waits, count, on_cycle);
	if (!length)
		return record;
	strbuf_add(&bytes, &head, sizeof(head));
	for (size_t i = 0; i < count && at < 0; i++)
		at = on_cycle[i] ? (int)i : -1;
	for (size_t i = 0; i < length; i++) {
		strbuf_add(&bytes, waits[at].wait, wait_bytes(&waits[at]));
		at = wait_of(waits, count, waits[at].wait->owner);
	}
	head.wait_count = (uint32_t)length;
	head.head.size = (uint32_t)bytes.len;
	memcpy(bytes.buf, &head, sizeof(head));
	result = arena_copy(arena, bytes.buf, bytes.len);
	strbuf_release(&bytes);
	return result;
}

static uint64_t deadlock_key(struct arena *arena, const struct server *server, const struct wire_record *record)
{
	struct wire_wait_view *waits;
	uint64_t h = SCHEDULE_HASH_START;
	size_t count;

	if (!wire_view_deadlock(record, arena, &waits, &count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t place = waits[i].wait->stack_count ? place_key(server, waits[i].stack[0]) : 0;

		h = hash_bytes(h, &place, sizeof(place));
		h = hash_bytes(h, &waits[i].wait->wants_id, sizeof(waits[i].wait->wants_id));
	}
	return h;
}

static const struct deadlock *describe_cycle(struct meetings *meetings, struct sym *sym, const struct server *server,
					     const struct wire_record *record, uint64_t key)
{
	struct known_deadlock *new = ARENA_NEW(&meetings->arena, struct known_deadlock);
	struct describe describe;
	bool good;

	describe_begin(&describe, sym, &meetings->arena);
	learn(&describe, server);
	good = describe_deadlock(&describe, record, &new->deadlock);
	describe_end(&describe);
	if (!good)
		return NULL;
	new->key = key;
	new->deadlock.rung = RUNG_HARMFUL;
	VEC_PUSH(&meetings->deadlocks, new);
	return &new->deadlock;
}

const struct deadlock *meeting_deadlock(struct meetings *meetings, struct sym *sym,
					const struct server *server, const struct wire_record *record)
{
	struct arena scratch = ARENA_INIT;
	const struct wire_record *cycle = cut_to_cycle(&scratch, record);
	const struct deadlock *found = NULL;
	uint64_t key = deadlock_key(&scratch, server, cycle);

	for (size_t i = 0; i < meetings->deadlocks.count && !found; i++)
		if (meetings->deadlocks.items[i]->key == key)
			found = &meetings->deadlocks.items[i]->deadlock;
	if (!found)
		found = describe_cycle(meetings, sym, server, cycle, key);
	arena_free(&scratch);
	return found;
}

void meetings_free(struct meetings *meetings)
{
	VEC_FREE(&meetings->known);
	VEC_FREE(&meetings->deadlocks);
	arena_free(&meetings->arena);
}
