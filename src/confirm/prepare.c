/*
 * prepare - before the first candidate of a program: how it ends undisturbed, how long an
 * undirected schedule is, and what a user should be told before he wonders.
 */
#include <string.h>

#include "base/error.h"
#include "confirm/internal.h"

#define UNDIRECTED 8 /* random trials to see whether a failing program can end well */
#define ENDLESS 3    /* ... or whether one that ends well alone ends under us too */

static void remark(const struct confirm_context *context, const char *line)
{
	if (context->note)
		context->note(line);
}

/* What a user should know before he wonders about 0 hits. */
static void remark_on(struct confirm_context *context, const struct trial *trial)
{
	const char *path = context->program->path;

	if (trial->threads > 1 || !trial->ending.counts || !strcmp(trial->ending.outcome, "watchdog"))
		return;
	if (trial->children)
		remark(context, judge_word("%s forks and its parent starts no thread: a daemon? Only the first process "
					   "is scheduled; run it in the foreground", path));
	else
		remark(context, judge_word("%s started no second thread (%s): with these arguments and this input "
					   "nothing can meet", path, trial->ending.outcome));
}

/* In a constructor, or in main before anything happened. If every trial does, no schedule can matter. */
static bool dies_alone(const struct confirm_pool *pool, const struct trial *trial)
{
	return !pool->reference.normal && trial->ending.counts && !trial->ending.normal && trial->threads <= 1 &&
	       !trial->children && !strncmp(trial->ending.outcome, "SIG", 3);
}

static bool is_endless(const struct trial *trial)
{
	return !strcmp(trial->ending.outcome, "hang") || !strcmp(trial->ending.outcome, "watchdog");
}

static int undirected_finished(void *data, struct trial *trial)
{
	struct confirm_context *context = data;
	struct confirm_pool *pool = context->pool;

	bool first = !pool->length;

	/* The length of one that ends by itself, and if none does, of the first. */
	if (first || (trial->ending.normal && pool->reference.endless)) {
		pool->length = trial->steps + 1;
		pool->reference.endless = !trial->ending.normal && is_endless(trial);
	}
	if (first && !dies_alone(pool, trial))
		remark_on(context, trial);
	pool->dies_alone = (first || pool->dies_alone) && dies_alone(pool, trial);
	if (!pool->reference.good && !strcmp(trial->ending.outcome, "exit 0"))
		reference_add(&pool->reference, &trial->ending);
	return pool->reference.good && (!pool->reference.endless || trial->index + 1 >= ENDLESS);
}

/* A few random schedules without a pair: how long is one, can the program end well? */
static int try_undirected(struct confirm_context *context)
{
	struct pool_job job = {
		.title = "undirected", .seed = context->options.seed, .finished = undirected_finished,
		.context = context, .count = UNDIRECTED,
	};
	struct arena arena = ARENA_INIT;
	int result = -1;

	plan_start(&job.parts, context);
	job.parts.plan.policy = WIRE_POLICY_RANDOM;
	if (!plan_add_points(context, &arena, &job.parts))
		result = pool_run(context, &job);
	if (!result && context->pool->dies_alone)
		result = error_cannot("%s crashes before it starts a thread (%s), also without deadheat",
				      context->program->path, context->pool->reference.outcomes.items[0]);
	if (!result && context->pool->reference.endless)
		remark(context, judge_word("%s does not end under the scheduler within its steps or its time: hangs are "
					   "not judged; --steps and --timeout raise the limits", context->program->path));
	arena_free(&arena);
	return result;
}

/* A program that asks for a terminal gets /dev/null here; its own words usually tell. */
static void remark_on_terminal(struct confirm_context *context)
{
	static const char *const words[] = { "not a tty", "not a terminal", "ioctl for device", "No such device or address" };
	const struct reference *reference = &context->pool->reference;

	for (size_t i = 0; !reference->good && i < sizeof(words) / sizeof(*words); i++)
		if (strstr(reference->output.buf, words[i])) {
			remark(context, judge_word("%s seems to need a terminal (it says \"%s\" and ends with %s): trials "
						   "have none; give it its input with --stdin FILE",
						   context->program->path, words[i], reference->outcomes.items[0]));
			return;
		}
}

/*
 * One thread at a time, with a switch at every point: a trial takes longer than the plain run,
 * by a factor of two on two cores, of fifty where it does nothing but lock.
 */
static uint64_t wall_for(const struct reference *reference, uint64_t most)
{
	uint64_t wall = 3000 + 50 * reference->took_ms;

	return wall < most ? wall : most;
}

int pool_take_reference(struct confirm_context *context)
{
	struct confirm_pool *pool = context->pool;

	if (pool->have_reference)
		return 0;
	if (reference_take(context, &pool->reference))
		return -1;
	if (pool_interrupted())
		return error("interrupted before the first trial");
	if (context->options.wall_auto)
		context->options.wall_ms = wall_for(&pool->reference, context->options.wall_ms);
	remark_on_terminal(context);
	if (try_undirected(context))
		return -1;
	pool->have_reference = true;
	return 0;
}
