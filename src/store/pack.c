/*
 * pack - the details of a finding (accesses, locks, stacks, places) as lines of fields.
 *
 * One text column instead of child tables: a finding is always read whole, and a hundred
 * thousand of them must be read in well under a second. Decoding copies nothing, it cuts
 * the text up in place. Decided against JSON: parsing it costs ten times as much.
 *
 *   line  = tag TAB field TAB field ... NEWLINE
 *   field = text with \t \n \\ for tab, newline, backslash; \N for "unknown" (NULL)
 *
 *   V variable memory                  of a candidate
 *   M build-id path                    a module; later lines count them from 0
 *   A flags size function file line column ordinal thread value     one side
 *   L mode name                        a lock held by the last A
 *   F function file line column inlined module offset    a frame of the last A or E
 *   P module offset                    a place of the last A
 *   E holds waits_for module offset module offset        an edge of a deadlock
 *   O outcome message                  of a failure
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "store/internal.h"

/* ---- writing --------------------------------------------------------------------- */

static void put_text(struct strbuf *out, const char *text)
{
	strbuf_putc(out, '\t');
	if (!text) {
		strbuf_puts(out, "\\N");
		return;
	}
	for (;;) {
		size_t n = strcspn(text, "\t\n\\");

		strbuf_add(out, text, n);
		text += n;
		if (!*text)
			return;
		strbuf_puts(out, *text == '\t' ? "\\t" : *text == '\n' ? "\\n" : "\\\\");
		text++;
	}
}

static void put_number(struct strbuf *out, int64_t number)
{
	strbuf_printf(out, "\t%" PRId64, number);
}

/* Modules are written where they are first used. */
struct modules {
	struct { const char *build_id, *path; } items[64]; /* past that a module is written again */
	size_t count;
	int64_t lines;
	int64_t number[64];
};

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static int64_t module_number(struct strbuf *out, struct modules *modules, const struct place *place)
{
	const char *build_id = or_empty(place->build_id), *path = or_empty(place->module);
	size_t i;

	for (i = 0; i < modules->count; i++)
		if (!strcmp(modules->items[i].build_id, build_id) && !strcmp(modules->items[i].path, path))
			return modules->number[i];
	strbuf_putc(out, 'M');
	put_text(out, build_id);
	put_text(out, path);
	strbuf_putc(out, '\n');
	if (i == 64)
		return modules->lines++;
	modules->items[i].build_id = build_id;
	modules->items[i].path = path;
	modules->number[i] = modules->lines;
	modules->count++;
	return modules->lines++;
}

static void put_place(struct strbuf *out, int64_t module, uint64_t offset)
{
	put_number(out, module);
	put_number(out, (int64_t)offset);
}

static void put_frame(struct strbuf *out, struct modules *modules, const struct frame *f)
{
	int64_t module = module_number(out, modules, &f->place);

	strbuf_putc(out, 'F');
	put_text(out, f->function);
	put_text(out, f->file);
	put_number(out, f->line);
	put_number(out, f->column);
	put_number(out, f->inlined);
	put_place(out, module, f->place.offset);
	strbuf_putc(out, '\n');
}

static void put_access(struct strbuf *out, struct modules *modules, const struct access *a)
{
	strbuf_putc(out, 'A');
	put_number(out, a->flags);
	put_number(out, a->size);
	put_text(out, a->function);
	put_text(out, a->file);
	put_number(out, a->line);
	put_number(out, a->column);
	put_number(out, a->ordinal);
	put_text(out, a->thread);
	put_text(out, a->value);
	strbuf_putc(out, '\n');
	for (size_t i = 0; i < a->lock_count; i++) {
		strbuf_putc(out, 'L');
		put_number(out, a->locks[i].mode);
		put_text(out, a->locks[i].name);
		strbuf_putc(out, '\n');
	}
	for (size_t i = 0; i < a->stack_count; i++)
		put_frame(out, modules, &a->stack[i]);
	for (size_t i = 0; i < a->place_count; i++) {
		int64_t module = module_number(out, modules, &a->places[i]);

		strbuf_putc(out, 'P');
		put_place(out, module, a->places[i].offset);
		strbuf_putc(out, '\n');
	}
}

void pack_candidate(struct strbuf *out, const struct candidate *candidate)
{
	struct modules modules = { .count = 0 };

	strbuf_putc(out, 'V');
	put_text(out, candidate->variable);
	put_text(out, candidate->memory);
	strbuf_putc(out, '\n');
	put_access(out, &modules, &candidate->access[0]);
	put_access(out, &modules, &candidate->access[1]);
}

void pack_deadlock(struct strbuf *out, const struct deadlock *deadlock)
{
	struct modules modules = { .count = 0 };

	for (size_t i = 0; i < deadlock->edge_count; i++) {
		const struct deadlock_edge *e = &deadlock->edges[i];
		int64_t held = module_number(out, &modules, &e->held_at);
		int64_t wait = module_number(out, &modules, &e->wait_at);

		strbuf_putc(out, 'E');
		put_text(out, e->holds);
		put_text(out, e->waits_for);
		put_place(out, held, e->held_at.offset);
		put_place(out, wait, e->wait_at.offset);
		strbuf_putc(out, '\n');
		for (size_t k = 0; k < e->stack_count; k++)
			put_frame(out, &modules, &e->stack[k]);
	}
}

void pack_failure(struct strbuf *out, const struct failure *failure)
{
	strbuf_putc(out, 'O');
	put_text(out, failure->outcome);
	put_text(out, failure->message);
	strbuf_putc(out, '\n');
}

void pack_strings(struct strbuf *out, char **strings)
{
	for (; strings && *strings; strings++)
		put_text(out, *strings);
}

/* ---- reading ------------------------------------------------------------------------ */

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
