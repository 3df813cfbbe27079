/*
 * work - a worker: takes a lease, makes its trials, takes the next.
 *
 * It holds one campaign open at a time (its program's fork servers are up) and stays with it
 * while there are leases, but looks every LOOK_MS whether another campaign has fewer workers.
 * When no lease is free it takes back those of workers that died here, begins the next round if
 * the present one is over, and else waits to be woken: an idle worker sends its server one
 * statement in IDLE_MS.
 *
 * Trial n of target t has seed f(campaign's seed, t) + n, and the plan comes from the store:
 * nothing a worker has seen before changes what a trial does.
 *
 * A server that goes away: what was not committed is forgotten, leases are asked for again when
 * it is back (GONE_MS at most); nothing is counted twice, see store/campaign.h.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "base/tty.h"
#include "base/vec.h"
#include "confirm/budget.h"
#include "confirm/campaign.h"
#include "confirm/internal.h"
#include "confirm/plan_text.h"

#define LOOK_MS 10000
#define BEAT_MS 10000        /* a lease lasts six times that */
#define WAIT_MIN_MS 20       /* for the others of a round; then twice as long each time, up to */
#define WAIT_MAX_MS 1000
#define IDLE_MS 10000        /* when there is no campaign: only news wakes us earlier */
#define GONE_MS 600000

struct work {
	struct campaign_worker *worker;
	struct store *store;
	int64_t id;                   /* in the store; 0: not entered */
	unsigned core;
	/* the campaign we have open */
	struct arena arena;
	struct store_campaign campaign;
	struct program program;
	bool is_plain;                /* it is not instrumented */
	struct confirm_context context;
	struct wire_plan_parts points;
	uint64_t chosen;              /* when */
	VEC(int64_t) refused;         /* campaigns that are not for us */
	uint64_t beat;                /* when the store last heard of us */
	struct lease_run *run;        /* of the lease at hand; NULL: none */
	unsigned wait_ms;
};

static void say(const struct work *work, const char *line)
{
	if (work->worker->note)
		work->worker->note(line);
}

/* ---- opening a campaign -------------------------------------------------------------------- */

static void close_campaign(struct work *work)
{
	confirm_close(&work->context);
	plain_close(work->context.plain);
	if (work->context.run)
		store_end_run(work->store, work->context.run, "exit 0");
	arena_free(&work->arena);
	work->campaign = (struct store_campaign){ 0 };
	work->context = (struct confirm_context){ 0 };
}

/* The same binary, in a folder that is there. */
static int check_program(struct work *work, const struct store_program *row)
{
	struct program *p = &work->program;
	struct stat about;

	*p = (struct program){ .path = work->worker->program ? work->worker->program : row->path, .argv = row->argv,
			       .envp = row->envp, .cwd = row->cwd };
	if (access(p->path, X_OK))
		return error_cannot("campaign %s needs %s, which is not here: copy it there, or say where it is with --program",
				    work->campaign.name, p->path);
	if (sym_build_id(p->path, p->build_id) || strcmp(p->build_id, work->campaign.build_id))
		return error_cannot("campaign %s needs another build of %s: this one has build-id %.12s, wanted is %.12s",
				    work->campaign.name, p->path, *p->build_id ? p->build_id : "none", work->campaign.build_id);
	if (stat(p->cwd, &about) || !S_ISDIR(about.st_mode))
		return error_cannot("campaign %s runs its program in %s, which is not here: make that folder",
				    work->campaign.name, p->cwd);
	return target_require(p, &work->is_plain);
}

static void tick(struct confirm_context *context);

