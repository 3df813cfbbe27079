/*
 * fuzz - schedules without a pair. Nineteen of forty-six public concurrency bugs have no
 * data race at all: order, atomicity and deadlock bugs show only as an ending.
 *
 * A trial whose ending the undisturbed program does not have is a failure; a deadlock goes
 * into the store as one, with who waits for what. The trial of each kind with the fewest
 * switches is its witness. Stops at the first failure unless --exhaust.
 *
 * Scheduling points are the sync operations and the accesses of the candidates that the store
 * has for this build: where two threads may touch the same bytes, the order matters.
 *
 * Policy "mix" takes the policies in turn: none of them is best on all programs, and a
 * quarter of the trials with the right one beats all of them with the wrong one. Every second
 * trial of it is aimed: at two critical sections of one lock (orders.c) and at the accesses of a candidate in turn,
 * which are brought together and a coin decides their order. With ten threads that write and one that reads no
 * undirected policy comes to the one order that fails.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/spawn.h"
#include "confirm/internal.h"
#include "race/fingerprint.h"

#define FLUSH_MS 500
#define FLUSH_TRIALS 512
#define PAIRS_MAX 64 /* candidates aimed at: each comes round often enough in a few hundred trials */

/* One kind of failure and how often. */
struct kind {
	char id[CANDIDATE_ID_SIZE];
	struct failure failure;          /* or */
	const struct deadlock *deadlock; /* not NULL: this */
	unsigned count;
	struct witness_trial best;
	VEC(struct store_trial) rows;    /* of a deadlock: its hits */
};

struct fuzz {
	struct confirm_context *context;
	struct wire_plan_parts parts;
	bool mix;
	struct arena arena; /* of the plans */
	VEC(struct wire_plan_parts) pairs; /* mix: a plan for each candidate of this build */
	unsigned trials, hits;
	VEC(struct kind *) kinds;
	VEC(struct store_trial) pending;
	uint64_t flushed;
};

static bool fails(const struct fuzz *fuzz, const struct trial *trial)
{
	return trial->ending.counts && reference_harm(&fuzz->context->pool->reference, trial->ending.outcome);
}

static void identify(struct kind *kind, const struct trial *trial)
{
	kind->deadlock = trial->deadlock;
	kind->failure = (struct failure){ .outcome = trial->ending.outcome, .message = trial->ending.message };
	failure_identify(&kind->failure);
	memcpy(kind->id, kind->deadlock ? kind->deadlock->id : kind->failure.id, sizeof(kind->id));
}

static struct kind *find_kind(const struct fuzz *fuzz, const char *id)
{
	for (size_t i = 0; i < fuzz->kinds.count; i++)
		if (!strcmp(fuzz->kinds.items[i]->id, id))
			return fuzz->kinds.items[i];
	return NULL;
}

static bool fuzz_keeps(void *data, const struct trial *trial)
{
	const struct fuzz *fuzz = data;
	struct kind kind, *known;

	if (!fails(fuzz, trial))
		return false;
	identify(&kind, trial);
	known = find_kind(fuzz, kind.id);
	return !known || witness_better(&known->best, trial, true);
}

static unsigned fuzz_hits(void *data)
{
	return ((const struct fuzz *)data)->hits;
}

static int flush(struct fuzz *fuzz)
{
	struct confirm_context *context = fuzz->context;
	int result = 0;

	if (fuzz->pending.count)
		result = store_put_trials(context->store, context->run, context->program_id, fuzz->pending.items,
					  fuzz->pending.count);
	fuzz->pending.count = 0;
	fuzz->flushed = monotonic_ms();
	return result;
}

enum aim { AIM_NONE, AIM_ORDER, AIM_PAIR };

/* With mix every second trial is aimed, at sections and candidates in turn, if there are any. */
static enum aim aim_of(const struct fuzz *fuzz, unsigned index)
{
	bool orders = fuzz->context->pool->orders.count, pairs = fuzz->pairs.count;

