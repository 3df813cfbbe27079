/* suppress - see suppress.h: reading the rules, and marking what they match. */
#include "store/suppress.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "store/internal.h"

struct suppressions {
	struct arena arena;
	VEC(struct suppression) rules;
};

/* ---- dates --------------------------------------------------------------------------- */

bool is_date(const char *text)
{
	struct tm tm = { 0 }, same;
	char back[32];

	if (strlen(text) != 10 || !strptime(text, "%Y-%m-%d", &tm))
		return false;
	same = tm;
	timegm(&same); /* 02-30 becomes 03-02 */
	strftime(back, sizeof(back), "%Y-%m-%d", &same);
	return !strcmp(back, text);
}

bool date_is_over(const char *text)
{
	char today[32];
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(today, sizeof(today), "%Y-%m-%d", &tm);
	return strcmp(text, today) < 0;
}

/* ---- patterns ------------------------------------------------------------------------- */

/*
 * The pieces between the asterisks must come in order. The first is tied to the beginning by
 * ^, the last to the end by $; the leftmost place for each piece leaves most for the others.
 */
bool pattern_matches(const char *pattern, const char *text)
{
	bool tied = *pattern == '^';

	if (!text || !*text)
		return false;
	pattern += tied;
	for (;;) {
		size_t length = strcspn(pattern, "*$"), left = strlen(text);
		const char *at;

		if (pattern[length] == '$')
			return left >= length && !memcmp(text + left - length, pattern, length) && (!tied || left == length);
		at = tied ? (left >= length && !memcmp(text, pattern, length) ? text : NULL)
			  : memmem(text, left, pattern, length);
		if (!at)
			return false;
		if (!pattern[length])
			return true;
		text = at + length;
		pattern += length + 1;
		tied = false;
	}
}

static bool frame_matches(const char *pattern, const struct frame *frame)
{
	return pattern_matches(pattern, frame->function) || pattern_matches(pattern, frame->file) ||
	       pattern_matches(pattern, frame->place.module);
}

static bool stack_matches(const char *pattern, const struct frame *stack, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (frame_matches(pattern, &stack[i]))
			return true;
	return false;
}

/* The statement itself: known also where no stack is (a finding of scan). */
static bool top_matches(const char *pattern, const struct access *access)
{
	return pattern_matches(pattern, access->function) || pattern_matches(pattern, access->file) ||
	       stack_matches(pattern, access->stack, access->stack_count ? 1 : 0);
}

/* ---- kinds ------------------------------------------------------------------------------ */

static bool race_matches(const char *pattern, const struct candidate *c)
{
	for (int side = 0; side < 2; side++)
		if (top_matches(pattern, &c->access[side]) ||
		    stack_matches(pattern, c->access[side].stack, c->access[side].stack_count))
			return true;
	return pattern_matches(pattern, c->variable);
}

static bool race_top_matches(const char *pattern, const struct candidate *c)
{
	return top_matches(pattern, &c->access[0]) || top_matches(pattern, &c->access[1]);
}

static bool library_matches(const char *pattern, const struct candidate *c)
{
	for (int side = 0; side < 2; side++)
		if (c->access[side].stack_count && pattern_matches(pattern, c->access[side].stack[0].place.module))
			return true;
	return false;
}

static bool deadlock_matches(const char *pattern, const struct deadlock *d)
{
	for (size_t i = 0; i < d->edge_count; i++)
		if (stack_matches(pattern, d->edges[i].stack, d->edges[i].stack_count))
			return true;
	return false;
}