static int open_context(struct work *work)
{
	struct confirm_context *c = &work->context;

	*c = (struct confirm_context){
		.store = work->store, .sym = work->worker->sym, .program = &work->program, .options = confirm_defaults,
		.program_id = work->campaign.program, .note = work->worker->note, .tick = tick, .ticks = work,
		.plain = work->is_plain ? plain_open() : NULL,
	};
	c->options.jobs = work->worker->jobs;
	c->options.first_core = work->core;
	c->options.seed = work->campaign.seed;
	if (plan_text_read_options(work->campaign.plan, &work->arena, &c->options))
		return -1;
	if (c->options.stdin_file && access(c->options.stdin_file, R_OK))
		return error_cannot("campaign %s gives its program the input %s, which is not here", work->campaign.name,
				    c->options.stdin_file);
	if (store_begin_run(work->store, "work", work->campaign.program, &c->run) || pool_open(c))
		return -1;
	return plan_text_read_campaign(work->campaign.plan, &work->arena, c->pool, &work->points);
}

static int find_campaign(struct work *work, int64_t id)
{
	struct store_campaign *all;
	size_t count;

	if (store_campaigns(work->store, &work->arena, &all, &count))
		return -1;
	for (size_t i = 0; i < count; i++)
		if (all[i].id == id) {
			work->campaign = all[i];
			return 0;
		}
	return error("campaign number %lld is gone", (long long)id);
}

static int open_campaign(struct work *work, int64_t id)
{
	struct store_program row;

	if (work->campaign.id == id)
		return 0;
	close_campaign(work);
	if (find_campaign(work, id) || store_get_program(work->store, &work->arena, work->campaign.program, &row) != 1)
		return -1;
	work->chosen = monotonic_ms();
	return check_program(work, &row) || open_context(work) ? -1 : 0;
}

/* ---- one lease --------------------------------------------------------------------------------- */

/* FNV-1a over the id, spread by the campaign's seed: far apart for different targets and seeds. */
static uint64_t seed_of(uint64_t seed, const char *id)
{
	uint64_t h = 0xcbf29ce484222325ull ^ (seed * 0x9e3779b97f4a7c15ull);

	for (; *id; id++)
		h = (h ^ (unsigned char)*id) * 0x100000001b3ull;
	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9ull;
	return (h ^ h >> 32) & ~(1ull << 63);
}

/* While trials run: keep the lease. What comes of it is seen at the next flush. */
static void tick(struct confirm_context *context)
{
	struct work *work = context->ticks;
	uint64_t now = monotonic_ms();

	if (!work->run || now - work->beat < BEAT_MS)
		return;
	work->beat = now;
	store_renew_lease(work->store, work->id, &work->run->lease);
}

/* A pair met on the way becomes a target: it gets its trials in the next round. */
static int met(struct confirm_context *context, struct lease_run *run, const struct candidate *candidate,
	       const struct deadlock *deadlock)
{
	struct arena arena = ARENA_INIT;
	struct strbuf text = STRBUF_INIT;
	struct wire_plan_parts parts;
	struct store_target target = { 0 };
	int result;

	memcpy(target.id, candidate ? candidate->id : deadlock->id, sizeof(target.id));
	result = candidate ? plan_candidate(context, &arena, candidate, &parts)
			   : plan_deadlock(context, &arena, deadlock, &parts);
	if (!result) {
		plan_text_target(&text, &parts);
		target.plan = text.buf;
		result = store_add_target(context->store, run->lease.campaign, &target);
	} else if (error_status() == 3 && !store_is_gone(context->store)) {
		result = 0; /* no site of its own: stays what it was met as */
	}
	strbuf_release(&text);
	arena_free(&arena);
	return result;
}

static int read_parts(struct work *work, struct arena *arena, const struct store_lease *lease,
		      struct wire_plan_parts *parts, struct wire_plan_parts *loose)
{
	const char *text;
	int found = store_get_target(work->store, arena, lease->campaign, lease->target, &text);

	plan_start(parts, &work->context);
	if (found <= 0 || plan_text_read_target(text, arena, parts))
		return found ? -1 : error("campaign %s has no target %s", work->campaign.name, lease->target);
	*loose = *parts;
	loose->plan.flags |= WIRE_STRICT | WIRE_LET_GO;
	plan_join_points(arena, loose, &work->points);
	return 0;
}

