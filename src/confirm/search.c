/*
 * search - the trials of one candidate: aim, run, count, stop, keep the best witness.
 *
 * Two ways to aim, in turn. Even trials are the paper's algorithm to the letter. Odd ones
 * hold back by side (WIRE_STRICT), set everybody free after a meeting (WIRE_LET_GO), and have
 * the accesses of the other candidates as scheduling points: what comes of a race often
 * depends on what happens between it and the next one. After a trial that only the wall clock could end all
 * are of that kind: a loop that passes no scheduling point spins on plain memory, and what it
 * looks at is a candidate itself.
 *
 * What the first trials teach. A thread held back before its access may hold a lock the other
 * side needs to get to its own; such trials name the place that took it, and the odd way then also
 * waits before that lock (rt/sched/gate.c). And where several are held back at different elements
 * it matters which side goes on: several ways are tried and the best is kept. From the first miss on
 * only one trial in LETTER_EVERY is to the letter. Lessons count from the next round on, and rounds
 * end at fixed trials, so that results depend neither on --jobs nor on who is faster. Measured on
 * bench/subjects, hits in 100 before and after: a list walked without its lock 66 and 95 or more, a
 * tree 51 and 95 or more.
 *
 * When to stop. A hit confirms; both orders of a hit show what the race can do. Whether one
 * of them does harm may depend on more than the order, so after both orders were seen the
 * search goes on until harm was seen or AFTER_BOTH trials more: an ending which one in ten
 * of the remaining schedules shows is then missed twice in a hundred. --exhaust makes all
 * trials whatever happens; a pair that is never hit gets them all anyway.
 */
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/spawn.h"
#include "confirm/internal.h"
#include "find/describe.h"

#define AFTER_BOTH 50
#define LETTER_EVERY 64
#define GATES_MAX 16
#define FLUSH_MS 500    /* at most this much finished work is lost by a kill -9 */
#define FLUSH_TRIALS 512


/*
 * Ways to go to the meeting, tried in this order by the first rounds; later ones take the best.
 * When all are held back one is let go by chance, or one at side a, or one at side b; or (ALONE)
 * there are no gates and a thread goes on as long as it can (PCT with depth 1): what is published
 * too early is only seen by those who start late.
 */
enum { BY_CHANCE, FAVOUR_A, FAVOUR_B, ALONE, WAYS };
static const uint32_t way_flag[WAYS] = { 0, WIRE_FAVOUR_A, WIRE_FAVOUR_B, 0 };

/* Ends of the rounds; what was learned counts from the next one on. */
static const unsigned rounds[] = { 2, 3, 4, 5, 12, 24, UINT_MAX };
#define ROUNDS (sizeof(rounds) / sizeof(*rounds))

struct search {
	struct confirm_context *context;
	const char *id;
	const struct candidate *candidate; /* as the store has it; NULL: a deadlock */
	bool is_deadlock;
	struct wire_plan_parts parts;         /* the letter */
	struct wire_plan_parts loose[ROUNDS]; /* the other way, as each round knew it */
	unsigned round;
	unsigned trials, hits, order[2], after_both;
	struct trial_gate gates[GATES_MAX];
	size_t gate_count;
	bool enough;         /* finished() said so */
	unsigned way[ROUNDS]; /* of each round's other plan */
	unsigned way_trials[WAYS], way_hits[WAYS];
	bool harmful;
	const struct candidate *example; /* the meeting itself */
	const struct deadlock *cycle;
	struct witness_trial best;
	VEC(const char *) others;
	VEC(struct store_trial) pending;
	uint64_t flushed;
	struct lease_run *lease; /* NULL: a search of our own */
	unsigned base;           /* index of the first trial; rounds count from it */
	unsigned known;          /* trials below are in the store already: a lease gone on with */
};

static int flush_lease(struct search *search);

static int flush(struct search *search)
{
	struct confirm_context *context = search->context;
	int result = 0;

	if (search->lease)
		result = flush_lease(search);
	else if (search->pending.count)
		result = store_put_trials(context->store, context->run, context->program_id, search->pending.items,
					  search->pending.count);
	search->pending.count = 0;
	search->flushed = monotonic_ms();
	return result;
}

static int flush_if_due(struct search *search)
{
	if (search->pending.count < FLUSH_TRIALS && monotonic_ms() - search->flushed < FLUSH_MS)
		return 0;
	return flush(search);
}

/*
 * The store keeps the order of the two sides it first saw; a later build may have them the
 * other way round (the functions changed places in the file).
 */
