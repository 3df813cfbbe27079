/*
 * line - the line table of a unit. libdw hands the rows out sorted by address with
 * end-of-sequence markers first among equals, so one binary search answers.
 */
#include <dwarf.h>

#include "sym/internal.h"

void unit_load_lines(struct unit *unit)
{
	size_t count;

	if (unit->lines_loaded)
		return;
	unit->lines_loaded = true;
	if (dwarf_getsrclines(&unit->cu, &unit->lines, &unit->line_count))
		unit->line_count = 0;
	if (dwarf_getsrcfiles(&unit->cu, &unit->files, &count))
		unit->files = NULL;
}

/* The last row at or before the address; NULL between two sequences. */
static Dwarf_Line *row_at(struct unit *unit, Dwarf_Addr address)
{
	size_t low = 0, high = unit->line_count;
	Dwarf_Line *row;
	Dwarf_Addr at;
	bool end;

	while (low < high) {
		size_t mid = (low + high) / 2;

		row = dwarf_onesrcline(unit->lines, mid);
		if (!dwarf_lineaddr(row, &at) && at <= address)
			low = mid + 1;
		else
			high = mid;
	}
	row = low ? dwarf_onesrcline(unit->lines, low - 1) : NULL;
	if (!row || dwarf_lineendsequence(row, &end) || end)
		return NULL;
	return row;
}

bool unit_line(struct sym *sym, struct unit *unit, Dwarf_Addr address, struct line_row *out)
{
	Dwarf_Line *row;

	unit_load_lines(unit);
	row = row_at(unit, address);
	if (!row)
		return false;
	*out = (struct line_row){ dwarf_linesrc(row, NULL, NULL), 0, 0 };
	dwarf_lineno(row, &out->line);
	dwarf_linecol(row, &out->column);
	return out->line > 0;
}

static Dwarf_Word number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_attr(die, name, &attr) && !dwarf_formudata(&attr, &value) ? value : 0;
}

void unit_call_site(struct sym *sym, struct unit *unit, struct scope *scope, struct line_row *row)
{
	unit_load_lines(unit);
	row->line = (int)number(&scope->die, DW_AT_call_line);
	row->column = (int)number(&scope->die, DW_AT_call_column);
	row->file = unit->files ? dwarf_filesrc(unit->files, number(&scope->die, DW_AT_call_file), NULL, NULL) : NULL;
}