	if (!fuzz->mix || index % 2 == 0 || (!orders && !pairs))
		return AIM_NONE;
	if (orders && pairs)
		return index % 4 == 1 ? AIM_ORDER : AIM_PAIR;
	return orders ? AIM_ORDER : AIM_PAIR;
}

/* The how manieth trial of its aim this is. */
static unsigned aim_number(const struct fuzz *fuzz, unsigned index)
{
	return index / (fuzz->context->pool->orders.count && fuzz->pairs.count ? 4 : 2);
}

static uint32_t policy_of(const struct fuzz *fuzz, unsigned index)
{
	static const uint32_t turns[] = { WIRE_POLICY_RANDOM, WIRE_POLICY_POS, WIRE_POLICY_PCT, WIRE_POLICY_SURW };
	unsigned turn = fuzz->context->pool->orders.count || fuzz->pairs.count ? index / 2 : index;

	if (aim_of(fuzz, index) != AIM_NONE)
		return WIRE_POLICY_PAIR;
	return fuzz->mix ? turns[turn % 4] : fuzz->parts.plan.policy;
}

/* Where the two accesses meet, and free afterwards: who lost the coin goes on with the others. */
static void pair_aim(const struct fuzz *fuzz, unsigned number, struct wire_plan_parts *parts)
{
	const struct wire_plan_parts *pair = &fuzz->pairs.items[number % fuzz->pairs.count];

	parts->plan.policy = WIRE_POLICY_PAIR;
	parts->plan.fill_policy = WIRE_POLICY_RANDOM;
	parts->plan.flags |= WIRE_STRICT | WIRE_LET_GO;
	parts->modules = pair->modules;
	parts->module_count = pair->module_count;
	parts->sites = pair->sites;
	parts->site_count = pair->site_count;
}

static int fuzz_plan(void *data, unsigned index, struct wire_plan_parts *parts)
{
	struct fuzz *fuzz = data;

	switch (aim_of(fuzz, index)) {
	case AIM_ORDER:
		orders_aim(fuzz->context->pool, aim_number(fuzz, index), parts);
		break;
	case AIM_PAIR:
		pair_aim(fuzz, aim_number(fuzz, index), parts);
		break;
	case AIM_NONE:
		parts->plan.policy = policy_of(fuzz, index);
	}
	return 0;
}

static struct store_trial trial_row(const struct fuzz *fuzz, const struct trial *trial, const char *id, int order)
{
	return (struct store_trial){
		.candidate = id, .policy = plan_policy_name(policy_of(fuzz, trial->index)), .seed = trial->seed,
		.outcome = trial->ending.outcome, .harm = fails(fuzz, trial), .hit = order >= 0, .order = order,
		.steps = trial->steps, .hash = trial->hash,
	};
}

static void count_failure(struct fuzz *fuzz, struct trial *trial)
{
	struct kind new, *kind;

	identify(&new, trial);
	kind = find_kind(fuzz, new.id);
	if (!kind) {
		kind = calloc(1, sizeof(*kind));
		if (!kind)
			BUG("out of memory");
		*kind = new;
		kind->count = 0;
		kind->best.have = false;
		memset(&kind->rows, 0, sizeof(kind->rows));
		VEC_PUSH(&fuzz->kinds, kind);
	}
	kind->count++;
	fuzz->hits++;
	if (kind->deadlock)
		VEC_PUSH(&kind->rows, trial_row(fuzz, trial, kind->id, 0));
	if (witness_better(&kind->best, trial, true))
		witness_take(&kind->best, trial, true);
}

