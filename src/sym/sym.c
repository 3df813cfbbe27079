/* sym - see sym.h. The table of contents of a lookup: module, unit, scopes, lines. */
#include "sym/sym.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "sym/internal.h"

struct sym *sym_open(void)
{
	struct sym *sym = calloc(1, sizeof(*sym));

	if (!sym)
		return NULL;
	sym->cwd = getcwd(NULL, 0);
	if (!sym->cwd)
		sym->cwd = strdup("");
	return sym;
}

void sym_close(struct sym *sym)
{
	if (!sym)
		return;
	for (struct module *m = sym->modules; m; m = m->next)
		module_free(m);
	arena_free(&sym->arena);
	free(sym->cwd);
	free(sym);
}

/* ---- frames -------------------------------------------------------------------- */

static size_t frame_from_symbol(struct sym *sym, struct arena *arena, struct module *module,
				const struct place *place, struct frame **frames)
{
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name = NULL;

	if (module->mod)
		name = dwfl_module_addrinfo(module->mod, place->offset, &offset, &symbol, NULL, NULL, NULL);
	if (name && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT)
		name = NULL;
	*frames = ARENA_NEW(arena, struct frame);
	(*frames)->function = arena_strdup(&sym->arena, name);
	(*frames)->place = *place;
	return 1;
}

static void fill_frame(struct sym *sym, struct frame *frame, const struct line_row *row, const struct place *place)
{
	frame->file = path_display(sym, &sym->arena, row->file);
	frame->line = row->line;
	frame->column = row->column;
	frame->place = *place;
}

static size_t frames_from_scopes(struct sym *sym, struct arena *arena, struct module *module, struct unit *unit,
				 int innermost, struct line_row row, const struct place *place,
				 struct frame **frames)
{
	size_t count = 0;

	for (int s = innermost; s >= 0; s = unit->scopes.items[s].parent)
		count++;
	*frames = ARENA_ARRAY(arena, struct frame, count);
	count = 0;
	for (int s = innermost; s >= 0; s = unit->scopes.items[s].parent) {
		struct scope *scope = &unit->scopes.items[s];
		struct frame *frame = &(*frames)[count++];

		frame->function = scope_name(sym, module, unit, scope);
		frame->inlined = scope->inlined;
		fill_frame(sym, frame, &row, place);
		unit_call_site(sym, unit, scope, &row);
	}
	return count;
}

size_t sym_frames(struct sym *sym, struct arena *arena, const struct place *place,
		  struct frame **frames, int *first_line)
{
	struct module *module = module_get(sym, place->module, place->build_id);
	Dwarf_Addr address = place->offset - module->bias;
	struct unit *unit = module_unit(module, address);
	struct line_row row = { 0 };
	size_t count;
	int scope;

	if (first_line)
		*first_line = 0;
	if (!unit)
		return frame_from_symbol(sym, arena, module, place, frames);
	unit_load_scopes(sym, unit);
	unit_line(sym, unit, address, &row);
	scope = unit_scope(unit, address);
	if (scope < 0) {
		count = frame_from_symbol(sym, arena, module, place, frames);
		fill_frame(sym, *frames, &row, place);
		return count;
	}
	if (first_line)
		*first_line = scope_first_line(sym, module, unit, &unit->scopes.items[scope]);
	return frames_from_scopes(sym, arena, module, unit, scope, row, place, frames);
}

size_t sym_function(struct sym *sym, struct arena *arena, const struct place *place, struct frame **frames)
{
	return frame_from_symbol(sym, arena, module_named(sym, place->module, place->build_id), place, frames);
}

/* ---- source lines ------------------------------------------------------------------ */

static void split_lines(struct sym *sym, struct source *source, char *text)
{
	VEC(char *) lines = { 0 };
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n")))
		VEC_PUSH(&lines, line);
	source->lines = arena_copy(&sym->arena, lines.items, lines.count * sizeof(char *));
	source->count = lines.count;
	VEC_FREE(&lines);
}

static int read_source(struct sym *sym, struct strbuf *text, const char *file)
{
	if (*file == '/')
		return strbuf_read_file(text, file);
	if (!strbuf_read_file(text, arena_printf(&sym->arena, "%s/%s", sym->cwd, file)))
		return 0;
	return sym->folder ? strbuf_read_file(text, arena_printf(&sym->arena, "%s/%s", sym->folder, file)) : -1;
}

void sym_search_folder(struct sym *sym, const char *folder)
{
	sym->folder = arena_strdup(&sym->arena, folder);
}

static struct source *source_get(struct sym *sym, const char *file)
{
	struct strbuf text = STRBUF_INIT;
	struct source *s;

	for (s = sym->sources; s; s = s->next)
		if (!strcmp(s->file, file))
			return s;
	s = ARENA_NEW(&sym->arena, struct source);
	s->file = arena_strdup(&sym->arena, file);
	s->next = sym->sources;
	sym->sources = s;
	if (!read_source(sym, &text, file))
		split_lines(sym, s, arena_copy(&sym->arena, text.buf, text.len + 1));
	strbuf_release(&text);
	return s;
}

const char *sym_source_line(struct sym *sym, const char *file, int line)
{
	struct source *source;
	const char *slash;

	if (!file || !*file || line <= 0)
		return NULL;
	source = source_get(sym, file);
	slash = strrchr(file, '/');
	if (!source->count && slash)
		source = source_get(sym, slash + 1);
	return (size_t)line <= source->count ? source->lines[line - 1] : NULL;
}
