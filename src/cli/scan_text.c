/*
 * scan_text - what scan prints for people.
 *
 *     1  2f47a1c0  claimed pair: push / pop on queue.length
 *          write  queue.c:13:9   push   holds nothing
 *                 push, created at main.c:40 (many)
 *          read   queue.c:27:8   pop    holds queue.lock (read)
 *                 worker, created at main.c:41: worker queue.c:60 > drain queue.c:44 > pop queue.c:27
 *          alias  the same global
 *          rank   0
 */
#include <string.h>

#include "base/error.h"
#include "base/tty.h"
#include "cli/scanning.h"

#define SHORT_ID 8

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

static const char *known(const char *text)
{
	return text && *text ? text : "?";
}

static void print_locks(const struct access *access, FILE *out)
{
	fputs(access->lock_count ? "holds" : "holds nothing", out);
	for (size_t i = 0; i < access->lock_count; i++)
		fprintf(out, "%s %s%s", i ? "," : "", known(access->locks[i].name),
			access->locks[i].mode == LOCK_READ ? " (read)" : "");
	fputs("\n", out);
}

/* "worker main.c:60 > drain queue.c:44 > pop queue.c:27" */
static void print_path(const struct scan_side *side, FILE *out)
{
	for (size_t i = 0; i < side->path_count; i++) {
		const struct scan_step *step = &side->path[i];

		fprintf(out, "%s%s %s:%d", i ? " > " : "", known(step->function), base_name(step->file), step->line);
		if (step->how && *step->how)
			fprintf(out, " [%s]", step->how);
	}
}

static void print_side(const struct scan_side *side, FILE *out)
{
	const struct access *a = &side->access;

	fprintf(out, "     %-6s %s:%d", access_kind_name(a->flags), base_name(a->file), a->line);
	if (a->column)
		fprintf(out, ":%d", a->column);
	fprintf(out, "  %s  ", known(a->function));
	if (a->flags & ACCESS_ATOMIC)
		fputs("atomic, ", out);
	print_locks(a, out);
	fprintf(out, "            %s: ", known(side->thread));
	print_path(side, out);
	fputs("\n", out);
}

static const char *title(const struct scan_claim *claim)
{
	static char text[512];
	const struct candidate *c = &claim->candidate;

	snprintf(text, sizeof(text), "claimed pair: %s / %s%s%s", known(c->access[0].function), known(c->access[1].function),
		 c->variable ? " on " : "", c->variable ? c->variable : "");
	return text;
}

static void print_claim(const struct scan_claim *claim, size_t number, FILE *out)
{
	const struct scan_pair *pair = claim->pair;

	fprintf(out, "%s%zu  %.*s  %s%s\n", tty_style(out, TTY_BOLD), number, SHORT_ID, claim->candidate.id, title(claim),
		tty_style(out, TTY_PLAIN));
	print_side(claim->side[0], out);
	print_side(claim->side[1], out);
	fprintf(out, "     alias  %s\n", known(pair->why_alias));
	if (pair->rank_reason && *pair->rank_reason)
		fprintf(out, "     rank   %u: %s\n", pair->rank, pair->rank_reason);
	fputs("\n", out);
}

static void print_exclusions(const struct scan_result *result, FILE *out)
{
	const char *lead = "excluded: ";

	for (int i = 0; i < EXCLUSION_COUNT; i++) {
		if (!result->excluded[i])
			continue;
		fprintf(out, "%s%llu by %s (%s)", lead, (unsigned long long)result->excluded[i],
			scan_exclusion_name((enum exclusion)i), scan_exclusion_text((enum exclusion)i));
		lead = ",\n          ";
	}
	if (*lead == ',')
		fputs("\n", out);
}

#define ASSUMPTIONS_SHOWN 40

static void print_assumptions(const struct scan_result *result, FILE *out)
{
	size_t shown = result->assumption_count < ASSUMPTIONS_SHOWN ? result->assumption_count : ASSUMPTIONS_SHOWN;

	if (!result->assumption_count)
		return;
	fputs("assumptions:\n", out);
	for (size_t i = 0; i < shown; i++) {
		const struct scan_assumption *a = &result->assumptions[i];

		fprintf(out, "  %s  %s", a->sound ? "safe  " : "unsafe", a->text);
		if (a->file && *a->file && a->line)
			fprintf(out, " (%s:%d%s)", base_name(a->file), a->line, a->count > 1 ? " and elsewhere" : "");
		fputs("\n", out);
	}
	if (shown < result->assumption_count)
		fprintf(out, "  and %zu more (--format json has them all)\n", result->assumption_count - shown);
}