static int run_lease(struct work *work, const struct store_lease *lease)
{
	struct arena arena = ARENA_INIT;
	struct lease_run run = { .lease = *lease, .worker = work->id, .met = met,
				 .seed = seed_of(work->campaign.seed, lease->target) };
	struct wire_plan_parts parts, loose;
	struct candidate candidate;
	struct deadlock deadlock;
	int kind = store_get_finding(work->store, &arena, lease->target, &candidate, &deadlock), result = -1;

	work->run = &run;
	work->beat = monotonic_ms();
	work->context.pool->blind = false; /* a trial must not depend on those before the lease */
	if (kind > 0 && !read_parts(work, &arena, lease, &parts, &loose))
		result = search_lease(&work->context, &run, kind == 1 ? &candidate : NULL, kind == 2 ? &deadlock : NULL,
				      &parts, &loose);
	work->run = NULL;
	work->worker->trials += run.lease.done - lease->done;
	arena_free(&arena);
	return run.lost && !pool_interrupted() ? 0 : result;
}

/* ---- which one --------------------------------------------------------------------------------- */

static bool is_refused(const struct work *work, int64_t campaign)
{
	for (size_t i = 0; i < work->refused.count; i++)
		if (work->refused.items[i] == campaign)
			return true;
	return false;
}

/* Status 3: not on this machine. That is said once, and others may do it. */
static int refuse(struct work *work, int64_t campaign)
{
	if (error_status() != 3 || store_is_gone(work->store) || pool_interrupted())
		return -1;
	if (work->worker->name) /* nothing else to do here */
		return -1;
	say(work, judge_word("%s", error_message()));
	VEC_PUSH(&work->refused, campaign);
	work->worker->refused++;
	close_campaign(work);
	return 0;
}

static int wanted_campaign(struct work *work, struct arena *arena, int64_t *id)
{
	struct store_campaign campaign;
	int found;

	*id = 0;
	if (!work->worker->name)
		return 0;
	found = store_find_campaign(work->store, arena, work->worker->name, &campaign);
	if (found <= 0)
		return found ? -1 : error_usage("there is no campaign %s in %s (deadheat status shows them)",
						work->worker->name, store_location(work->store));
	*id = campaign.id;
	return 0;
}

/* 1: *lease is ours. 0: nothing to take now; *left says whether a campaign is still running. */
static int take_offer(struct work *work, const struct store_offer *offer, struct store_lease *lease)
{
	bool begun = offer->is_free;

	if (offer->is_empty && store_plan_round(work->store, offer->campaign, budget_share, &begun))
		return -1;
	if (!begun)
		return 0;
	if (open_campaign(work, offer->campaign))
		return refuse(work, offer->campaign);
	return store_take_lease(work->store, work->id, offer->campaign, lease);
}

static int take_any(struct work *work, struct store_lease *lease, bool *left)
{
	struct arena arena = ARENA_INIT;
	struct store_offer *offers;
	size_t count = 0;
	int64_t wanted;
	int taken = wanted_campaign(work, &arena, &wanted) || store_offers(work->store, &arena, &offers, &count) ? -1 : 0;

	*left = false;
	for (size_t i = 0; !taken && i < count; i++) {
		if ((wanted && offers[i].campaign != wanted) || is_refused(work, offers[i].campaign))
			continue;
		*left = true;
		taken = take_offer(work, &offers[i], lease);
	}
	arena_free(&arena);
	return taken;
}

/* Its own campaign first: the program is loaded. */
static int take(struct work *work, struct store_lease *lease, bool *left)
{
	int taken = 0;

	*left = true;
	if (work->campaign.id && monotonic_ms() - work->chosen < LOOK_MS)
		taken = store_take_lease(work->store, work->id, work->campaign.id, lease);
	if (!taken)
		work->chosen = monotonic_ms();
	return taken ? taken : take_any(work, lease, left);
}

