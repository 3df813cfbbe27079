/* history - when a finding was seen and climbed, in which run, of which build and command line. */
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "store/internal.h"

/* "./server -p 80", a word with a space in quotes. */
static const char *command_line(struct arena *arena, const char *packed)
{
	char **argv = unpack_strings(arena, arena_strdup(arena, packed));
	struct strbuf line = STRBUF_INIT;
	char *copy;

	for (size_t i = 0; argv[i]; i++) {
		const char *quote = strpbrk(argv[i], " \t\n'\"") || !*argv[i] ? "'" : "";

		strbuf_printf(&line, "%s%s%s%s", i ? " " : "", quote, argv[i], quote);
	}
	copy = arena_strdup(arena, line.buf);
	strbuf_release(&line);
	return copy;
}

typedef VEC(struct store_event) event_list;

#define RUN_AND_PROGRAM(run) " LEFT JOIN run r ON r.id = " run " LEFT JOIN program p ON p.id = r.program WHERE f.id = $1"

static int add_events(struct store *store, struct arena *arena, const char *sql, const char *id, const char *what,
		      event_list *events)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, sql, ARGS(TEXT(id)));
	int more = -1;

	while (c && (more = e->next(store, c)) > 0)
		VEC_PUSH(events, (struct store_event){
			.what = what ? what : rung_name((enum rung)e->number(c, 0)), .at = e->number(c, 1),
			.stage = arena_strdup(arena, e->text(c, 2)), .build_id = arena_strdup(arena, e->text(c, 3)),
			.command = e->text(c, 4) ? command_line(arena, e->text(c, 4)) : NULL });
	return more;
}

static int read_history(struct store *store, struct arena *arena, const char *id, event_list *events)
{
	if (add_events(store, arena, "SELECT 0, f.first_seen, r.stage, p.build_id, p.argv FROM finding f"
		       RUN_AND_PROGRAM("f.first_run"), id, "first seen", events) ||
	    add_events(store, arena, "SELECT c.rung, c.at, r.stage, p.build_id, p.argv FROM finding f"
		       " JOIN climb c ON c.finding = f.number" RUN_AND_PROGRAM("c.run") " ORDER BY c.rung", id, NULL, events))
		return -1;
	return add_events(store, arena, "SELECT 0, f.last_seen, r.stage, p.build_id, p.argv FROM finding f"
			  RUN_AND_PROGRAM("f.last_run"), id, "last seen", events);
}

int store_history(struct store *store, struct arena *arena, const char *id, struct store_event **events, size_t *count)
{
	event_list list = { 0 };
	int result = store->engine->begin(store, BEGIN_READ) ? -1 : sql_end(store, read_history(store, arena, id, &list));

	*count = list.count;
	*events = arena_copy(arena, list.items, list.count * sizeof(*list.items));
	VEC_FREE(&list);
	return result;
}
