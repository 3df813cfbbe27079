/* assume - every step taken on trust, with its first place and how often; one line for one text. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "find/scan/internal.h"

void assume(struct scan *s, enum assumption_kind kind, bool sound, uint32_t f, const struct ir_instr *in, const char *format, ...)
{
	const struct ir_unit *unit = f == IR_NO ? NULL : scan_unit(s, f);
	const struct ir_location *loc = unit ? &unit->locations[in ? in->loc : scan_function(s, f)->loc] : NULL;
	const char *file = loc ? ir_string(unit, loc->file) : "";
	int line = loc ? (int)loc->line : 0;
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pthread_mutex_lock(&s->assume_lock);
	for (size_t i = 0; i < s->assumptions.count; i++) {
		struct scan_assumption *a = &s->assumptions.items[i];

		if (a->kind != kind || a->sound != sound || strcmp(a->text, text))
			continue;
		a->count++;
		/* The first place in the order of names, not of work. */
		if (strcmp(file, a->file) < 0 || (!strcmp(file, a->file) && line < a->line)) {
			a->file = file;
			a->line = line;
		}
		goto out;
	}
	VEC_PUSH(&s->assumptions, (struct scan_assumption){ kind, arena_strdup(&s->arena, text), file, line, 1, sound });
out:
	pthread_mutex_unlock(&s->assume_lock);
}
