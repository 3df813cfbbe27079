/*
 * pack - the details of a finding (accesses, locks, stacks, places) as lines of fields.
 *
 * One text column instead of child tables: a finding is always read whole, and a hundred
 * thousand of them must be read in well under a second. Decoding copies nothing, it cuts
 * the text up in place. Decided against JSON: parsing it costs several times as much.
 *
 *   line  = tag TAB field TAB field ... NEWLINE
 *   field = text with \t \n \\ for tab, newline, backslash; \N for "unknown" (NULL)
 *
 *   V variable memory [rank]           of a candidate; the rank of a claim
 *   M build-id path                    a module; later lines count them from 0
 *   A flags size function file line column ordinal thread value     one side
 *   L mode name                        a lock held by the last A
 *   F function file line column inlined module offset    a frame of the last A or E
 *   P module offset                    a place of the last A
 *   E holds waits_for module offset module offset        an edge of a deadlock
 *   O outcome message                  of a failure
 */
#include <inttypes.h>
#include <string.h>

#include "store/internal.h"

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
	if (candidate->rank)
		put_number(out, candidate->rank);
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
