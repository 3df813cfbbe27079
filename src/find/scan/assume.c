/* assume - every step taken on trust, with its first place and how often; one line for one text. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"

/* One line whatever it quotes: assembly has many. */
static void one_line(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		bool blank = *from == ' ' || *from == '\n' || *from == '\t';

		if (!blank || (to > text && to[-1] != ' '))
			*to++ = blank ? ' ' : *from;
	}
	*to = 0;
}

static uint64_t text_hash(const char *text, enum assumption_kind kind, bool sound)
{
	uint64_t h = intern_mix((uint64_t)kind, sound);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
	return h ^ h >> 29;
}

/* Where it is or would be. A kernel has thousands of texts, each many times. */
static uint32_t *slot_of(struct scan *s, const char *text, enum assumption_kind kind, bool sound)
{
	size_t at = text_hash(text, kind, sound) & (s->assume_slot_count - 1);

	for (; s->assume_slots[at]; at = (at + 1) & (s->assume_slot_count - 1)) {
		const struct scan_assumption *a = &s->assumptions.items[s->assume_slots[at] - 1];

		if (a->kind == kind && a->sound == sound && !strcmp(a->text, text))
			break;
	}
	return &s->assume_slots[at];
}

static void make_room(struct scan *s)
{
	if ((s->assumptions.count + 1) * 2 <= s->assume_slot_count)
		return;
	free(s->assume_slots);
	s->assume_slot_count = s->assume_slot_count ? s->assume_slot_count * 2 : 256;
	s->assume_slots = calloc(s->assume_slot_count, sizeof(*s->assume_slots));
	if (!s->assume_slots)
		BUG("out of memory");
	for (uint32_t i = 0; i < s->assumptions.count; i++) {
		const struct scan_assumption *a = &s->assumptions.items[i];

		*slot_of(s, a->text, a->kind, a->sound) = i + 1;
	}
}

void assume(struct scan *s, enum assumption_kind kind, bool sound, uint32_t f, const struct ir_instr *in, const char *format, ...)
{
	const struct ir_unit *unit = f == IR_NO ? NULL : scan_unit(s, f);
	const struct ir_location *loc = unit ? &unit->locations[in ? in->loc : scan_function(s, f)->loc] : NULL;
	const char *file = loc ? ir_string(unit, loc->file) : "";
	int line = loc ? (int)loc->line : 0;
	char text[512];
	va_list args;
	uint32_t *slot;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	one_line(text);
	pthread_mutex_lock(&s->assume_lock);
	make_room(s);
	slot = slot_of(s, text, kind, sound);
	if (*slot) {
		struct scan_assumption *a = &s->assumptions.items[*slot - 1];

		a->count++;
		/* The first place in the order of names, not of work. */
		if (strcmp(file, a->file) < 0 || (!strcmp(file, a->file) && line < a->line)) {
			a->file = file;
			a->line = line;
		}
	} else {
		VEC_PUSH(&s->assumptions, (struct scan_assumption){ kind, arena_strdup(&s->arena, text), file, line, 1, sound });
		*slot = (uint32_t)s->assumptions.count;
	}
	pthread_mutex_unlock(&s->assume_lock);
}