static bool is_turned(const struct candidate *stored, const struct candidate *met)
{
	const struct access *a = &stored->access[0], *b = &met->access[0];

	return access_is_write(a->flags) != access_is_write(b->flags) || a->ordinal != b->ordinal ||
	       strcmp(a->function ? a->function : "", b->function ? b->function : "");
}

/* -1: this trial did not meet; else which side went first (0 for a deadlock). */
static int order_of(const struct search *search, const struct trial *trial)
{
	const struct trial_hit *hit;

	if (search->is_deadlock)
		return trial->deadlock && !strcmp(trial->deadlock->id, search->id) ? 0 : -1;
	hit = trial_hit_of(trial, search->id);
	if (!hit)
		return -1;
	return hit->order ^ is_turned(search->candidate, &hit->meeting->candidate);
}

static bool harms(const struct search *search, const struct trial *trial)
{
	return reference_harm(&search->context->pool->reference, trial->ending.outcome);
}

static bool is_known(const struct search *search, const char *id)
{
	for (size_t i = 0; i < search->others.count; i++)
		if (!strcmp(search->others.items[i], id))
			return true;
	return !strcmp(id, search->id);
}

static bool meets_new(const struct search *search, const struct trial *trial)
{
	for (size_t i = 0; i < trial->hits.count; i++)
		if (!is_known(search, trial->hits.items[i].meeting->candidate.id))
			return true;
	return trial->deadlock && !is_known(search, trial->deadlock->id);
}

static bool search_keeps(void *data, const struct trial *trial)
{
	const struct search *search = data;

	if (!trial->ending.counts)
		return false;
	if (order_of(search, trial) >= 0 && witness_better(&search->best, trial, harms(search, trial)))
		return true;
	return meets_new(search, trial);
}

static unsigned search_hits(void *data)
{
	return ((const struct search *)data)->hits;
}

static struct store_trial trial_row(const struct search *search, const struct trial *trial, const char *id, int order)
{
	return (struct store_trial){
		.candidate = id, .policy = plan_policy_name(search->parts.plan.policy), .seed = trial->seed,
		.outcome = trial->ending.outcome, .harm = harms(search, trial), .hit = order >= 0, .order = order,
		.steps = trial->steps, .hash = trial->hash,
	};
}

static unsigned round_of(const struct search *search, const struct trial *trial)
{
	unsigned round = 0;

	while (trial->index - search->base >= rounds[round])
		round++;
	return round;
}

static const struct wire_plan_parts *parts_of(const struct search *search, const struct trial *trial)
{
	return trial->other ? &search->loose[round_of(search, trial)] : &search->parts;
}

/* The schedule as recorded: not shrunk, it is only a by-catch, and never in place of another. */
static int store_by_catch(struct search *search, const struct trial *trial, const char *id)
{
	struct witness_trial copy = { .have = true, .trial = *trial };
	struct confirm_context *context = search->context;
	bool shrinks = context->options.shrink;
	int result = 0;

	context->options.shrink = false;
	if (!witness_exists(context, id))
		result = witness_store(context, &copy, parts_of(search, trial), id);
	context->options.shrink = shrinks;
	VEC_PUSH(&search->others, id);
	return result;
}

/*
 * The row of a by-catch: a policy word of its own, so that it does not stand in the way of
 * the trial with this seed that aims at it; harm is left to that one, for here it may well
 * come from the pair that was aimed at.
 */
static struct store_trial by_catch_row(const struct search *search, const struct trial *trial, const char *id,
				       int order)
{
	struct store_trial row = trial_row(search, trial, id, order);

	row.policy = "met";
	row.harm = false;
	return row;
}

/* Another pair stood there: confirmed, found by us, with this trial as its first. */
static int meet_other(struct search *search, const struct trial *trial, const struct trial_hit *hit)
{
	struct confirm_context *context = search->context;
	struct candidate met = hit->meeting->candidate;
	struct store_trial row = by_catch_row(search, trial, hit->meeting->candidate.id, hit->order);
	bool is_new;

	met.found_by |= FINDER_CONFIRM;
	if (store_put_candidate(context->store, context->run, &met, &is_new) ||
	    store_put_trials(context->store, context->run, context->program_id, &row, 1))
		return -1;
	if (search->lease && search->lease->met(context, search->lease, &hit->meeting->candidate, NULL))
		return -1;
	return store_by_catch(search, trial, hit->meeting->candidate.id);
}

