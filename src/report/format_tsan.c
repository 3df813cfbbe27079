/*
 * format_tsan - ThreadSanitizer's text, so that what already parses it works unchanged.
 *
 * Only what was shown is a "data race" here; pairs below confirmed, suppressed ones and
 * failures have no word in this format: they are left out, and the last line counts them.
 * A lock cycle is TSan's "lock-order-inversion (potential deadlock)", happened or not.
 * Addresses and process ids differ in every run and are not kept: both are written as 0.
 */
#include <ctype.h>
#include <string.h>

#include "base/vec.h"
#include "report/internal.h"

#define NOWHERE "0x000000000000"
#define BAR "==================\n"

/* Mutexes are numbered over one warning, as they come. */
struct names {
	VEC(const char *) mutexes;
};

static size_t mutex_number(struct names *names, const char *name)
{
	for (size_t i = 0; i < names->mutexes.count; i++)
		if (!strcmp(names->mutexes.items[i], name))
			return i;
	VEC_PUSH(&names->mutexes, name);
	return names->mutexes.count - 1;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static void print_module(FILE *out, const struct place *place)
{
	if (place->module && *place->module)
		fprintf(out, " (%s+0x%llx)", base_name(place->module), (unsigned long long)place->offset);
	if (place->build_id && *place->build_id)
		fprintf(out, " (BuildId: %s)", place->build_id);
}

static void print_frame(const struct report *r, FILE *out, size_t number, const struct frame *f)
{
	fprintf(out, "    #%zu %s %s", number, f->function ? f->function : "<null>", f->line ? frame_where(r->arena, f) : "<null>");
	print_module(out, &f->place);
	fputc('\n', out);
}

static void print_stack(const struct report *r, FILE *out, const struct frame *stack, size_t count)
{
	for (size_t i = 0; i < count; i++)
		print_frame(r, out, i, &stack[i]);
}

/* ---- a race ------------------------------------------------------------------------------ */

/* "thread T2" of "T2, created at main.c:31 in main"; "main thread" stays. */
static const char *thread_name(struct arena *arena, const struct access *a)
{
	if (!a->thread)
		return "unknown thread";
	if (!strncmp(a->thread, "main thread", 11))
		return "main thread";
	return arena_printf(arena, "thread %.*s", (int)strcspn(a->thread, ", "), a->thread);
}

static void print_mutexes(FILE *out, struct names *names, const struct access *a)
{
	for (size_t i = 0; i < a->lock_count; i++)
		fprintf(out, "%s%s M%zu", i ? ", " : " (mutexes: ", lock_mode_name(a->locks[i].mode),
			mutex_number(names, a->locks[i].name));
	if (a->lock_count)
		fputc(')', out);
}

static void print_access(const struct report *r, FILE *out, struct names *names, const struct access *a, bool previous)
{
	char *kind = arena_printf(r->arena, "%s%s", a->flags & ACCESS_ATOMIC ? "atomic " : "", access_kind_name(a->flags));
	struct frame bare = { a->function, a->file && *a->file ? a->file : NULL, a->line, a->column, false, { 0 } };

	if (!previous)
		*kind = (char)toupper((unsigned char)*kind);
	fprintf(out, "  %s%s of size %u at " NOWHERE " by %s", previous ? "Previous " : "", kind, a->size,
		thread_name(r->arena, a));
	print_mutexes(out, names, a);
	fputs(":\n", out);
	if (a->place_count)
		bare.place = a->places[0];
	if (a->stack_count)
		print_stack(r, out, a->stack, a->stack_count);
	else
		print_frame(r, out, 0, &bare);
	fputc('\n', out);
}

static void print_location(FILE *out, const struct candidate *c)
{
	if (c->variable && (!c->memory || !strncmp(c->memory, "global", 6)))
		fprintf(out, "  Location is global '%s' at " NOWHERE "\n\n", c->variable);
	else if (c->memory)
		fprintf(out, "  Location is %s\n\n", c->memory);
}

/* "T2, created at main.c:31 in main" has the place and perhaps the function. */
static void print_thread(const struct report *r, FILE *out, const struct access *a)
{
	const char *at = a->thread ? strstr(a->thread, ", created at ") : NULL, *in;

	if (!at)
		return;
	at += strlen(", created at ");
	in = strstr(at, " in ");
	fprintf(out, "  Thread %.*s (tid=0, running) created%s at:\n", (int)strcspn(a->thread, ","), a->thread,
		in && !strcmp(in, " in main") ? " by main thread" : "");
	fprintf(out, "    #0 %s %.*s\n\n", in ? in + 4 : "<null>", (int)(in ? (size_t)(in - at) : strlen(at)), at);
}

static void print_summary(const struct report *r, FILE *out, const char *what, const char *where, const char *function)
{
	fprintf(out, "SUMMARY: ThreadSanitizer: %s %s in %s\n" BAR, what, where, function ? function : "<null>");
}

static void print_race(const struct report *r, FILE *out, const struct candidate *c)
{
	struct names names = { 0 };

	fputs(BAR "WARNING: ThreadSanitizer: data race (pid=0)\n", out);
	print_access(r, out, &names, &c->access[0], false);
	print_access(r, out, &names, &c->access[1], true);
	print_location(out, c);
	for (size_t i = 0; i < names.mutexes.count; i++)
		fprintf(out, "  Mutex M%zu (" NOWHERE ") is %s\n\n", i, names.mutexes.items[i]);
	print_thread(r, out, &c->access[0]);
	print_thread(r, out, &c->access[1]);
	print_summary(r, out, "data race", access_where(r->arena, &c->access[0]), c->access[0].function);
	VEC_FREE(&names.mutexes);
}

/* ---- a lock cycle --------------------------------------------------------------------------- */

static const char *known(const char *name)
{
	return name && *name ? name : "??";
}

static void print_cycle(const struct report *r, FILE *out, const struct deadlock *d)
{
	static const char what[] = "lock-order-inversion (potential deadlock)";
	struct names names = { 0 };

	fprintf(out, BAR "WARNING: ThreadSanitizer: %s (pid=0)\n  Cycle in lock order graph:", what);
	for (size_t i = 0; i < d->edge_count; i++)
		fprintf(out, " M%zu (" NOWHERE ") =>", mutex_number(&names, known(d->edges[i].holds)));
	fputs(" M0\n\n", out);
	for (size_t i = 0; i < d->edge_count; i++) {
		const struct deadlock_edge *e = &d->edges[i];

		fprintf(out, "  Mutex M%zu acquired here while holding mutex M%zu:\n", mutex_number(&names, known(e->waits_for)),
			mutex_number(&names, known(e->holds)));
		print_stack(r, out, e->stack, e->stack_count);
		fputc('\n', out);
	}
	for (size_t i = 0; i < names.mutexes.count; i++)
		fprintf(out, "  Mutex M%zu (" NOWHERE ") is %s\n\n", i, names.mutexes.items[i]);
	if (d->edge_count && d->edges[0].stack_count)
		print_summary(r, out, what, frame_where(r->arena, &d->edges[0].stack[0]), d->edges[0].stack[0].function);
	else
		print_summary(r, out, what, "<null>", NULL);
	VEC_FREE(&names.mutexes);
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void print_left_out(const struct report *r, FILE *out)
{
	const struct store_findings *f = &r->findings;
	size_t pairs = 0, suppressed = 0, failures = 0;

	for (size_t i = 0; i < f->candidate_count; i++) {
		suppressed += f->candidates[i].suppressed != NULL;
		pairs += !f->candidates[i].suppressed && f->candidates[i].rung < RUNG_CONFIRMED;
	}
	for (size_t i = 0; i < f->deadlock_count; i++)
		suppressed += f->deadlocks[i].suppressed != NULL;
	for (size_t i = 0; i < f->failure_count; i++) {
		suppressed += f->failures[i].suppressed != NULL;
		failures += !f->failures[i].suppressed;
	}
	if (pairs + suppressed + failures)
		fprintf(out, "deadheat: left out in this format: %zu not confirmed, %zu suppressed, %zu failure%s\n", pairs, suppressed,
			failures, failures == 1 ? "" : "s");
}

int report_tsan(const struct report *r, FILE *out)
{
	const struct store_findings *f = &r->findings;
	size_t count = 0;

	for (size_t i = 0; i < f->candidate_count; i++)
		if (is_shown_race(&f->candidates[i])) {
			print_race(r, out, &f->candidates[i]);
			count++;
		}
	for (size_t i = 0; i < f->deadlock_count; i++)
		if (!f->deadlocks[i].suppressed) {
			print_cycle(r, out, &f->deadlocks[i]);
			count++;
		}
	if (count)
		fprintf(out, "ThreadSanitizer: reported %zu warnings\n", count);
	print_left_out(r, out);
	return finish_report(out);
}
