/* Records of invented runs become findings: united by id, handed over once, nothing lost silently. */
#include "unit.h"

#include "find/detect/internal.h"

/* What the sink saw. */
static struct {
	unsigned candidates, deadlocks, notes;
	struct candidate last;
	struct deadlock last_deadlock;
	char text[64];
	uint64_t unreadable, lost_stacks;
} seen;

static int on_candidate(void *context, const struct candidate *candidate)
{
	seen.candidates++;
	seen.last = *candidate;
	return 0;
}

static int on_deadlock(void *context, const struct deadlock *deadlock)
{
	seen.deadlocks++;
	seen.last_deadlock = *deadlock;
	return 0;
}

static void on_counter(void *context, const char *name, uint64_t value)
{
	if (!strcmp(name, "unreadable_records"))
		seen.unreadable = value;
	if (!strcmp(name, "lost_stacks"))
		seen.lost_stacks = value;
}

static void on_note(void *context, const char *line)
{
	seen.notes++;
	snprintf(seen.text, sizeof(seen.text), "%s", line);
}

static const struct find_sink sink = { on_candidate, on_deadlock, on_counter, on_note, NULL };
static struct wire_host wire;
static struct arena arena;
static struct drain drain;
static struct sym *sym;

static int set_up(void **state)
{
	memset(&seen, 0, sizeof(seen));
	sym = sym_open();
	drain = (struct drain){ .sink = &sink, .arena = &arena };
	return wire_open(&wire, WIRE_RT_DETECT, &(struct wire_sizes){ .log = 65536 });
}

static int tear_down(void **state)
{
	wire_close(&wire);
	sym_close(sym);
	arena_free(&arena);
	return 0;
}

static void *append(size_t size, uint32_t type)
{
	uint64_t at = wire.header->log_reserved;
	struct wire_record *record = (void *)((char *)wire.header + wire.header->log_offset + at);

	size = (size + 7) / 8 * 8;
	wire.header->log_reserved += size;
	record->size = (uint32_t)size;
	record->type = type;
	return record;
}

static void put_module(void)
{
	static const char path[] = "/no/such/module";
	struct wire_ev_module *module = append(sizeof(*module) + sizeof(path), WIRE_EV_MODULE);

	module->base = 0x10000;
	module->end = 0x20000;
	strcpy(module->build_id, "abcd");
	module->path_size = sizeof(path);
	memcpy(module + 1, path, sizeof(path));
}

/* Two accesses at return addresses a and b, with stacks of one frame or none. */
static void put_pair(uint32_t a, uint32_t b, bool stacks)
{
	size_t size = sizeof(struct wire_ev_pair) + 2 * (sizeof(struct wire_access) + stacks * sizeof(struct wire_pc));
	struct wire_ev_pair *pair = append(size, WIRE_EV_PAIR);
	char *at = (char *)(pair + 1);
	const uint32_t offsets[2] = { a, b };

	for (int i = 0; i < 2; i++) {
		struct wire_access *access = (void *)at;

		access->pc.offset = offsets[i];
		access->size = 4;
		access->flags = i ? ACCESS_READ : ACCESS_WRITE;
		access->thread = (uint32_t)i;
		access->stack_count = stacks;
		at += sizeof(*access);
		if (stacks) {
			((struct wire_pc *)at)->offset = offsets[i];
			at += sizeof(struct wire_pc);
		}
	}
}

static void run_of(void (*records)(void))
{
	wire_reset(&wire);
	drain_begin(&drain, &wire, sym);
	put_module();
	records();
	assert_int_equal(drain_end(&drain), 0);
}

static void one_pair(void)
{
	put_pair(0x101, 0x201, false);
}

static void with_stacks(void)
{
	put_pair(0x101, 0x201, true);
}

static void turned_round(void)
{
	struct wire_cursor at = { 0 };
	struct wire_access *access;

	put_pair(0x201, 0x101, true);
	wire_next(&wire, &at);
	access = (void *)((char *)wire_next(&wire, &at) + sizeof(struct wire_ev_pair));
	access->flags = ACCESS_READ;
	access = (void *)((char *)access + sizeof(*access) + sizeof(struct wire_pc));
	access->flags = ACCESS_WRITE;
}

