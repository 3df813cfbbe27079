/* judge_all - see judge_all.h. */
#include "cli/judge_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/tty.h"
#include "report/report.h"

void judge_add(struct judge_list *list, const char *id)
{
	struct judge_id item;

	for (size_t i = 0; i < list->ids.count; i++)
		if (!strcmp(list->ids.items[i].id, id))
			return;
	snprintf(item.id, sizeof(item.id), "%s", id);
	VEC_PUSH(&list->ids, item);
}

void judge_free(struct judge_list *list)
{
	VEC_FREE(&list->ids);
}

struct judging {
	struct session *session;
	struct judge_list *list;
	struct judge_count *count;
	FILE *out;
	bool all;
};

/* "7f3a12c4  harmful    12 of 12 trials  inc / flush on counter" */
static void say_line(const struct judging *j, const char *id, const char *rung, const struct confirm_result *result,
		     const char *title)
{
	progress_clear();
	if (j->out)
		fprintf(j->out, "%s  %-9s  hit in %u of %u trial%s  %s\n", id, rung, result->hits, result->trials,
			result->trials == 1 ? "" : "s", title);
	if (j->out)
		fflush(j->out);
}

static void tally(struct judging *j, const struct confirm_result *result)
{
	j->count->judged++;
	j->count->confirmed += result->confirmed;
	j->count->harmful += result->harmful;
}

/* Not in this program: that ends a named one, not a walk over all. */
static int skip(struct judging *j, const char *id, const struct confirm_result *result)
{
	if (!j->all || !result->absent)
		return -1;
	cli_say("%s skipped: %s", id, error_message());
	j->count->skipped++;
	return 0;
}

static int judge_candidate(struct judging *j, struct arena *arena, const struct candidate *candidate)
{
	struct confirm_result result;
	struct candidate titled = *candidate;

	if (confirm_candidate(&j->session->confirm, candidate, &result))
		return skip(j, candidate->id, &result);
	tally(j, &result);
	if (result.confirmed)
		titled.rung = rung_max(candidate->rung, result.harmful ? RUNG_HARMFUL : RUNG_CONFIRMED);
	if (!titled.variable)
		titled.variable = result.variable;
	say_line(j, candidate->id, rung_name(titled.rung), &result, report_title(arena, &titled));
	return 0;
}

static int judge_deadlock(struct judging *j, const struct deadlock *deadlock)
{
	struct confirm_result result;

	if (confirm_deadlock(&j->session->confirm, deadlock, &result))
		return skip(j, deadlock->id, &result);
	tally(j, &result);
	say_line(j, deadlock->id, rung_name(result.confirmed ? RUNG_HARMFUL : deadlock->rung), &result,
		 result.confirmed ? "deadlock" : "suspected deadlock");
	return 0;
}

static int judge_id(struct judging *j, struct arena *arena, const struct store_findings *findings, const char *id)
{
	for (size_t i = 0; i < findings->candidate_count; i++)
		if (!strcmp(findings->candidates[i].id, id))
			return j->list->found && findings->candidates[i].suppressed ? 0 : judge_candidate(j, arena, &findings->candidates[i]);
	for (size_t i = 0; i < findings->deadlock_count; i++)
		if (!strcmp(findings->deadlocks[i].id, id))
			return j->list->found && findings->deadlocks[i].suppressed ? 0 : judge_deadlock(j, &findings->deadlocks[i]);
	return error_usage("%s is a failure found by fuzz: there is no pair to confirm; deadheat replay %s repeats it",
			   id, id);
}

/*
 * A store may hold findings of several programs: only this one's can be met here. A program that was not named is run
 * as it was then, so only for what was seen with these arguments.
 */
static int add_own(struct judging *j, const char *id)
{
	struct session *s = j->session;
	int own = s->is_named ? store_is_of_program(s->store, id, s->program.path) :
				store_is_of_command(s->store, id, s->program_id);

	if (own > 0)
		judge_add(j->list, id);
	return own < 0 ? -1 : 0;
}

/* What a run has seen comes before what was only read, and of that the likeliest first. */
static int by_likelihood(const void *x, const void *y)
{
	const struct candidate *a = *(const struct candidate *const *)x, *b = *(const struct candidate *const *)y;
	bool claim_a = a->rung == RUNG_CLAIMED, claim_b = b->rung == RUNG_CLAIMED;
	unsigned rank_a = claim_a ? a->rank - 1 : 0, rank_b = claim_b ? b->rank - 1 : 0; /* not ranked: last */

	if (claim_a != claim_b)
		return claim_a - claim_b;
	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	return (a > b) - (a < b); /* as the store has them */
}

static int add_all(struct judging *j, const struct store_findings *findings)
{
	const struct candidate **order = calloc(findings->candidate_count + 1, sizeof(*order));
	size_t count = 0;
	int result = 0;

	if (!order)
		BUG("out of memory");
	for (size_t i = 0; i < findings->candidate_count; i++)
		if (!findings->candidates[i].suppressed)
			order[count++] = &findings->candidates[i];
	qsort(order, count, sizeof(*order), by_likelihood);
	for (size_t i = 0; !result && i < count && (!j->list->top || j->list->ids.count < j->list->top); i++)
		result = add_own(j, order[i]->id);
	free(order);
	for (size_t i = 0; !result && i < findings->deadlock_count && (!j->list->top || j->list->ids.count < j->list->top); i++)
		if (!findings->deadlocks[i].suppressed)
			result = add_own(j, findings->deadlocks[i].id);
	return result;
}

int judge_add_all(struct session *session, struct judge_list *list)
{
	struct judging j = { .session = session, .list = list };
	struct arena arena = ARENA_INIT;
	struct store_findings findings;
	int result = store_read(session->store, &arena, &findings);

	if (!result)
		result = add_all(&j, &findings);
	list->all = false;
	arena_free(&arena);
	return result;
}

static bool is_this_build(const struct session *session, const struct access *access)
{
	for (size_t i = 0; i < access->place_count; i++)
		if (!strcmp(access->places[i].build_id, session->program.build_id))
			return true;
	return false;
}

/* Pairs met while others were aimed at have one trial so far: they get theirs. */
static int add_met(struct judging *j)
{
	struct arena arena = ARENA_INIT;
	struct store_findings findings;
	int result = store_read(j->session->store, &arena, &findings);

	for (size_t i = 0; !result && i < findings.candidate_count; i++) {
		const struct candidate *c = &findings.candidates[i];

		if ((c->found_by & FINDER_CONFIRM) && c->trials <= 1 && !c->suppressed &&
		    is_this_build(j->session, &c->access[0]))
			judge_add(j->list, c->id);
	}
	arena_free(&arena);
	return result;
}

static int judge_listed(struct judging *j, size_t *next)
{
	struct arena arena = ARENA_INIT;
	struct store_findings findings;
	int result = store_read(j->session->store, &arena, &findings);

	if (!result && j->list->all)
		result = add_all(j, &findings);
	j->list->all = false;
	for (; !result && *next < j->list->ids.count; ++*next)
		result = judge_id(j, &arena, &findings, j->list->ids.items[*next].id);
	arena_free(&arena);
	return result;
}

int judge_all(struct session *session, struct judge_list *list, FILE *out, struct judge_count *count)
{
	struct judging j = { .session = session, .list = list, .count = count, .out = out, .all = list->all || list->lenient };
	size_t next = 0;
	int result;

	do {
		result = judge_listed(&j, &next);
		if (!result)
			result = add_met(&j);
	} while (!result && next < list->ids.count);
	return result;
}
