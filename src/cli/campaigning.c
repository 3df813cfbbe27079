/* campaigning - see campaigning.h. */
#include "cli/campaigning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/internal.h"
#include "report/report.h"

static void say_note(const char *line)
{
	cli_say("%s", line);
}

/* ---- beginning one --------------------------------------------------------------------------- */

static int settle_list(struct session *session, struct judge_list *list)
{
	if (list->all && judge_add_all(session, list))
		return -1;
	list->all = false;
	return 0;
}

int campaigning_begin(struct campaigning *campaigning, struct session *session, struct judge_list *list)
{
	struct campaign_order *order = &campaigning->order;
	struct store_campaign campaign;
	const char **ids;

	if (settle_list(session, list))
		return -1;
	ids = ARENA_ARRAY(&session->arena, const char *, list->ids.count + 1);
	for (size_t i = 0; i < list->ids.count; i++)
		ids[i] = list->ids.items[i].id;
	order->ids = ids;
	order->count = list->ids.count;
	if (campaign_create(&session->confirm, order, &campaign))
		return -1;
	confirm_close(&session->confirm);
	cli_say("campaign %s: %zu candidate%s", order->name, order->count, order->count == 1 ? "" : "s");
	return 0;
}

int campaigning_exists(const char *name)
{
	struct arena arena = ARENA_INIT;
	struct store_campaign campaign;
	struct store *store = store_open(cli_store, true);
	int found = store ? store_find_campaign(store, &arena, name, &campaign) : -1;

	store_close(store);
	arena_free(&arena);
	return found;
}

static uint64_t hash(uint64_t h, const void *data, size_t size)
{
	const unsigned char *byte = data;

	for (size_t i = 0; i < size; i++)
		h = (h ^ byte[i]) * 0x100000001b3ull;
	return h;
}

static uint64_t hash_text(uint64_t h, const char *text)
{
	return text ? hash(h, text, strlen(text) + 1) : hash(h, "\1", 1);
}

static uint64_t hash_options(uint64_t h, const struct trial_options *o)
{
	const uint64_t numbers[] = { o->trials, o->seed, o->depth, o->steps, o->wall_ms, o->compare_output, o->spurious,
				     o->no_pin, o->no_shrink };

	return hash_text(hash_text(hash(h, numbers, sizeof(numbers)), o->fill), o->stdin_file);
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct judge_id *)a)->id, ((const struct judge_id *)b)->id);
}

const char *campaigning_name(struct session *session, struct judge_list *list)
{
	uint64_t h = hash_text(0xcbf29ce484222325ull, session->program.build_id);
	char *name = arena_alloc(&session->arena, 32);
	struct judge_id *sorted;

	if (settle_list(session, list))
		return NULL;
	sorted = ARENA_ARRAY(&session->arena, struct judge_id, list->ids.count + 1);
	memcpy(sorted, list->ids.items, list->ids.count * sizeof(*sorted));
	qsort(sorted, list->ids.count, sizeof(*sorted), by_id);
	h = hash_options(hash(h, &session->program_id, sizeof(session->program_id)), &trial_options);
	for (size_t i = 0; i < list->ids.count; i++)
		h = hash_text(h, sorted[i].id);
	snprintf(name, 32, "confirm-%08llx", (unsigned long long)(h ^ h >> 32) & 0xffffffffull);
	return name;
}

/* ---- working for it ---------------------------------------------------------------------------- */

static int work_for(const char *name)
{
	struct campaign_worker worker = { .name = name, .jobs = (unsigned)trial_options.jobs, .note = say_note };
	int result = -1;

	worker.store = store_open(cli_store, false);
	worker.sym = sym_open();
	if (worker.store)
		result = campaign_work(&worker);
	sym_close(worker.sym);
	store_close(worker.store);
	return result;
}

static int by_result(const void *id, const void *result)
{
	return strcmp(id, ((const struct store_target_result *)result)->id);
}

static void print_target(const struct store_target_result *results, size_t count, const char *id, enum rung rung,
			 const char *title)
{
	const struct store_target_result *r = bsearch(id, results, count, sizeof(*results), by_result);
	FILE *out = cli_lines();

	if (r && out)
		fprintf(out, "%s  %-9s  hit in %llu of %llu trial%s  %s\n", id, rung_name(rung), (unsigned long long)r->hits,
			(unsigned long long)r->done, r->done == 1 ? "" : "s", title);
}

static void print_targets(struct reading *reading, const struct store_target_result *results, size_t count)
{
	const struct store_findings *f = &reading->report.findings;

	for (size_t i = 0; i < f->candidate_count; i++)
		print_target(results, count, f->candidates[i].id, f->candidates[i].rung,
			     report_title(&reading->arena, &f->candidates[i]));
	for (size_t i = 0; i < f->deadlock_count; i++)
		print_target(results, count, f->deadlocks[i].id, f->deadlocks[i].rung,
			     f->deadlocks[i].rung >= RUNG_CONFIRMED ? "deadlock" : "suspected deadlock");
}

/* One line for each target, as `confirm` alone prints them. */
static int print_campaign(const char *name, bool *confirmed)
{
	struct reading reading;
	struct store_campaign campaign;
	struct store_target_result *results;
	size_t count = 0;
	int result = -1;

	*confirmed = false;
	if (reading_open(&reading))
		return -1;
	if (store_find_campaign(reading.store, &reading.arena, name, &campaign) == 1)
		result = store_target_results(reading.store, &reading.arena, campaign.id, &results, &count);
	for (size_t i = 0; i < count; i++)
		*confirmed |= results[i].hits > 0;
	if (!result)
		print_targets(&reading, results, count);
	reading_close(&reading);
	return result;
}

int campaigning_run(const struct campaigning *campaigning, bool goes_on)
{
	const char *name = campaigning->order.name;
	bool confirmed;

	if (campaigning->detach) {
		cli_say("campaign %s waits for workers: deadheat work --store %s", name, cli_store_shown());
		return EXIT_CLEAN;
	}
	if (goes_on)
		cli_say("campaign %s goes on", name);
	if (work_for(name) || print_campaign(name, &confirmed))
		return cli_fail();
	return confirmed ? EXIT_FOUND : EXIT_CLEAN;
}