static void a_pair_is_news_once(void **state)
{
	run_of(one_pair);
	assert_int_equal(seen.candidates, 1);
	assert_int_equal(drain.fresh, 1);
	assert_int_equal(seen.last.found_by, FINDER_DETECT);
	assert_int_equal(seen.last.rung, RUNG_SUSPECTED);
	assert_string_equal(seen.last.access[0].places[0].module, "/no/such/module");
	run_of(one_pair);
	assert_int_equal(seen.candidates, 1);
	assert_int_equal(drain.fresh, 0);
	run_of(with_stacks); /* no new pair, but the stacks that were missing */
	assert_int_equal(seen.candidates, 2);
	assert_int_equal(drain.fresh, 0);
	run_of(turned_round); /* (b, a) is (a, b) */
	assert_int_equal(seen.candidates, 2);
	drain_finish(&drain);
	assert_int_equal(seen.lost_stacks, 0);
}

static void a_lost_stack_is_counted(void **state)
{
	run_of(one_pair);
	drain_finish(&drain);
	assert_int_equal(seen.lost_stacks, 1);
}

static void return_addresses_become_places_and_back(void **state)
{
	struct wire_plan_parts parts = { 0 };

	run_of(one_pair);
	drain_watch(&drain, &parts);
	assert_int_equal(parts.site_count, 2);
	assert_int_equal(parts.module_count, 1);
	assert_string_equal(parts.modules[0].build_id, "abcd");
	assert_int_equal(parts.sites[0].side, WIRE_SIDE_WATCH);
	assert_int_equal(parts.sites[0].offset + parts.sites[1].offset, 0x302);
	drain_finish(&drain);
}

static void torn(void)
{
	struct wire_ev_pair *pair = append(sizeof(*pair) + 8, WIRE_EV_PAIR);
	struct wire_ev_note *note = append(sizeof(*note) + 8, WIRE_EV_NOTE);

	memset(pair + 1, 0xff, 8);
	note->text_size = 6;
	memcpy(note + 1, "hello", 6);
	append(8, 999); /* of a later version */
}

static void what_cannot_be_read_is_counted(void **state)
{
	run_of(torn);
	assert_int_equal(seen.candidates, 0);
	assert_string_equal(seen.text, "hello");
	drain_finish(&drain);
	assert_int_equal(seen.unreadable, 1);
}

/* T0 holds 1 (and 9, of no matter) and wants 2; T1 holds 2 and wants 1. */
static void cycle(void)
{
	size_t size = sizeof(struct wire_ev_deadlock) + 2 * (sizeof(struct wire_wait) + sizeof(struct wire_pc)) +
		      3 * sizeof(struct wire_lock);
	struct wire_ev_deadlock *head = append(size, WIRE_EV_CYCLE);
	char *at = (char *)(head + 1);

	head->wait_count = 2;
	for (uint32_t i = 0; i < 2; i++) {
		struct wire_wait *wait = (void *)at;
		struct wire_lock *locks = (void *)(wait + 1);

		wait->thread = i;
		wait->wants_id = 2 - i;
		wait->lock_count = 2 - i;
		wait->stack_count = 1;
		locks[0].id = i + 1;
		locks[0].taken_at.offset = 0x400 + i;
		if (!i)
			locks[1].id = 9;
		((struct wire_pc *)(locks + wait->lock_count))->offset = 0x500 + i;
		at = (char *)(locks + wait->lock_count) + sizeof(struct wire_pc);
	}
}

static void a_cycle_names_its_own_locks(void **state)
{
	const struct deadlock_edge *edge;

	run_of(cycle);
	run_of(cycle);
	assert_int_equal(seen.deadlocks, 1);
	assert_int_equal(seen.last_deadlock.edge_count, 2);
	edge = &seen.last_deadlock.edges[0];
	if (edge->wait_at.offset != 0x4ff)
		edge++;
	assert_string_equal(edge->holds, "lock 1");
	assert_string_equal(edge->waits_for, "lock 2");
	assert_int_equal(edge->held_at.offset, 0x3ff);
	drain_finish(&drain);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_pair_is_news_once), TEST(a_lost_stack_is_counted), TEST(return_addresses_become_places_and_back),
		TEST(what_cannot_be_read_is_counted), TEST(a_cycle_names_its_own_locks),
	};

	return cmocka_run_group_tests(tests, NULL, unit_clean);
}