static int fuzz_finished(void *data, struct trial *trial)
{
	struct fuzz *fuzz = data;
	bool failed = fails(fuzz, trial);

	if (!trial->ending.counts)
		return 0;
	fuzz->trials++;
	VEC_PUSH(&fuzz->pending, trial_row(fuzz, trial, "", -1));
	if (failed)
		count_failure(fuzz, trial);
	if ((fuzz->pending.count >= FLUSH_TRIALS || monotonic_ms() - fuzz->flushed >= FLUSH_MS) && flush(fuzz))
		return -1;
	return failed && !fuzz->context->options.exhaust;
}

static int store_kind(struct fuzz *fuzz, struct kind *kind)
{
	struct confirm_context *context = fuzz->context;
	struct wire_plan_parts parts;
	bool is_new;

	if (kind->deadlock) {
		struct deadlock met = *kind->deadlock;

		met.found_by |= FINDER_CONFIRM;
		if (store_put_deadlock(context->store, context->run, &met, &is_new) ||
		    store_put_trials(context->store, context->run, context->program_id, kind->rows.items,
				     kind->rows.count))
			return -1;
	} else {
		kind->failure.count = kind->count;
		if (store_put_failure(context->store, context->run, &kind->failure, &is_new))
			return -1;
	}
	parts = fuzz->parts;
	fuzz_plan(fuzz, kind->best.trial.index, &parts);
	return witness_store(context, &kind->best, &parts, kind->id);
}

static int store_kinds(struct fuzz *fuzz)
{
	int result = flush(fuzz);

	for (size_t i = 0; i < fuzz->kinds.count; i++) {
		struct kind *kind = fuzz->kinds.items[i];

		if (store_kind(fuzz, kind))
			result = -1;
		witness_free(&kind->best);
		VEC_FREE(&kind->rows);
		free(kind);
	}
	VEC_FREE(&fuzz->kinds);
	VEC_FREE(&fuzz->pending);
	return result;
}

/* Plans of the candidates that runs of this program gave; claims of scan are too many and mostly none. */
static int plan_pairs(struct fuzz *fuzz)
{
	struct store_findings findings;

	if (store_read(fuzz->context->store, &fuzz->arena, &findings))
		return -1;
	for (size_t i = 0; i < findings.candidate_count && fuzz->pairs.count < PAIRS_MAX; i++) {
		struct wire_plan_parts parts;

		if (!(findings.candidates[i].found_by & ~(unsigned)FINDER_SCAN) ||
		    plan_candidate(fuzz->context, &fuzz->arena, &findings.candidates[i], &parts))
			continue;
		plan_join_points(&fuzz->arena, &parts, &fuzz->parts);
		VEC_PUSH(&fuzz->pairs, parts);
	}
	return 0;
}

int confirm_fuzz(struct confirm_context *context, struct confirm_result *result)
{
	struct fuzz fuzz = { .context = context, .flushed = monotonic_ms() };
	struct pool_job job = {
		.title = "fuzz", .count = context->options.trials, .seed = context->options.seed,
		.plan = fuzz_plan, .keeps = fuzz_keeps, .finished = fuzz_finished, .hits = fuzz_hits, .context = &fuzz,
	};
	int r;

	*result = (struct confirm_result){ 0 };
	if (pool_open(context) || pool_take_reference(context))
		return -1;
	plan_start(&fuzz.parts, context);
	if (plan_add_points(context, &fuzz.arena, &fuzz.parts))
		goto failed;
	fuzz.mix = !strcmp(context->options.policy, "mix");
	if (fuzz.mix && (plan_pairs(&fuzz) || orders_survey(context)))
		goto failed;
	job.parts = fuzz.parts;
	r = pool_run(context, &job);
	result->trials = fuzz.trials;
	result->hits = fuzz.hits;
	result->harmful = fuzz.hits > 0;
	if (store_kinds(&fuzz))
		r = -1;
	VEC_FREE(&fuzz.pairs);
	arena_free(&fuzz.arena);
	return r;
failed:
	VEC_FREE(&fuzz.pairs);
	arena_free(&fuzz.arena);
	return -1;
}
