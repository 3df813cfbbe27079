/*
 * shrink - fewer context switches, same outcome: what a person has to follow.
 *
 * A schedule is a list of segments: turns of one thread in a row (with the free choices made
 * on the way). Three kinds of edits: leave everything from some point on to "stay with who
 * runs"; take out a stretch of segments (their threads then run when nobody else can), large
 * stretches first, as delta debugging does; join two segments of one thread by pulling the
 * later one forward or pushing the earlier one back. Each edit is tried by a replay that
 * follows it as far as it goes; if the same pair meets in the same order, or the same deadlock
 * is reached, the ending is the same and the switches are fewer, the run *as it was recorded*
 * becomes the new schedule. So what is stored is always a schedule that ran, never one that
 * was only thought of.
 *
 * Bounded by what replays cost in threads and steps, not in time: the result must not depend
 * on the load.
 */
#include <stdlib.h>
#include <string.h>

#include "confirm/internal.h"

#define COST_MAX 400         /* a replay costs one, and one more for eight threads */
#define STEPS_MAX 500000u

struct segment {
	uint32_t thread;
	size_t first, count; /* choices */
};

struct shrinking {
	struct confirm_context *context;
	const struct wire_plan_parts *parts;
	const char *id;
	struct trial *best;
	struct trial tried;         /* of the last replay */
	unsigned cost;
	uint64_t steps;
	size_t stretch;             /* segments to take out at once, next */
	struct arena arena;         /* of the present round */
	struct wire_choice *choices;
	size_t choice_count;
	VEC(struct segment) segments;
};

static void cut_into_segments(struct shrinking *s)
{
	const struct wire_step *steps = (const void *)s->best->schedule.buf;
	size_t count = s->best->schedule.len / sizeof(*steps);

	arena_free(&s->arena);
	s->choice_count = schedule_choices(&s->arena, steps, count, false, &s->choices);
	s->segments.count = 0;
	for (size_t i = 0; i < s->choice_count; i++) {
		bool starts = s->choices[i].kind == STEP_TURN &&
			      (!s->segments.count ||
			       s->segments.items[s->segments.count - 1].thread != s->choices[i].chosen);

		if (starts || !s->segments.count)
			VEC_PUSH(&s->segments, (struct segment){ s->choices[i].chosen, i, 0 });
		s->segments.items[s->segments.count - 1].count++;
	}
}

static int tried_finished(void *data, struct trial *trial)
{
	struct shrinking *s = data;

	trial_free(&s->tried);
	s->tried = *trial;
	s->tried.index = s->best->index;
	*trial = (struct trial)TRIAL_INIT;
	return 1;
}

static bool keep_always(void *data, const struct trial *trial)
{
	return true;
}

static int replay_choices(struct shrinking *s, const struct wire_choice *choices, size_t count)
{
	struct pool_job job = {
		.title = "shrinking", .count = 1, .parts = *s->parts, .seed = s->best->seed, .keeps = keep_always,
		.finished = tried_finished, .context = s,
	};

	job.parts.plan.policy = WIRE_POLICY_REPLAY;
	job.parts.choices = choices;
	job.parts.choice_count = count;
	if (pool_run(s->context, &job))
		return -1;
	s->cost += 1 + s->tried.threads / 8;
	s->steps += s->tried.steps + 1;
	return 0;
}

static bool is_same_meeting(const struct shrinking *s)
{
	const struct trial_hit *now = trial_hit_of(&s->tried, s->id), *then = trial_hit_of(s->best, s->id);

	if (then)
		return now && now->order == then->order;
	if (s->best->deadlock)
		return s->tried.deadlock && !strcmp(s->tried.deadlock->id, s->best->deadlock->id);
	return s->tried.ending.message == s->best->ending.message;
}

static bool is_better(const struct shrinking *s)
{
	return s->tried.ending.outcome == s->best->ending.outcome && s->tried.complete &&
	       s->tried.switches < s->best->switches && is_same_meeting(s);
}