static int meet_deadlock(struct search *search, const struct trial *trial)
{
	struct confirm_context *context = search->context;
	struct deadlock met = *trial->deadlock;
	struct store_trial row = by_catch_row(search, trial, trial->deadlock->id, 0);
	bool is_new;

	met.found_by |= FINDER_CONFIRM;
	if (store_put_deadlock(context->store, context->run, &met, &is_new) ||
	    store_put_trials(context->store, context->run, context->program_id, &row, 1))
		return -1;
	if (search->lease && search->lease->met(context, search->lease, NULL, trial->deadlock))
		return -1;
	return store_by_catch(search, trial, trial->deadlock->id);
}

static int meet_others(struct search *search, const struct trial *trial)
{
	for (size_t i = 0; i < trial->hits.count; i++)
		if (!is_known(search, trial->hits.items[i].meeting->candidate.id) &&
		    meet_other(search, trial, &trial->hits.items[i]))
			return -1;
	if (trial->deadlock && !is_known(search, trial->deadlock->id))
		return meet_deadlock(search, trial);
	return 0;
}

static void count_hit(struct search *search, struct trial *trial, int order)
{
	bool harm = harms(search, trial);

	search->hits++;
	search->order[order]++;
	search->harmful |= harm;
	if (!search->is_deadlock && !search->example)
		search->example = &trial_hit_of(trial, search->id)->meeting->candidate;
	if (search->is_deadlock)
		search->cycle = trial->deadlock;
	if (witness_better(&search->best, trial, harm))
		witness_take(&search->best, trial, harm);
}

static bool is_enough(struct search *search)
{
	if (search->lease || search->context->options.exhaust || !search->hits)
		return false;
	if (search->is_deadlock)
		return true;
	if (!search->order[0] || !search->order[1])
		return false;
	return search->harmful || search->after_both++ >= AFTER_BOTH;
}

static bool is_same_gate(const struct trial_gate *a, const struct trial_gate *b)
{
	return a->side == b->side && a->offset == b->offset && !memcmp(&a->module, &b->module, sizeof(a->module));
}

static void learn_gates(struct search *search, const struct trial *trial)
{
	for (size_t i = 0; i < trial->gates.count; i++) {
		const struct trial_gate *new = &trial->gates.items[i];
		bool known = search->gate_count == GATES_MAX;

		for (size_t k = 0; k < search->gate_count; k++)
			known |= is_same_gate(&search->gates[k], new);
		if (!known)
			search->gates[search->gate_count++] = *new;
	}
}

static int search_finished(void *data, struct trial *trial)
{
	struct search *search = data;
	int order;

	bool is_known_trial = trial->index < search->known;

	if (search->lease)
		search->lease->settled += !is_known_trial;
	if (!trial->ending.counts)
		return 0;
	order = order_of(search, trial);
	search->trials++;
	learn_gates(search, trial);
	if (trial->other) {
		unsigned way = search->way[round_of(search, trial)];

		search->way_trials[way]++;
		search->way_hits[way] += order >= 0;
	}
	if (!is_known_trial)
		VEC_PUSH(&search->pending, trial_row(search, trial, search->id, order));
	if (!is_known_trial && meet_others(search, trial))
		return -1;
	if (order >= 0)
		count_hit(search, trial, order);
	if (flush_if_due(search))
		return -1;
	search->enough = is_enough(search);
	return search->enough;
}

/* An earlier search of this build has shown harm, this one (other seeds) has not. */
static bool has_better_witness(const struct search *search)
{
	const struct witness *old = search->candidate->witness;

	return old && !search->best.harm && reference_harm(&search->context->pool->reference, old->outcome) &&
	       witness_exists(search->context, search->id);
}

/* The example with the threads and values of a trial: those of the witness are the ones a replay shows. */
static int put_example(struct search *search, const struct trial *trial)
{
	const struct trial_hit *hit = trial_hit_of(trial, search->id);
	struct confirm_context *context = search->context;
	struct candidate met = *search->example;
	struct arena arena = ARENA_INIT;
	bool is_new;
	int result;

	met.rung = search->harmful ? RUNG_HARMFUL : RUNG_CONFIRMED;
	for (int i = 0; i < 2 && hit; i++) {
		met.access[i].value = describe_value(&arena, &hit->access[i]);
		met.access[i].thread = meeting_thread(&context->pool->meetings, &arena, hit->access[i].thread);
	}
	result = store_put_candidate(context->store, context->run, &met, &is_new);
	arena_free(&arena);
	return result;
}

