/* cmd_status - campaigns, workers, rates, and when it will be over. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/cli.h"
#include "store/campaign.h"

#define SILENT_MS 60000 /* a lease lasts as long: whoever is silent longer has none */

static const char *format = "text";
static bool check;

struct status {
	struct arena arena;
	struct store *store;
	struct store_campaign *campaigns;
	size_t campaign_count;
	struct store_worker *workers;
	size_t worker_count;
};

static bool is_alive(const struct store_worker *w)
{
	return !w->is_dead && w->seen < SILENT_MS;
}

static double rate_of(const struct store_worker *w)
{
	return is_alive(w) && w->busy ? 1000.0 * (double)w->trials / (double)w->busy : 0;
}

static size_t workers_of(const struct status *s, int64_t campaign, double *rate)
{
	size_t count = 0;

	*rate = 0;
	for (size_t i = 0; i < s->worker_count; i++)
		if (s->workers[i].campaign == campaign && is_alive(&s->workers[i])) {
			count++;
			*rate += rate_of(&s->workers[i]);
		}
	return count;
}

/* Seconds until the budget is spent at this rate; -1: unknown. It may be over earlier. */
static double time_left(const struct store_campaign *c, double rate, size_t workers)
{
	double by_trials = -1, by_time = -1;

	if (c->state != CAMPAIGN_RUNNING)
		return 0;
	if (c->trials && rate > 0)
		by_trials = (double)(c->trials - c->done) / rate;
	if (c->ms && workers)
		by_time = (double)(c->ms > c->spent ? c->ms - c->spent : 0) / 1000 / (double)workers;
	if (by_trials < 0 || by_time < 0)
		return by_trials < 0 ? by_time : by_trials;
	return by_trials < by_time ? by_trials : by_time;
}

/* ---- text ----------------------------------------------------------------------------------- */

static void print_seconds(double seconds)
{
	if (seconds < 120)
		printf("%.0f s", seconds);
	else if (seconds < 7200)
		printf("%.0f min", seconds / 60);
	else
		printf("%.1f h", seconds / 3600);
}

static void print_budget(const struct store_campaign *c)
{
	printf("  %" PRIu64, c->done);
	if (c->trials)
		printf(" of %" PRIu64, c->trials);
	printf(" trials");
	if (c->ms) {
		printf(", ");
		print_seconds((double)c->spent / 1000);
		printf(" of ");
		print_seconds((double)c->ms / 1000);
	}
	printf(", round %" PRIu64 "\n", c->round);
}

static void print_campaign(const struct status *s, const struct store_campaign *c)
{
	double rate, left;
	size_t workers = workers_of(s, c->id, &rate);

	printf("%s  %s  %s (build %.12s)\n", c->name, c->state == CAMPAIGN_DONE ? "done" : "running", c->path, c->build_id);
	print_budget(c);
	printf("  %" PRIu64 " candidate%s, %" PRIu64 " confirmed, %" PRIu64 " harmful\n", c->targets, c->targets == 1 ? "" : "s",
	       c->confirmed, c->harmful);
	if (c->state == CAMPAIGN_DONE)
		return;
	left = time_left(c, rate, workers);
	printf("  %zu worker%s, %.0f trials/s", workers, workers == 1 ? "" : "s", rate);
	if (left >= 0) {
		printf(", at most ");
		print_seconds(left);
		printf(" left");
	}
	printf("\n");
}

static const char *campaign_name(const struct status *s, int64_t id)
{
	for (size_t i = 0; i < s->campaign_count; i++)
		if (s->campaigns[i].id == id && s->campaigns[i].state == CAMPAIGN_RUNNING)
			return s->campaigns[i].name;
	return NULL;
}

static void print_worker(const struct status *s, const struct store_worker *w)
{
	const char *name = campaign_name(s, w->campaign);

	printf("worker %s  %s%s  %" PRIu64 " trials, %.0f/s, seen %.0f s ago\n", w->name,
	       w->is_dead ? "dead" : !is_alive(w) ? "silent" : name ? "works for " : "idle",
	       is_alive(w) && name ? name : "", w->trials, rate_of(w), (double)w->seen / 1000);
}

static void print_text(const struct status *s)
{
	if (!s->campaign_count)
		printf("no campaigns in %s; deadheat confirm --campaign NAME -- PROG begins one\n", store_location(s->store));
	for (size_t i = 0; i < s->campaign_count; i++)
		print_campaign(s, &s->campaigns[i]);
	for (size_t i = 0; i < s->worker_count; i++)
		print_worker(s, &s->workers[i]);
}

/* ---- json -------------------------------------------------------------------------------------- */

static void put_number(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_number(j, (int64_t)value);
}

static void put_text(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	json_text(j, value);
}