/* Try these segments in this order: 1 it is better and now the best, 0 it is not, -1 error. */
static int try_order(struct shrinking *s, const size_t *order, size_t count)
{
	struct wire_choice *choices = malloc((s->choice_count + 1) * sizeof(*choices));
	size_t n = 0;
	int result;

	for (size_t i = 0; choices && i < count; i++) {
		const struct segment *segment = &s->segments.items[order[i]];

		memcpy(choices + n, s->choices + segment->first, segment->count * sizeof(*choices));
		n += segment->count;
	}
	result = choices ? replay_choices(s, choices, n) : -1;
	free(choices);
	if (result || !is_better(s))
		return result;
	trial_free(s->best);
	*s->best = s->tried;
	s->tried = (struct trial)TRIAL_INIT;
	return 1;
}

static void in_order(size_t *order, size_t count)
{
	for (size_t i = 0; i < count; i++)
		order[i] = i;
}

/* order without `from`, put in again before the place of `before`. */
static void move(size_t *order, size_t from, size_t before)
{
	size_t item = order[from];

	if (from < before) {
		memmove(order + from, order + from + 1, (before - from - 1) * sizeof(*order));
		order[before - 1] = item;
	} else {
		memmove(order + before + 1, order + before, (from - before) * sizeof(*order));
		order[before] = item;
	}
}

static bool is_spent(const struct shrinking *s)
{
	return s->cost >= COST_MAX || s->steps >= STEPS_MAX || s->best->switches <= 1;
}

/* order without the stretch [from, from + length). */
static size_t without(size_t *order, size_t count, size_t from, size_t length)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (i < from || i >= from + length)
			order[n++] = i;
	return n;
}

/* From the end to the beginning: the last stretch is the tail, often of no use at all. */
static int try_without(struct shrinking *s, size_t *order)
{
	size_t count = s->segments.count;
	int r = 0;

	if (!s->stretch || s->stretch > count / 2)
		s->stretch = count / 2;
	for (; s->stretch; s->stretch /= 2) {
		for (size_t end = count; end && !r && !is_spent(s);) {
			size_t length = s->stretch < end ? s->stretch : end;

			end -= length;
			r = try_order(s, order, without(order, count, end, length));
		}
		if (r || is_spent(s))
			return r;
	}
	return 0;
}

static size_t next_of_same(const struct shrinking *s, size_t k)
{
	for (size_t m = k + 1; m < s->segments.count; m++)
		if (s->segments.items[m].thread == s->segments.items[k].thread)
			return m;
	return 0;
}

static int try_joins(struct shrinking *s, size_t *order)
{
	size_t count = s->segments.count;
	int r = 0;

	for (size_t k = count; k-- > 0 && !r && !is_spent(s);) {
		size_t m = next_of_same(s, k);

		if (!m)
			continue;
		in_order(order, count);
		move(order, m, k + 1);
		r = try_order(s, order, count);
		if (r || is_spent(s))
			break;
		in_order(order, count);
		move(order, k, m);
		r = try_order(s, order, count);
	}
	return r;
}

/* One improvement: 1 found, 0 there is none within the bounds. */
static int improve(struct shrinking *s)
{
	size_t *order;
	int r;

	cut_into_segments(s);
	order = ARENA_ARRAY(&s->arena, size_t, s->segments.count + 1);
	r = try_without(s, order);
	return r || is_spent(s) ? r : try_joins(s, order);
}

int shrink(struct confirm_context *context, struct trial *trial, const struct wire_plan_parts *parts, const char *id)
{
	struct shrinking s = {
		.context = context, .parts = parts, .id = id, .best = trial, .tried = TRIAL_INIT,
	};
	int r = 1;

	while (r > 0 && !is_spent(&s) && !pool_interrupted())
		r = improve(&s);
	trial_free(&s.tried);
	VEC_FREE(&s.segments);
	arena_free(&s.arena);
	return r < 0 && !pool_interrupted() ? -1 : 0;
}