static size_t count_unsound(const struct scan_result *result)
{
	size_t count = 0;

	for (size_t i = 0; i < result->assumption_count; i++)
		count += !result->assumptions[i].sound;
	return count;
}

static void print_verdict(const struct scan *scan, FILE *out)
{
	const struct scan_result *r = &scan->result;
	bool proved = r->race_free && !r->pair_count;
	const char *style = tty_style(out, proved ? TTY_GREEN : TTY_YELLOW), *plain = tty_style(out, TTY_PLAIN);

	if (proved)
		fprintf(out, "verdict: %srace-free%s: no pair is left of %zu considered%s\n", style, plain, r->considered_pairs,
			r->assumption_count ? ", under the assumptions above" : "");
	else if (scan->claim_count)
		fprintf(out, "verdict: %sundecided%s: %zu candidate%s, none shown yet; `deadheat confirm -- PROG` tries them\n", style,
			plain, scan->claim_count, scan->claim_count == 1 ? "" : "s");
	else if (scan->unlikely_count)
		fprintf(out, "verdict: %sundecided%s: only unlikely candidates, left out by --likely\n", style, plain);
	else
		fprintf(out, "verdict: %sundecided%s: no pair is left, but %zu unsafe assumption%s had to be made\n", style, plain,
			count_unsound(r), count_unsound(r) == 1 ? "" : "s");
}

void scan_print(const struct scan *scan, FILE *out, size_t top)
{
	size_t shown = top && top < scan->claim_count ? top : scan->claim_count;

	for (size_t i = 0; i < shown; i++)
		print_claim(&scan->claims[i], i + 1, out);
	if (shown < scan->claim_count)
		fprintf(out, "and %zu more (--top 0 prints all)\n\n", scan->claim_count - shown);
	if (scan->unlikely_count)
		fprintf(out, "%zu unlikely pairs left out (without --likely they are listed)\n", scan->unlikely_count);
	print_exclusions(&scan->result, out);
	print_assumptions(&scan->result, out);
	print_verdict(scan, out);
}

/* ---- --explain -------------------------------------------------------------------------------- */

static void explain_side(const struct scan_side *side, FILE *out)
{
	const struct access *a = &side->access;

	fprintf(out, "%s of %u bytes by %s at %s:%d\n", access_kind_name(a->flags), a->size, known(a->function), known(a->file), a->line);
	fprintf(out, "    object   %s\n", known(side->expression));
	fprintf(out, "    thread   %s\n", known(side->thread));
	for (size_t i = 0; i < side->path_count; i++) {
		const struct scan_step *step = &side->path[i];

		fprintf(out, "    %s  %s at %s:%d%s%s\n", i ? "calls  " : "starts ", known(step->function), known(step->file), step->line,
			step->how && *step->how ? ", " : "", step->how ? step->how : "");
	}
	fputs("    locks    ", out);
	print_locks(a, out);
	if (a->flags & ACCESS_ATOMIC)
		fputs("    atomic   yes\n", out);
	if (a->flags & ACCESS_VOLATILE)
		fputs("    volatile yes (which orders nothing)\n", out);
}

int scan_explain(const struct scan *scan, FILE *out, const char *id)
{
	const struct scan_claim *found = NULL;

	for (size_t i = 0; i < scan->claim_count; i++) {
		if (strncmp(scan->claims[i].candidate.id, id, strlen(id)))
			continue;
		if (found)
			return error_usage("--explain: %s is the beginning of several ids", id);
		found = &scan->claims[i];
	}
	if (!found)
		return error_usage("--explain: %s is no candidate of this scan", id);
	fprintf(out, "%s  %s\n", found->candidate.id, title(found));
	explain_side(found->side[0], out);
	explain_side(found->side[1], out);
	fprintf(out, "same object: %s\n", known(found->pair->why_alias));
	fputs("no lock is held on both sides, and none of the exclusions holds (deadheat help scan lists them)\n", out);
	fprintf(out, "rank %u%s%s; %zu way%s to these two statements\n", found->pair->rank,
		found->pair->rank_reason && *found->pair->rank_reason ? ": " : "", found->pair->rank_reason ? found->pair->rank_reason : "",
		found->ways, found->ways == 1 ? "" : "s");
	return 0;
}