static void put_campaign(struct json *j, const struct status *s, const struct store_campaign *c)
{
	double rate, left;
	size_t workers = workers_of(s, c->id, &rate);

	left = time_left(c, rate, workers);
	json_begin(j, '{');
	put_text(j, "name", c->name);
	put_text(j, "state", c->state == CAMPAIGN_DONE ? "done" : "running");
	put_text(j, "program", c->path);
	put_text(j, "build_id", c->build_id);
	put_number(j, "round", c->round);
	put_number(j, "trials", c->done);
	put_number(j, "budget_trials", c->trials);
	put_number(j, "milliseconds", c->spent);
	put_number(j, "budget_milliseconds", c->ms);
	put_number(j, "candidates", c->targets);
	put_number(j, "confirmed", c->confirmed);
	put_number(j, "harmful", c->harmful);
	put_number(j, "workers", workers);
	put_number(j, "trials_per_second", (uint64_t)(rate + 0.5));
	json_key(j, "seconds_left");
	if (left < 0)
		json_none(j);
	else
		json_number(j, (int64_t)(left + 0.5));
	json_end(j, '}');
}

static void put_worker(struct json *j, const struct status *s, const struct store_worker *w)
{
	json_begin(j, '{');
	put_text(j, "name", w->name);
	put_text(j, "state", w->is_dead ? "dead" : !is_alive(w) ? "silent" : campaign_name(s, w->campaign) ? "works" : "idle");
	put_text(j, "campaign", campaign_name(s, w->campaign));
	put_number(j, "jobs", (uint64_t)w->jobs);
	put_number(j, "trials", w->trials);
	put_number(j, "trials_per_second", (uint64_t)(rate_of(w) + 0.5));
	put_number(j, "seen_milliseconds_ago", (uint64_t)w->seen);
	json_end(j, '}');
}

static void print_json(const struct status *s)
{
	struct strbuf out = STRBUF_INIT;
	struct json j = JSON_INIT(&out);

	json_begin(&j, '{');
	put_text(&j, "schema", "deadheat-status/1");
	json_key(&j, "campaigns");
	json_begin(&j, '[');
	for (size_t i = 0; i < s->campaign_count; i++)
		put_campaign(&j, s, &s->campaigns[i]);
	json_end(&j, ']');
	json_key(&j, "workers");
	json_begin(&j, '[');
	for (size_t i = 0; i < s->worker_count; i++)
		put_worker(&j, s, &s->workers[i]);
	json_end(&j, ']');
	json_end(&j, '}');
	printf("%s\n", out.buf);
	strbuf_release(&out);
}

/* ---- --check ----------------------------------------------------------------------------------------- */

static int check_store(struct store *store)
{
	struct store_totals t;

	if (store_check(store, &t))
		return -1;
	printf("%s is whole: %" PRId64 " findings, %" PRId64 " trials; campaigns count %" PRId64 " trials and have %" PRId64 "\n",
	       store_location(store), t.findings, t.trials, t.settled, t.by_campaigns);
	return 0;
}

/* ---- the command ---------------------------------------------------------------------------------- */

static int run(const struct command *command, int argc, char **argv)
{
	struct status s = { .arena = ARENA_INIT };
	int result;

	if (argc) {
		error_usage("status: '%s': takes no arguments", argv[0]);
		return cli_fail();
	}
	s.store = store_open(cli_store, false);
	if (!s.store)
		return cli_fail();
	if (check) {
		result = check_store(s.store);
		store_close(s.store);
		return result ? cli_fail() : EXIT_CLEAN;
	}
	result = store_campaigns(s.store, &s.arena, &s.campaigns, &s.campaign_count) ||
		 store_workers(s.store, &s.arena, &s.workers, &s.worker_count) ? -1 : 0;
	if (!result && !strcmp(format, "json"))
		print_json(&s);
	else if (!result)
		print_text(&s);
	store_close(s.store);
	arena_free(&s.arena);
	return result ? cli_fail() : EXIT_CLEAN;
}

static struct option options[] = {
	{ "format", 'f', OPTION_CHOICE, &format, "NAME", "text or json (default text)", "text|json", 0, 0 },
	{ "check", 0, OPTION_FLAG, &check, NULL, "is the store whole? Reads all of it", NULL, 0, 0 },
	OPTION_STORE, OPTION_QUIET, OPTION_END,
};

const struct command command_status = {
	.name = "status",
	.arguments = "",
	.summary = "campaigns of a store, their workers, rates and time left",
	.text = "A campaign is begun by `deadheat confirm --campaign NAME`. The time left is that until the\n"
		"budget is spent at the present rate; a campaign that has shown all it can is over earlier.\n"
		"A worker is `silent` when it was not heard of for a minute (its trials are given to others),\n"
		"`dead` when it was on this machine and its process is gone.",
	.options = options,
	.run = run,
};
