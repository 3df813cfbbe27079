/*
 * doctor - what this machine lets deadheat do. Each check looks at one thing by trying it
 * where that is possible, and says what is so, what will not work, and one line that mends it.
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "base/arena.h"

enum health {
	HEALTH_GOOD,
	HEALTH_LESS,  /* a part of deadheat will not work, or worse */
	HEALTH_BAD,   /* deadheat cannot do its work here */
};

struct diagnosis {
	enum health health;
	const char *text;  /* what is so, and what does not work because of it */
	const char *mend;  /* a line to copy, or NULL */
};

struct doctor_check {
	const char *name;
	struct diagnosis (*look)(struct arena *arena);
};

extern const struct doctor_check doctor_checks[];
extern const unsigned doctor_check_count;

/* doctor_try.c: builds a program with a race, finds it, shows it. */
struct diagnosis doctor_try(struct arena *arena);

/* doctor_watch.c: what watching unmodified programs needs. */
struct diagnosis doctor_samples(struct arena *arena);
struct diagnosis doctor_watchpoints(struct arena *arena);
struct diagnosis doctor_text(struct arena *arena);
struct diagnosis doctor_attach(struct arena *arena);

/* First line of what a command prints on standard output, NULL if it cannot be run. */
const char *doctor_first_line(struct arena *arena, const char *program, const char *argument);
/* Path of a program, NULL if PATH has none. */
const char *doctor_find(struct arena *arena, const char *program);

#define GOOD(...) ((struct diagnosis){ HEALTH_GOOD, arena_printf(arena, __VA_ARGS__), NULL })
#define LESS(mend, ...) ((struct diagnosis){ HEALTH_LESS, arena_printf(arena, __VA_ARGS__), mend })
#define BAD(mend, ...) ((struct diagnosis){ HEALTH_BAD, arena_printf(arena, __VA_ARGS__), mend })

#endif
