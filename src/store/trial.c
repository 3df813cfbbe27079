/*
 * trial - results of trials and the tallies kept with them.
 *
 * I1  A trial counts once: tallies change only when its row was new, in the same
 *     transaction.
 * I2  A candidate with a hit is confirmed, with a hit that ended in harm harmful; a
 *     deadlock with a hit really happened, which is harm.
 */
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "store/internal.h"

/* trial.flags; bits 2 and 3 are order + 1. */
enum { TRIAL_HIT = 1, TRIAL_HARM = 2, TRIAL_ORDER = 2 };

/* Outcome and policy names as small numbers: a trial must stay small. */
static int word_number(struct store *store, const char *text, int64_t *number)
{
	int found = sql_number(store, "SELECT number FROM word WHERE text = $1", ARGS(TEXT(text)), number);

	if (found)
		return found < 0 ? -1 : 0;
	return sql_number(store, "INSERT INTO word (text) VALUES ($1) RETURNING number", ARGS(TEXT(text)), number) == 1
		       ? 0 : -1;
}

static int64_t flags_of(const struct store_trial *t)
{
	return (t->hit ? TRIAL_HIT : 0) | (t->harm ? TRIAL_HARM : 0) | ((int64_t)(t->order + 1) & 3) << TRIAL_ORDER;
}

/* 1 new, 0 known, -1 error. */
static int insert_trial(struct store *store, int64_t run, int64_t program, const struct store_trial *t, int64_t finding,
			int64_t *outcome)
{
	int64_t policy, ignored;

	if (word_number(store, t->policy, &policy) || word_number(store, t->outcome, outcome))
		return -1;
	return sql_number(store, "INSERT INTO trial (finding, program, policy, seed, outcome, flags, steps, hash, run)"
				 " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING finding",
			  ARGS(INT(finding), INT(program), INT(policy), INT(t->seed), INT(*outcome), INT(flags_of(t)),
			       INT(t->steps), INT(t->hash), INT(run)), &ignored);
}

static int count_trial(struct store *store, const struct store_trial *t, int64_t finding, int64_t outcome)
{
	if (sql_run(store, "UPDATE finding SET trials = trials + 1, hits = hits + $1 WHERE number = $2",
		    ARGS(INT(t->hit), INT(finding))))
		return -1;
	return sql_run(store, "INSERT INTO tally (finding, outcome, count, a_first, b_first, harm)"
			      " VALUES ($1, $2, 1, $3, $4, $5) ON CONFLICT (finding, outcome) DO UPDATE SET"
			      " count = tally.count + 1, a_first = tally.a_first + excluded.a_first,"
			      " b_first = tally.b_first + excluded.b_first, harm = tally.harm | excluded.harm",
		       ARGS(INT(finding), INT(outcome), INT(t->hit && t->order == 0), INT(t->hit && t->order == 1),
			    INT(t->harm)));
}

static int climb(struct store *store, int64_t run, const struct store_trial *t, int64_t finding, int64_t kind,
		 int64_t rung)
{
	enum rung reached = t->harm || kind == KIND_DEADLOCK ? RUNG_HARMFUL : RUNG_CONFIRMED;

	if (!t->hit || kind == KIND_FUZZ || (int64_t)reached <= rung)
		return 0;
	return finding_climb(store, run, finding, reached);
}

static int put_one(struct store *store, int64_t run, int64_t program, const struct store_trial *t)
{
	int64_t finding, kind, rung, outcome;
	int found = finding_find(store, t->candidate ? t->candidate : "", &finding, &kind, &rung);

	if (found == 0)
		return error("a trial of the unknown finding %s", t->candidate);
	if (found < 0)
		return -1;
	found = insert_trial(store, run, program, t, finding, &outcome);
	if (found <= 0)
		return found;
	return count_trial(store, t, finding, outcome) || climb(store, run, t, finding, kind, rung) ? -1 : 0;
}

int store_put_trials(struct store *store, int64_t run, int64_t program, const struct store_trial *trials, size_t count)
{
	int result = 0;

	if (sql_begin(store))
		return -1;
	for (size_t i = 0; i < count && !result; i++)
		result = put_one(store, run, program, &trials[i]);
	return sql_end(store, result);
}

int store_put_trial(struct store *store, int64_t run, int64_t program, const struct store_trial *trial)
{
	return store_put_trials(store, run, program, trial, 1);
}
