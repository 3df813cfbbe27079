/*
 * rank - the paper's four filters (section 4.3), as an order instead of a sieve: what they would have
 * dropped comes later and says why. 0 is likeliest; each reason adds its weight, the weights being the
 * order in which the paper applies its filters, then ours:
 *
 *     32  both hold a lock of the same name, though it was not proved to be the same object
 *     16  one side is a library call on all that its argument reaches
 *      2  one side is a signal handler (of a program): two of it hardly ever meet
 *
 * Of claims with equal weight the first of each variable comes before the second of any (pairs.c).
 */
#include <stdio.h>
#include <string.h>

#include "find/scan/internal.h"

struct reason {
	bool holds;
	unsigned weight;
	const char *text;
};

static bool made_here(const struct scan *s, const struct place_access *a)
{
	path_id root = path_at(s, a->path)->root;

	return path_at(s, root)->kind != PATH_PARENT && path_at(s, root)->kind != PATH_GLOBAL && path_is_object(s, root);
}

static bool locks_named_alike(const struct scan_pair *pair)
{
	const struct access *a = &pair->side[0].access, *b = &pair->side[1].access;

	for (size_t i = 0; i < a->lock_count; i++)
		for (size_t j = 0; j < b->lock_count; j++)
			if (lock_modes_exclude(a->locks[i].mode, b->locks[j].mode) && !strcmp(a->locks[i].name, b->locks[j].name))
				return true;
	return false;
}

void rank_pair(struct descent *d, struct scan_pair *pair, const struct pair_view *v, struct arena *arena)
{
	struct scan *s = d->s;
	const struct thread *ta = &d->threads.items[v->a->thread], *tb = &d->threads.items[v->b->thread];
	bool objects = path_is_object(s, path_at(s, v->a->path)->root) && path_is_object(s, path_at(s, v->b->path)->root);
	bool same = v->a->thread == v->b->thread;
	const struct reason reasons[] = {
		{ locks_named_alike(pair), 32, "both hold a lock of the same name" },
		{ (v->ea->flags | v->eb->flags) & ACCESS_RANGE, 16, "" },
		{ made_here(s, v->a) || made_here(s, v->b), 8, "allocated in the thread itself" },
		{ !objects && points_to_objects(s, path_cell(s, v->a->path)) > 1, 4, "its points-to class holds several objects" },
		{ (ta->parent == IR_NO || tb->parent == IR_NO) && !same, 2, "one side is the main thread" },
		{ !s->parallel && (ta->handler || tb->handler), 2, "one side is a signal handler" },
		{ same, 1, "both sides are the same thread entry" },
	};
	char text[400] = "";

	pair->rank = 0;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		size_t length = strlen(text);

		if (!reasons[i].holds)
			continue;
		pair->rank += reasons[i].weight;
		if (*reasons[i].text)
			snprintf(text + length, sizeof(text) - length, "%s%s", length ? "; " : "", reasons[i].text);
	}
	pair->rank_reason = arena_strdup(arena, text);
}