/* ---- the loop ------------------------------------------------------------------------------------ */

static unsigned core_count(void)
{
	cpu_set_t allowed;

	return sched_getaffinity(0, sizeof(allowed), &allowed) ? 1 : (unsigned)CPU_COUNT(&allowed);
}

/* Entered in the store, as one who came anew if the server was gone meanwhile: the leases of before go back. */
static int enter(struct work *work)
{
	unsigned cores = core_count(), jobs = work->worker->jobs ? work->worker->jobs : cores;

	work->beat = monotonic_ms();
	if (work->id && store_end_worker(work->store, work->id))
		return -1;
	return store_begin_worker(work->store, jobs, cores, &work->id, &work->core);
}

static int rest(struct work *work, bool left)
{
	unsigned wait = left ? work->wait_ms : IDLE_MS;

	work->wait_ms = work->wait_ms * 2 < WAIT_MAX_MS ? work->wait_ms * 2 : WAIT_MAX_MS;
	store_wait(work->store, wait);
	if (monotonic_ms() - work->beat < BEAT_MS)
		return 0;
	work->beat = monotonic_ms();
	return store_renew_worker(work->store, work->id);
}

/* 1 go on, 0 nothing left to do, -1 error. */
static int step(struct work *work)
{
	struct store_lease lease;
	bool left = true;
	int taken = take(work, &lease, &left), back;

	if (taken > 0) {
		work->wait_ms = WAIT_MIN_MS;
		return run_lease(work, &lease) ? -1 : 1;
	}
	if (taken < 0)
		return -1;
	back = store_reclaim(work->store);
	if (back)
		return back < 0 ? -1 : 1;
	if (!left && !work->worker->stays)
		return 0;
	return rest(work, left) ? -1 : 1;
}

/* The server is gone: wait for it. 0 it is back, -1 it did not come back, or Ctrl-C. */
static int wait_for_server(struct work *work)
{
	uint64_t end = monotonic_ms() + GONE_MS;
	unsigned wait = WAIT_MIN_MS;

	say(work, judge_word("%s; waiting for it", error_message()));
	close_campaign(work);
	while (!pool_interrupted() && monotonic_ms() < end) {
		store_wait(work->store, wait);
		wait = wait * 2 < WAIT_MAX_MS ? wait * 2 : WAIT_MAX_MS;
		if (!enter(work)) {
			say(work, "the server is back");
			return 0;
		}
		if (!store_is_gone(work->store))
			return -1;
	}
	return -1;
}

static int loop(struct work *work)
{
	int more = 1;

	while (more > 0 && !pool_interrupted()) {
		more = step(work);
		if (more < 0 && store_is_gone(work->store) && !pool_interrupted() && !wait_for_server(work))
			more = 1;
	}
	if (pool_interrupted())
		return error("interrupted: the trials finished by then are kept; the same command goes on");
	return more;
}

/* A message of ours must survive the goodbye, which may fail for the same reason. */
static void leave(struct work *work, int result)
{
	char *message = result ? strdup(error_message()) : NULL;
	int status = error_status();

	close_campaign(work);
	if (work->id && !store_is_gone(work->store))
		store_end_worker(work->store, work->id);
	if (message && status == 3)
		error_cannot("%s", message);
	else if (message && status == 2)
		error_usage("%s", message);
	else if (message)
		error("%s", message);
	free(message);
}

int campaign_work(struct campaign_worker *worker)
{
	struct work work = { .worker = worker, .store = worker->store, .arena = ARENA_INIT, .wait_ms = WAIT_MIN_MS };
	int result;

	signals_catch();
	result = enter(&work) ? -1 : loop(&work);
	leave(&work, result);
	VEC_FREE(&work.refused);
	signals_release();
	return result;
}
