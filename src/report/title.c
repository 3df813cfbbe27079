/* title - names of findings for people: sorted, free of line numbers, never "race" below confirmed. */
#include <ctype.h>
#include <string.h>

#include "report/internal.h"

static const char *known(const char *name)
{
	return name && *name ? name : "??";
}

#define LONGEST_NAME 32 /* two of them and a variable still make a title */

static bool is_template(const char *name, const char *p)
{
	return *p == '<' && p > name && (isalnum((unsigned char)p[-1]) || p[-1] == '_') &&
	       (p - name < 8 || strncmp(p - 8, "operator", 8));
}

static const char *end_of_template(const char *p)
{
	int depth = 0;

	do {
		depth += *p == '<';
		depth -= *p == '>' && p[-1] != '-';
	} while (*p++ && depth);
	return p;
}

const char *function_short(struct arena *arena, const char *name)
{
	char *out, *w;

	name = known(name);
	if (strlen(name) <= LONGEST_NAME)
		return name;
	w = out = arena_alloc(arena, 3 * strlen(name) + 1);
	for (const char *p = name; *p;) {
		if (is_template(name, p)) {
			p = end_of_template(p);
			w = stpcpy(w, "<...>");
			if (!p[-1])
				break;
		} else {
			*w++ = *p++;
		}
	}
	*w = 0;
	return out;
}

const char *report_title(struct arena *arena, const struct candidate *c)
{
	const char *word = c->rung >= RUNG_CONFIRMED ? "data race"
						     : arena_printf(arena, "%s pair", rung_name(c->rung));

	return arena_printf(arena, "%s: %s / %s%s%s", word, function_short(arena, c->access[0].function),
			    function_short(arena, c->access[1].function), c->variable ? " on " : "", c->variable ? c->variable : "");
}

const char *deadlock_title(struct arena *arena, const struct deadlock *d)
{
	const char *title = d->rung >= RUNG_CONFIRMED ? "deadlock:" : "suspected deadlock:";

	for (size_t i = 0; i < d->edge_count; i++)
		title = arena_printf(arena, "%s%s%s", title, i ? " / " : " ", known(d->edges[i].holds));
	return title;
}

const char *failure_title(struct arena *arena, const struct failure *f)
{
	if (!f->message)
		return arena_printf(arena, "failure: %s", f->outcome);
	return arena_printf(arena, "failure: %s: %s", f->outcome, f->message);
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : known(path);
}

static const char *place_where(struct arena *arena, const struct place *place)
{
	return arena_printf(arena, "%s+0x%llx", base_name(place->module), (unsigned long long)place->offset);
}

static const char *line_where(struct arena *arena, const char *file, int line, int column)
{
	if (column)
		return arena_printf(arena, "%s:%d:%d", file, line, column);
	return arena_printf(arena, "%s:%d", file, line);
}

const char *access_words(struct arena *arena, const struct access *a)
{
	const char *how = a->flags & ACCESS_ATOMIC ? "atomic " : a->flags & ACCESS_VOLATILE ? "volatile " : "";
	const char *kind = a->flags & ACCESS_FREE ? "free" : access_kind_name(a->flags);

	if (!a->size)
		return arena_printf(arena, "%s%s", how, kind);
	return arena_printf(arena, "%s%s of %u byte%s", how, kind, a->size, a->size == 1 ? "" : "s");
}

const char *access_where(struct arena *arena, const struct access *a)
{
	if (a->line)
		return line_where(arena, known(a->file), a->line, a->column);
	return a->place_count ? place_where(arena, &a->places[0]) : "??";
}

const char *access_where_short(struct arena *arena, const struct access *a)
{
	const struct frame *own = own_frame(a);

	if (own)
		return line_where(arena, base_name(own->file), own->line, own->column);
	return a->line ? line_where(arena, base_name(a->file), a->line, a->column) : access_where(arena, a);
}

const char *frame_where(struct arena *arena, const struct frame *f)
{
	if (f->line)
		return line_where(arena, known(f->file), f->line, f->column);
	return place_where(arena, &f->place);
}

const char *finder_list(struct arena *arena, unsigned found_by)
{
	const char *list = "";

	for (unsigned bit = 1; bit && bit <= found_by; bit <<= 1)
		if ((found_by & bit) && finder_name(bit))
			list = arena_printf(arena, "%s%s%s", list, *list ? ", " : "", finder_name(bit));
	return *list ? list : "nobody";
}
