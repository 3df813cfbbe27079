/* The host's end of the wire: plans, records, and what it does with garbage. */
#include "unit.h"

#include "base/error.h"
#include "wire/reader.h"

static struct wire_host wire;

static int set_up(void **state)
{
	return wire_open(&wire, WIRE_RT_DETECT, &(struct wire_sizes){ .plan = 8192, .log = 16384, .steps = 4096 });
}

static int tear_down(void **state)
{
	wire_close(&wire);
	return 0;
}

/* As a runtime does it: reserve, fill, commit. */
static void *append(uint32_t size, uint32_t type)
{
	uint64_t at = __atomic_fetch_add(&wire.header->log_reserved, size, __ATOMIC_RELAXED);
	struct wire_record *record = (void *)((char *)wire.header + wire.header->log_offset + at);

	record->size = size;
	record->type = type;
	return record;
}

static void the_header_is_laid_out(void **state)
{
	const struct wire_header *h = wire.header;

	assert_int_equal(h->magic, WIRE_MAGIC);
	assert_int_equal(h->version, WIRE_VERSION);
	assert_int_equal(h->wanted_runtime, WIRE_RT_DETECT);
	assert_int_equal(h->plan_offset % WIRE_PAGE, 0);
	assert_true(h->plan_offset >= sizeof(*h));
	assert_int_equal(h->log_offset, h->plan_offset + h->plan_size);
	assert_int_equal(h->steps_offset, h->log_offset + h->log_size);
	assert_int_equal(h->total_size, h->steps_offset + h->steps_size);
}

static void records_come_in_order(void **state)
{
	struct wire_cursor at = { 0 };

	append(sizeof(struct wire_record), WIRE_EV_NOTE);
	append(32, WIRE_EV_END);
	assert_int_equal(wire_next(&wire, &at)->type, WIRE_EV_NOTE);
	assert_int_equal(wire_next(&wire, &at)->type, WIRE_EV_END);
	assert_null(wire_next(&wire, &at));
	append(8, WIRE_EV_VISITED);
	assert_int_equal(wire_next(&wire, &at)->type, WIRE_EV_VISITED);
}

static void a_torn_record_ends_the_reading(void **state)
{
	struct wire_cursor at = { 0 };
	struct wire_record *torn = append(16, WIRE_EV_NONE);

	append(8, WIRE_EV_NOTE);
	assert_null(wire_next(&wire, &at));
	torn->type = WIRE_EV_END;
	assert_int_equal(wire_next(&wire, &at)->type, WIRE_EV_END);
	assert_int_equal(wire_next(&wire, &at)->type, WIRE_EV_NOTE);
}

static void garbage_sizes_are_not_followed(void **state)
{
	static const uint32_t sizes[] = { 0, 4, 7, 12, 0xfffffff8u, 1u << 20 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct wire_cursor at = { 0 };
		struct wire_record *record;

		wire_reset(&wire);
		record = append(8, WIRE_EV_NOTE);
		record->size = sizes[i];
		assert_null(wire_next(&wire, &at));
	}
	wire_reset(&wire);
	wire.header->log_reserved = UINT64_MAX;
	assert_null(wire_next(&wire, &(struct wire_cursor){ 0 }));
}

static void counts_that_do_not_fit_are_refused(void **state)
{
	struct arena arena = ARENA_INIT;
	struct wire_pair_view view;
	struct wire_wait_view *waits;
	size_t count, size = sizeof(struct wire_ev_pair) + 2 * sizeof(struct wire_access);
	struct wire_ev_pair *pair = append((uint32_t)size, WIRE_EV_PAIR);
	struct wire_access *a = (void *)(pair + 1);
	struct wire_ev_deadlock *cycle;

	assert_true(wire_view_pair(&pair->head, &view));
	assert_ptr_equal(view.access[1].access, a + 1);
	a[1].stack_count = 1;
	assert_false(wire_view_pair(&pair->head, &view));
	a[1].stack_count = 0;
	a[0].lock_count = UINT32_MAX;
	assert_false(wire_view_pair(&pair->head, &view));
	cycle = append(sizeof(*cycle) + sizeof(struct wire_wait), WIRE_EV_CYCLE);
	cycle->wait_count = 1;
	assert_true(wire_view_deadlock(&cycle->head, &arena, &waits, &count));
	cycle->wait_count = 1000000;
	assert_false(wire_view_deadlock(&cycle->head, &arena, &waits, &count));
	arena_free(&arena);
}

