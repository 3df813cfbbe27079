/*
 * rank - the paper's four filters (section 4.3), as an order instead of a sieve: what they would have
 * dropped comes later and says why. 0 is likeliest; each filter adds its weight, the weights being the
 * order in which the paper applies them.
 */
#include "find/scan/internal.h"

static bool made_here(const struct scan *s, const struct place_access *a)
{
	path_id root = path_at(s, a->path)->root;

	return path_at(s, root)->kind != PATH_PARENT && path_at(s, root)->kind != PATH_GLOBAL && path_is_object(s, root);
}

void rank_pair(struct descent *d, struct scan_pair *pair, const struct pair_view *v, struct arena *arena)
{
	struct scan *s = d->s;
	bool objects = path_is_object(s, path_at(s, v->a->path)->root) && path_is_object(s, path_at(s, v->b->path)->root);
	bool local = made_here(s, v->a) || made_here(s, v->b);
	size_t merged = points_to_objects(s, path_cell(s, v->a->path));
	bool boot = d->threads.items[v->a->thread].parent == IR_NO || d->threads.items[v->b->thread].parent == IR_NO;
	bool same = v->a->thread == v->b->thread;
	bool unknown = (v->ea->flags | v->eb->flags) & ACCESS_RANGE;

	pair->rank = (local ? 8u : 0) + (!objects && merged > 1 ? 4u : 0) + (boot && !same ? 2u : 0) + (same ? 1u : 0) + (unknown ? 16u : 0);
	pair->rank_reason = arena_printf(arena, "%s%s%s%s", local ? "allocated in the thread itself; " : "",
					 !objects && merged > 1 ? "its points-to class holds several objects; " : "",
					 boot && !same ? "one side is the main thread; " : "", same ? "both sides are the same thread entry; " : "");
	if (*pair->rank_reason) { /* without the last "; " */
		char *text = (char *)pair->rank_reason;
		size_t n = 0;

		while (text[n])
			n++;
		text[n - 2] = 0;
	}
}