static const struct kind {
	const char *name;
	bool (*race)(const char *pattern, const struct candidate *candidate);
	bool (*deadlock)(const char *pattern, const struct deadlock *deadlock);
} kinds[] = {
	{ "finding", NULL, NULL },
	{ "race", race_matches, NULL },
	{ "race_top", race_top_matches, NULL },
	{ "deadlock", NULL, deadlock_matches },
	{ "called_from_lib", library_matches, NULL },
	{ "mutex", NULL, NULL },
	{ "thread", NULL, NULL },
	{ "signal", NULL, NULL },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct kind *kind_find(const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

/* ---- reading a file ------------------------------------------------------------------------ */

static int unknown_kind(const struct suppression *rule, const char *name)
{
	struct nearest near = { .word = name };

	for (size_t i = 0; i < KINDS; i++)
		nearest_consider(&near, kinds[i].name);
	if (near.best)
		return error_usage("%s:%d: '%s:' is no kind of suppression; did you mean '%s:'?", rule->file, rule->line,
				   name, near.best);
	return error_usage("%s:%d: '%s' is no suppression; a line is KIND:PATTERN, KIND one of finding, race, race_top, "
			   "deadlock, called_from_lib, mutex, thread, signal", rule->file, rule->line, name);
}

/* "ID [until DATE] because TEXT" */
static int read_finding(struct suppression *rule, char *text)
{
	char *because = strstr(text, " because "), *until;

	if (!because)
		return error_usage("%s:%d: 'finding:ID because TEXT' is the form; the reason is missing", rule->file, rule->line);
	*because = 0;
	rule->reason = because + strlen(" because ");
	until = strstr(text, " until ");
	if (until) {
		*until = 0;
		rule->until = until + strlen(" until ");
		if (!is_date(rule->until))
			return error_usage("%s:%d: '%s' is no date; write it as 2027-01-31", rule->file, rule->line, rule->until);
		rule->expired = date_is_over(rule->until);
	}
	rule->pattern = text;
	if (strlen(text) != CANDIDATE_ID_SIZE - 1 || strspn(text, "0123456789abcdef") != strlen(text))
		return error_usage("%s:%d: '%s' is no id; `deadheat suppress ID` writes this line", rule->file, rule->line, text);
	return 0;
}

static int read_rule(struct suppressions *s, struct suppression *rule, char *line)
{
	char *colon = strchr(line, ':');
	const struct kind *kind;

	if (!colon)
		return unknown_kind(rule, line);
	*colon = 0;
	kind = kind_find(line);
	if (!kind)
		return unknown_kind(rule, line);
	rule->kind = kind->name;
	if (kind == &kinds[0])
		return read_finding(rule, colon + 1);
	if (!colon[1])
		return error_usage("%s:%d: '%s:' has no pattern behind it", rule->file, rule->line, line);
	rule->pattern = colon + 1;
	rule->reason = arena_printf(&s->arena, "%s:%s (%s:%d)", line, rule->pattern, rule->file, rule->line);
	return 0;
}

static char *trim(char *line)
{
	size_t length;

	while (isspace((unsigned char)*line))
		line++;
	for (length = strlen(line); length && isspace((unsigned char)line[length - 1]); length--)
		line[length - 1] = 0;
	return line;
}

static int read_lines(struct suppressions *s, const char *path, char *text)
{
	int number = 0;

	for (char *line; (line = strsep(&text, "\n")); ) {
		struct suppression rule = { .file = path, .line = ++number };

		line = trim(line);
		if (!*line || *line == '#')
			continue;
		if (read_rule(s, &rule, line))
			return -1;
		VEC_PUSH(&s->rules, rule);
	}
	return 0;
}

static struct suppressions *suppressions_of(struct store *store)
{
	if (!store->suppressions)
		store->suppressions = calloc(1, sizeof(*store->suppressions));
	ASSERT(store->suppressions);
	return store->suppressions;
}

int store_add_suppressions(struct store *store, const char *path)
{
	struct suppressions *s = suppressions_of(store);
	struct strbuf text = STRBUF_INIT;
	int result = access(path, R_OK) ? error_usage("cannot read the suppressions in %s: %s", path, strerror(errno))
					: strbuf_read_file(&text, path);

	if (!result)
		result = read_lines(s, arena_strdup(&s->arena, path), arena_strdup(&s->arena, text.buf));
	strbuf_release(&text);
	return result;
}

int suppressions_load(struct store *store)
{
	struct suppressions *s = suppressions_of(store);
	const char *path = store_suppressions_path(store, &s->arena);

	return access(path, F_OK) ? 0 : store_add_suppressions(store, path);
}

void suppressions_free(struct store *store)
{
	if (!store->suppressions)
		return;
	VEC_FREE(&store->suppressions->rules);
	arena_free(&store->suppressions->arena);
	free(store->suppressions);
	store->suppressions = NULL;
}

const struct suppression *store_suppressions(const struct store *store, size_t *count)
{
	*count = store->suppressions ? store->suppressions->rules.count : 0;
	return *count ? store->suppressions->rules.items : NULL;
}

/* ---- marking --------------------------------------------------------------------------------- */

/* One finding against one rule; exactly one of race and deadlock is given, or none (a failure). */
static bool rule_matches(const struct suppression *rule, const char *id, const struct candidate *race,
			 const struct deadlock *deadlock)
{
	const struct kind *kind = kind_find(rule->kind);

	if (kind == &kinds[0])
		return !strcmp(rule->pattern, id);
	return (race && kind->race && kind->race(rule->pattern, race)) ||
	       (deadlock && kind->deadlock && kind->deadlock(rule->pattern, deadlock));
}

/* The reason of the first rule in force; all that match count. */
static const char *judge(struct suppressions *s, struct arena *arena, const char *id, const struct candidate *race,
			 const struct deadlock *deadlock)
{
	const struct suppression *by = NULL;

	for (size_t i = 0; i < s->rules.count; i++) {
		struct suppression *rule = &s->rules.items[i];

		if (!rule_matches(rule, id, race, deadlock))
			continue;
		rule->matched++;
		if (!by && !rule->expired)
			by = rule;
	}
	if (!by)
		return NULL;
	return by->until ? arena_printf(arena, "%s (until %s)", by->reason, by->until) : arena_strdup(arena, by->reason);
}

void suppressions_apply(struct store *store, struct arena *arena, struct store_findings *f)
{
	struct suppressions *s = suppressions_of(store);

	for (size_t i = 0; i < s->rules.count; i++)
		s->rules.items[i].matched = 0;
	for (size_t i = 0; i < f->candidate_count; i++)
		f->candidates[i].suppressed = judge(s, arena, f->candidates[i].id, &f->candidates[i], NULL);
	for (size_t i = 0; i < f->deadlock_count; i++)
		f->deadlocks[i].suppressed = judge(s, arena, f->deadlocks[i].id, NULL, &f->deadlocks[i]);
	for (size_t i = 0; i < f->failure_count; i++)
		f->failures[i].suppressed = judge(s, arena, f->failures[i].id, NULL, NULL);
}
