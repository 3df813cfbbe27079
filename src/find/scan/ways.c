/* ways - see ways.h. */
#include <string.h>

#include "find/scan/ways.h"

int way_knows(const struct way *way, uint32_t value)
{
	for (uint32_t i = 0; i < way->count; i++)
		if (way->known[i].value == value)
			return way->known[i].nonzero;
	return -1;
}

void way_forget(struct way *way, uint32_t value)
{
	for (uint32_t i = 0; i < way->count; i++)
		if (way->known[i].value == value)
			way->known[i--] = way->known[--way->count];
}

void way_learn(struct way *way, uint32_t value, bool nonzero)
{
	way_forget(way, value);
	if (way->count == KNOWN) { /* the oldest goes */
		memmove(&way->known[0], &way->known[1], (KNOWN - 1) * sizeof(way->known[0]));
		way->count--;
	}
	way->known[way->count].value = value;
	way->known[way->count++].nonzero = nonzero;
}

void way_keep_common(struct way *a, const struct way *b)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (way_knows(b, a->known[i].value) != a->known[i].nonzero)
			a->known[i--] = a->known[--a->count];
}

static bool way_same(const struct way *a, const struct way *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (way_knows(b, a->known[i].value) != a->known[i].nonzero)
			return false;
	return true;
}

void ways_add(struct scan *s, struct ways *ways, const struct way *way)
{
	if (!way->state)
		return;
	for (uint32_t i = 0; i < ways->count; i++)
		if (ways->way[i].state == way->state) {
			way_keep_common(&ways->way[i], way);
			return;
		}
	for (uint32_t i = 0; i < ways->count; i++)
		if (way_same(&ways->way[i], way)) {
			ways->way[i].state = facts_meet(s, ways->way[i].state, way->state);
			return;
		}
	if (ways->count == WAYS) {
		struct way *last = &ways->way[WAYS - 1];

		last->state = facts_meet(s, last->state, way->state);
		way_keep_common(last, way);
		return;
	}
	ways->way[ways->count++] = *way;
}

/* Adds to the state at a block's entry; true if it changed. A block's ways are met when they do not come to rest. */
bool ways_merge(struct scan *s, struct ways *to, const struct ways *from, uint32_t visits)
{
	struct ways before = *to;

	for (uint32_t i = 0; i < from->count; i++)
		ways_add(s, to, &from->way[i]);
	if (visits > 24 && to->count > 1) {
		struct way one = to->way[0];

		for (uint32_t i = 1; i < to->count; i++) {
			one.state = facts_meet(s, one.state, to->way[i].state);
			way_keep_common(&one, &to->way[i]);
		}
		to->count = 1;
		to->way[0] = one;
	}
	if (before.count != to->count)
		return true;
	for (uint32_t i = 0; i < to->count; i++)
		if (before.way[i].state != to->way[i].state || !way_same(&before.way[i], &to->way[i]))
			return true;
	return false;
}