/* What was seen goes into the store: rows, the example, the witness; shrinking may change the values. */
static int store_candidate(struct search *search)
{
	if (!search->example)
		return 0;
	if (put_example(search, &search->best.trial))
		return -1;
	if (has_better_witness(search))
		return 0;
	if (witness_store(search->context, &search->best, parts_of(search, &search->best.trial), search->id))
		return -1;
	return put_example(search, &search->best.trial);
}

static int store_deadlock(struct search *search)
{
	struct confirm_context *context = search->context;
	bool is_new;

	if (!search->cycle)
		return 0;
	if (store_put_deadlock(context->store, context->run, search->cycle, &is_new))
		return -1;
	return witness_store(context, &search->best, &search->parts, search->id);
}


/* Until something was missed nothing needs to be better. */
static unsigned next_way(const struct search *search)
{
	unsigned best = BY_CHANCE;

	if (search->hits == search->trials)
		return BY_CHANCE;
	if (search->round + 1 < WAYS)
		return search->round + 1;
	for (unsigned way = 1; way < WAYS; way++)
		if (search->way_hits[way] * search->way_trials[best] > search->way_hits[best] * search->way_trials[way])
			best = way;
	return best;
}

/* What the trials so far teach: the plan of the next round. */
static void learn(struct search *search, struct arena *arena, struct pool_job *job)
{
	struct wire_plan_parts *next = &search->loose[search->round + 1];
	unsigned way = search->way[search->round + 1] = next_way(search);

	*next = search->loose[0];
	next->plan.flags |= way_flag[way];
	if (way == ALONE) {
		next->plan.fill_policy = WIRE_POLICY_PCT;
		next->plan.depth = 1;
	} else if (search->gate_count) {
		plan_add_gates(search->context, arena, search->gates, search->gate_count, next);
	}
	if (search->hits < search->trials)
		job->letter_every = LETTER_EVERY;
}

/* The index after the last trial. */
static unsigned limit_of(const struct search *search)
{
	return search->lease ? search->base + search->lease->lease.count : search->context->options.trials;
}

static int run_round(struct search *search, struct arena *arena, struct pool_job *job)
{
	unsigned end = rounds[search->round];
	int result;

	end = end < limit_of(search) - search->base ? search->base + end : limit_of(search);
	job->count = end;
	job->other = search->is_deadlock ? NULL : &search->loose[search->round];
	result = pool_run(search->context, job);
	job->first = job->count;
	if (!search->is_deadlock && search->round + 1 < ROUNDS)
		learn(search, arena, job);
	search->round++;
	return result;
}

static int run_trials(struct search *search, struct arena *arena, const char *title)
{
	struct pool_job job = {
		.title = title, .parts = search->parts, .seed = search->context->options.seed, .keeps = search_keeps,
		.finished = search_finished, .hits = search_hits, .context = search,
	};
	unsigned limit = limit_of(search), known = search->known;
	int result = 0;

	if (search->lease)
		job.seed = search->lease->seed;
	job.first = search->base;
	while (!result && !search->enough && job.first < limit) {
		if (search->round + 1 == ROUNDS && job.first < known)
			job.first = known; /* nothing more to learn from those */
		result = run_round(search, arena, &job);
	}
	if (search->lease && search->lease->lost)
		return result;
	if (flush(search))
		result = -1;
	return result;
}

static void finish(struct search *search, struct confirm_result *result)
{
	*result = (struct confirm_result){
		.trials = search->trials, .hits = search->hits, .confirmed = search->hits > 0,
		.harmful = search->hits > 0 && (search->harmful || search->is_deadlock),
		.order = { search->order[0], search->order[1] },
		.variable = search->example ? search->example->variable : NULL,
	};
	witness_free(&search->best);
	VEC_FREE(&search->others);
	VEC_FREE(&search->pending);
}

/* An interrupted search still stores what it has; the message stays that of the interruption. */
static int end_interrupted(int result, int stored)
{
	if (result && stored == 0)
		error("%s", pool_interrupted() ? "interrupted: the trials finished by then are kept" : error_message());
	return result || stored ? -1 : 0;
}

static int plan_both(struct search *search, struct arena *arena)
{
	if (plan_candidate(search->context, arena, search->candidate, &search->parts))
		return -1;
	search->loose[0] = search->parts;
	search->loose[0].plan.flags |= WIRE_STRICT | WIRE_LET_GO;
	return plan_add_points(search->context, arena, &search->loose[0]);
}

int confirm_candidate(struct confirm_context *context, const struct candidate *candidate,
		      struct confirm_result *result)
{
	struct arena arena = ARENA_INIT;
	struct search search = { .context = context, .id = candidate->id, .candidate = candidate,
				 .flushed = monotonic_ms() };
	int r = -1, stored;
	bool ready = !pool_open(context) && !pool_take_reference(context), planned = ready && !plan_both(&search, &arena);

