/* unpack - pack.c read back. A line that is not known is skipped, a field that is missing is unknown. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "store/internal.h"

#define FIELDS 9 /* of the longest line, A */

struct reader {
	struct arena *arena;
	char *next;                /* start of the next line, NULL at the end */
	char tag;
	const char *field[FIELDS];
	int count;
	VEC(struct place) modules; /* offset unused */
	VEC(struct held_lock) locks;
	VEC(struct frame) frames;
	VEC(struct place) places;
};

/* Undo the escapes in place; \N becomes NULL. */
static char *unescape(char *text)
{
	char *r = strchr(text, '\\'), *w = r;

	if (!r)
		return text;
	if (!strcmp(text, "\\N"))
		return NULL;
	for (; *r; r++) {
		if (*r == '\\' && r[1]) {
			r++;
			*w++ = *r == 't' ? '\t' : *r == 'n' ? '\n' : *r;
		} else {
			*w++ = *r;
		}
	}
	*w = 0;
	return text;
}

static bool read_line(struct reader *r)
{
	char *line = r->next, *field;

	if (!line || !*line)
		return false;
	strsep(&r->next, "\n");
	r->tag = *line++;
	r->count = 0;
	memset(r->field, 0, sizeof(r->field));
	if (*line == '\t')
		line++;
	while (r->count < FIELDS && (field = strsep(&line, "\t")))
		r->field[r->count++] = unescape(field);
	return true;
}

static int64_t number(const struct reader *r, int i)
{
	return r->field[i] ? strtoll(r->field[i], NULL, 10) : 0;
}

static struct place place_at(const struct reader *r, int i)
{
	size_t module = (size_t)number(r, i);
	struct place place = { "", "", 0 };

	if (module < r->modules.count)
		place = r->modules.items[module];
	place.offset = (uint64_t)number(r, i + 1);
	return place;
}

#define MOVE(r, vec, to, to_count) do { \
	(to_count) = (r)->vec.count; \
	(to) = (r)->vec.count ? arena_copy((r)->arena, (r)->vec.items, (r)->vec.count * sizeof(*(r)->vec.items)) : NULL; \
	(r)->vec.count = 0; \
} while (0)

static void close_access(struct reader *r, struct access *a)
{
	if (!a)
		return;
	MOVE(r, locks, a->locks, a->lock_count);
	MOVE(r, frames, a->stack, a->stack_count);
	MOVE(r, places, a->places, a->place_count);
}

static void read_access(const struct reader *r, struct access *a)
{
	a->flags = (unsigned)number(r, 0);
	a->size = (unsigned)number(r, 1);
	a->function = r->field[2];
	a->file = or_empty(r->field[3]);
	a->line = (int)number(r, 4);
	a->column = (int)number(r, 5);
	a->ordinal = (int)number(r, 6);
	a->thread = r->field[7];
	a->value = r->field[8];
}

/* Lines that may follow an A or an E. */
static void read_detail(struct reader *r)
{
	if (r->tag == 'M')
		VEC_PUSH(&r->modules, (struct place){ or_empty(r->field[0]), or_empty(r->field[1]), 0 });
	else if (r->tag == 'L')
		VEC_PUSH(&r->locks, (struct held_lock){ or_empty(r->field[1]), (enum lock_mode)number(r, 0) });
	else if (r->tag == 'P')
		VEC_PUSH(&r->places, place_at(r, 0));
	else if (r->tag == 'F')
		VEC_PUSH(&r->frames, (struct frame){ r->field[0], r->field[1], (int)number(r, 2), (int)number(r, 3),
						     number(r, 4) != 0, place_at(r, 5) });
}

static void reader_end(struct reader *r)
{
	VEC_FREE(&r->modules);
	VEC_FREE(&r->locks);
	VEC_FREE(&r->frames);
	VEC_FREE(&r->places);
}

int unpack_candidate(struct arena *arena, char *text, struct candidate *candidate)
{
	struct reader r = { .arena = arena, .next = text };
	struct access *side = NULL;
	int sides = 0;

	while (read_line(&r)) {
		if (r.tag == 'V') {
			candidate->variable = r.field[0];
			candidate->memory = r.field[1];
			candidate->rank = (unsigned)number(&r, 2);
		} else if (r.tag == 'A' && sides < 2) {
			close_access(&r, side);
			side = &candidate->access[sides++];
			read_access(&r, side);
		} else {
			read_detail(&r);
		}
	}
	close_access(&r, side);
	reader_end(&r);
	return sides == 2 ? 0 : error("finding %s in the store is damaged", candidate->id);
}

static void close_edge(struct reader *r, struct deadlock_edge *edge)
{
	if (edge)
		MOVE(r, frames, edge->stack, edge->stack_count);
}

int unpack_deadlock(struct arena *arena, char *text, struct deadlock *deadlock)
{
	struct reader r = { .arena = arena, .next = text };
	VEC(struct deadlock_edge) edges = { 0 };

	while (read_line(&r)) {
		if (r.tag != 'E') {
			read_detail(&r);
			continue;
		}
		close_edge(&r, edges.count ? &edges.items[edges.count - 1] : NULL);
		VEC_PUSH(&edges, (struct deadlock_edge){ .holds = or_empty(r.field[0]), .waits_for = or_empty(r.field[1]),
							 .held_at = place_at(&r, 2), .wait_at = place_at(&r, 4) });
	}
	close_edge(&r, edges.count ? &edges.items[edges.count - 1] : NULL);
	deadlock->edge_count = edges.count;
	deadlock->edges = arena_copy(arena, edges.items, edges.count * sizeof(*edges.items));
	VEC_FREE(&edges);
	reader_end(&r);
	return 0;
}

int unpack_failure(struct arena *arena, char *text, struct failure *failure)
{
	struct reader r = { .arena = arena, .next = text };

	if (!read_line(&r) || r.tag != 'O')
		return error("finding %s in the store is damaged", failure->id);
	failure->outcome = or_empty(r.field[0]);
	failure->message = r.field[1];
	return 0;
}

char **unpack_strings(struct arena *arena, char *text)
{
	VEC(char *) list = { 0 };
	char **copy, *field;

	if (*text == '\t')
		text++;
	else
		text = NULL;
	while (text && (field = strsep(&text, "\t"))) {
		char *plain = unescape(field);

		VEC_PUSH(&list, plain ? plain : field);
	}
	copy = ARENA_ARRAY(arena, char *, list.count + 1);
	if (list.count)
		memcpy(copy, list.items, list.count * sizeof(char *));
	VEC_FREE(&list);
	return copy;
}
