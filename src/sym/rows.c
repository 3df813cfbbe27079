/*
 * rows - from file:line to the addresses its code has: the line tables read the other way round.
 */
#include "sym/internal.h"

struct search {
	const char *file;
	int line;
	VEC(struct sym_row) rows;
};

static void add_row(struct search *s, struct module *module, Dwarf_Line *row, Dwarf_Addr high)
{
	const char *file = dwarf_linesrc(row, NULL, NULL);
	struct sym_row new = { .high = high + module->bias };
	Dwarf_Addr low;

	if (!file || !path_matches(file, s->file) || dwarf_lineaddr(row, &low) || high <= low)
		return;
	new.low = low + module->bias;
	dwarf_linecol(row, &new.column);
	VEC_PUSH(&s->rows, new);
}

static void search_unit(struct search *s, struct module *module, struct unit *unit)
{
	int line;
	bool end;

	unit_load_lines(unit);
	for (size_t i = 0; i + 1 < unit->line_count; i++) {
		Dwarf_Line *row = dwarf_onesrcline(unit->lines, i);
		Dwarf_Addr high;

		if (dwarf_lineno(row, &line) || line != s->line || dwarf_lineendsequence(row, &end) || end)
			continue;
		if (!dwarf_lineaddr(dwarf_onesrcline(unit->lines, i + 1), &high))
			add_row(s, module, row, high);
	}
}

size_t sym_rows_at(struct sym *sym, struct arena *arena, const char *path, const char *file, int line,
		   struct sym_row **rows)
{
	char build_id[BUILD_ID_HEX_MAX];
	struct search s = { .file = file, .line = line };
	struct module *module;
	size_t count;

	*rows = NULL;
	if (sym_build_id(path, build_id))
		return 0;
	module = module_get(sym, path, build_id);
	for (size_t i = 0; i < module->units.count; i++)
		search_unit(&s, module, &module->units.items[i]);
	count = s.rows.count;
	*rows = arena_copy(arena, s.rows.items, count * sizeof(**rows));
	VEC_FREE(&s.rows);
	return count;
}