	if (planned) {
		r = run_trials(&search, &arena, candidate->id);
		stored = store_candidate(&search);
		r = end_interrupted(r, stored);
	}
	finish(&search, result);
	result->absent = ready && !planned && error_status() == 3 && !store_is_gone(context->store);
	arena_free(&arena);
	return r;
}

int confirm_deadlock(struct confirm_context *context, const struct deadlock *deadlock,
		     struct confirm_result *result)
{
	struct arena arena = ARENA_INIT;
	struct search search = { .context = context, .id = deadlock->id, .is_deadlock = true,
				 .flushed = monotonic_ms() };
	int r = -1, stored;
	bool ready = !pool_open(context) && !pool_take_reference(context);
	bool planned = ready && !plan_deadlock(context, &arena, deadlock, &search.parts);

	if (planned) {
		r = run_trials(&search, &arena, deadlock->id);
		stored = store_deadlock(&search);
		r = end_interrupted(r, stored);
	}
	finish(&search, result);
	result->absent = ready && !planned && error_status() == 3 && !store_is_gone(context->store);
	arena_free(&arena);
	return r;
}

/* ---- a lease of a campaign --------------------------------------------------------------------- */

/*
 * A lease learns for itself, in the same rounds as a search: what its trials do depends on the
 * plan, the seed and the lease's bounds alone. One that is gone on with makes the trials it
 * learns from again, without counting them.
 */

/* 0 none, 1 one that met, 2 one that did harm. */
static int stored_witness(const struct search *search)
{
	const struct witness *before = search->candidate ? search->candidate->witness : NULL;

	if (!witness_exists(search->context, search->id))
		return 0;
	return search->is_deadlock || (before && reference_harm(&search->context->pool->reference, before->outcome)) ? 2 : 1;
}

static bool wants_witness(const struct search *search)
{
	struct lease_run *run = search->lease;
	int level = !search->best.have ? 0 : search->best.harm || search->is_deadlock ? 2 : 1;

	if (level <= run->kept)
		return false;
	run->kept = level;
	return level > stored_witness(search);
}

/*
 * The witness is stored before the trials that show it: whatever is killed in between, no
 * finding is confirmed without one. Not shrunk, since trials are running.
 */
static int keep_witness(struct search *search)
{
	struct confirm_context *context = search->context;
	bool shrinks = context->options.shrink;
	int result;

	if (!wants_witness(search))
		return 0;
	context->options.shrink = false;
	result = search->is_deadlock ? store_deadlock(search) : store_candidate(search);
	context->options.shrink = shrinks;
	search->lease->shrinks = true;
	return result;
}

static int flush_lease(struct search *search)
{
	struct confirm_context *context = search->context;
	struct lease_run *run = search->lease;
	struct store_result result = { .settled = run->settled, .trials = search->pending.items,
				       .count = search->pending.count, .ms = monotonic_ms() - search->flushed };
	int ours;

	if (!run->settled)
		return 0;
	if (keep_witness(search))
		return -1;
	ours = store_put_lease(context->store, run->worker, context->run, context->program_id, &run->lease, &result);
	run->settled = 0;
	run->lost = !ours;
	return ours > 0 ? 0 : ours ? -1 : error("the lease of %s ran out: another worker has its trials", search->id);
}

/* The trials are counted; now there is time for a schedule with fewer switches. */
static int shrink_witness(struct search *search)
{
	if (!search->lease->shrinks || !search->context->options.shrink)
		return 0;
	return witness_store(search->context, &search->best, parts_of(search, &search->best.trial), search->id);
}

int search_lease(struct confirm_context *context, struct lease_run *run, const struct candidate *candidate,
		 const struct deadlock *deadlock, const struct wire_plan_parts *parts, const struct wire_plan_parts *loose)
{
	struct search search = {
		.context = context, .id = run->lease.target, .candidate = candidate, .is_deadlock = !candidate,
		.flushed = monotonic_ms(), .lease = run, .parts = *parts, .loose = { *loose },
		.base = run->lease.first, .known = run->lease.first + run->lease.done,
	};
	struct confirm_result ignored;
	struct arena arena = ARENA_INIT;
	int result = run_trials(&search, &arena, run->lease.target);

	if (!result)
		result = shrink_witness(&search);
	finish(&search, &ignored);
	arena_free(&arena);
	return result;
}