static void texts_need_their_end(void **state)
{
	struct wire_ev_note *note = append(sizeof(*note) + 8, WIRE_EV_NOTE);

	memcpy(note + 1, "abcdefgh", 8);
	note->text_size = 8;
	assert_string_equal(wire_note_text(&note->head), "");
	memcpy(note + 1, "abc", 4);
	assert_string_equal(wire_note_text(&note->head), "abc");
	note->text_size = 4000;
	assert_string_equal(wire_note_text(&note->head), "");
}

static void a_reset_wire_is_as_new(void **state)
{
	struct wire_cursor at = { 0 };
	size_t steps;

	append(64, WIRE_EV_NOTE);
	wire.header->counters[3] = 7;
	wire.header->steps_used = 2;
	wire.header->claimed_pid = 1;
	wire_reset(&wire);
	assert_null(wire_next(&wire, &at));
	assert_int_equal(wire.header->counters[3], 0);
	assert_int_equal(wire.header->claimed_pid, 1);
	assert_int_equal(wire.header->step_hash, SCHEDULE_HASH_START);
	wire_steps(&wire, &steps);
	assert_int_equal(steps, 0);
	wire_reset_claim(&wire);
	assert_int_equal(wire.header->claimed_pid, 0);
}

static void steps_are_bounded_by_their_room(void **state)
{
	size_t steps;

	wire.header->steps_used = 1u << 30;
	wire_steps(&wire, &steps);
	assert_int_equal(steps, 4096 / sizeof(struct wire_step));
}

static void a_plan_is_written_or_refused(void **state)
{
	struct wire_plan_site sites[3] = { { .offset = 1 }, { .offset = 2 }, { .offset = 3 } };
	struct wire_plan_parts parts = { .plan = { .seed = 9 }, .sites = sites, .site_count = 3 };
	const struct wire_plan *plan = (void *)((char *)wire.header + wire.header->plan_offset);

	assert_int_equal(wire_put_plan(&wire, &parts), 0);
	assert_int_equal(plan->size, sizeof(*plan));
	assert_int_equal(plan->seed, 9);
	assert_int_equal(plan->site_count, 3);
	assert_int_equal(((const struct wire_plan_site *)(plan + 1))[2].offset, 3);
	parts.site_count = 100000;
	assert_int_equal(wire_put_plan(&wire, &parts), -1);
	assert_non_null(strstr(error_message(), "does not fit"));
}

static void modules_of_a_plan_are_named_once(void **state)
{
	static struct wire_plan_module modules[4];
	size_t count = 0;

	assert_int_equal(wire_plan_module_index(modules, &count, &(struct place){ "ab", "/bin/a", 0 }), 0);
	assert_int_equal(wire_plan_module_index(modules, &count, &(struct place){ "", "/bin/b", 0 }), 1);
	assert_int_equal(wire_plan_module_index(modules, &count, &(struct place){ "ab", "/moved/a", 0 }), 0);
	assert_int_equal(wire_plan_module_index(modules, &count, &(struct place){ "", "/bin/b", 4 }), 1);
	assert_int_equal(count, 2);
}

static void who_took_the_wire(void **state)
{
	assert_int_equal(wire_check_claim(&wire, "prog"), -1);
	assert_non_null(strstr(error_message(), "without loading our runtime"));
	assert_int_equal(error_status(), 3);
	wire.header->claimed_pid = 42;
	wire.header->runtime_version = WIRE_VERSION + 1;
	assert_int_equal(wire_check_claim(&wire, "prog"), -1);
	assert_non_null(strstr(error_message(), "one installation"));
	wire.header->runtime_version = WIRE_VERSION;
	wire.header->state = WIRE_REFUSED;
	strcpy(wire.header->refusal, "no memory");
	assert_int_equal(wire_check_claim(&wire, "prog"), -1);
	assert_non_null(strstr(error_message(), "no memory"));
	memset(wire.header->refusal, 'x', sizeof(wire.header->refusal)); /* no end */
	assert_int_equal(wire_check_claim(&wire, "prog"), -1);
	wire.header->state = WIRE_ENDED;
	assert_int_equal(wire_check_claim(&wire, "prog"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_header_is_laid_out), TEST(records_come_in_order), TEST(a_torn_record_ends_the_reading),
		TEST(garbage_sizes_are_not_followed), TEST(counts_that_do_not_fit_are_refused),
		TEST(texts_need_their_end), TEST(a_reset_wire_is_as_new), TEST(steps_are_bounded_by_their_room),
		TEST(a_plan_is_written_or_refused), TEST(modules_of_a_plan_are_named_once), TEST(who_took_the_wire),
	};

	return cmocka_run_group_tests(tests, NULL, unit_clean);
}
