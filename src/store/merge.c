/*
 * merge - what two reports of one pair are together.
 *
 * Rungs climb, finders and places unite. Of the two examples (lines, threads, locks,
 * stacks, values) one is kept whole, never a mixture: the richer one, and of equals or of
 * another build the newer one, whose lines fit the source people have before them.
 * Trials, hits and outcomes are not merged here: they come from store_put_trial alone.
 *
 * I1  The stored order of the two sides stays: tallies and schedules speak of side 0
 *     and 1. A report with its sides the other way round (the functions changed places
 *     in the file) is turned first.
 */
#include <string.h>

#include "store/internal.h"

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static bool same_side(const struct access *a, const struct access *b)
{
	return access_is_write(a->flags) == access_is_write(b->flags) && a->ordinal == b->ordinal &&
	       same_text(a->function, b->function);
}

static bool is_turned(const struct candidate *old, const struct candidate *more)
{
	return !same_side(&old->access[0], &more->access[0]) && same_side(&old->access[0], &more->access[1]);
}

static bool same_place(const struct place *a, const struct place *b)
{
	return a->offset == b->offset && same_text(a->build_id, b->build_id) &&
	       (a->build_id[0] || same_text(a->module, b->module));
}

static bool has_place(const struct access *a, const struct place *place)
{
	for (size_t i = 0; i < a->place_count; i++)
		if (same_place(&a->places[i], place))
			return true;
	return false;
}

static void unite_places(struct arena *arena, struct access *result, const struct access *old, const struct access *more)
{
	struct place *places = ARENA_ARRAY(arena, struct place, old->place_count + more->place_count);
	size_t count = old->place_count;

	if (count)
		memcpy(places, old->places, count * sizeof(*places));
	for (size_t i = 0; i < more->place_count; i++)
		if (!has_place(old, &more->places[i]))
			places[count++] = more->places[i];
	result->places = places;
	result->place_count = count;
}

/* What was seen in a run (it has places) is worth more than what scan thinks. */
static int richness(const struct candidate *c)
{
	int points = 0;

	for (int i = 0; i < 2; i++)
		points += 4 * (c->access[i].place_count > 0) + 2 * (c->access[i].stack_count > 0) + (c->access[i].value != NULL);
	return points;
}

static bool other_build(const struct candidate *old, const struct candidate *more)
{
	for (int i = 0; i < 2; i++)
		if (old->access[i].place_count && more->access[i].place_count &&
		    !has_place(&old->access[i], &more->access[i].places[0]) &&
		    !same_text(old->access[i].places[0].build_id, more->access[i].places[0].build_id))
			return true;
	return false;
}

static bool is_better(const struct candidate *old, const struct candidate *more)
{
	if (richness(more) >= richness(old))
		return true;
	return other_build(old, more) && (more->access[0].stack_count || more->access[1].stack_count);
}

void merge_candidate(struct arena *arena, struct candidate *into, const struct candidate *more)
{
	struct candidate old = *into;
	bool turned = is_turned(&old, more), better = is_better(&old, more);

	into->rung = rung_max(old.rung, more->rung);
	into->found_by |= more->found_by;
	for (int i = 0; i < 2; i++) {
		const struct access *other = &more->access[turned ? 1 - i : i];

		if (better)
			into->access[i] = *other;
		unite_places(arena, &into->access[i], &old.access[i], other);
	}
	if (more->variable && (better || !old.variable))
		into->variable = more->variable;
	if (more->memory && (better || !old.memory))
		into->memory = more->memory;
	if (more->rank) /* the newest scan knows best */
		into->rank = more->rank;
}

static size_t stacks_of(const struct deadlock *d)
{
	size_t count = 0;

	for (size_t i = 0; i < d->edge_count; i++)
		count += d->edges[i].stack_count > 0;
	return count;
}

void merge_deadlock(struct deadlock *into, const struct deadlock *more)
{
	into->rung = rung_max(into->rung, more->rung);
	into->found_by |= more->found_by;
	if (stacks_of(more) < stacks_of(into))
		return;
	into->edges = more->edges;
	into->edge_count = more->edge_count;
}
