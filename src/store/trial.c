/*
 * trial - results of trials and the tallies kept with them.
 *
 * I1  A trial counts once: tallies change only when its row was new, in the same
 *     transaction.
 * I2  A candidate with a hit is confirmed, with a hit that ended in harm harmful; a
 *     deadlock with a hit really happened, which is harm.
 */
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "store/internal.h"

/* Outcome and policy names as small numbers: a trial must stay small. */
static int word_number(struct store *store, const char *text, int64_t *number)
{
	int found = sql_number(store, "SELECT number FROM word WHERE text = $1", ARGS(TEXT(text)), number);

	if (found)
		return found < 0 ? -1 : 0;
	return sql_number(store, "INSERT INTO word (text) VALUES ($1) RETURNING number", ARGS(TEXT(text)), number) == 1
		       ? 0 : -1;
}

/* ---- a batch: words and findings are looked up once ------------------------------------- */

struct word {
	const char *text;
	int64_t number;
};

/* What the new trials of a finding add up to. */
struct sum {
	const char *id;
	int64_t number, kind, rung, trials, hits;
	int64_t reached; /* the highest rung its trials show, 0 none */
};

struct outcome_sum {
	int64_t finding, outcome, count, a_first, b_first, harm;
};

struct row {
	const struct store_trial *trial;
	size_t sum;
	int64_t policy, outcome;
	bool is_new;
};

struct batch {
	struct store *store;
	int64_t run, program;
	VEC(struct word) words;
	VEC(struct sum) sums;
	VEC(struct outcome_sum) outcomes;
	VEC(struct row) rows;
};

static int find_word(struct batch *batch, const char *text, int64_t *number)
{
	for (size_t i = 0; i < batch->words.count; i++)
		if (!strcmp(batch->words.items[i].text, text)) {
			*number = batch->words.items[i].number;
			return 0;
		}
	if (word_number(batch->store, text, number))
		return -1;
	VEC_PUSH(&batch->words, (struct word){ text, *number });
	return 0;
}

static int find_sum(struct batch *batch, const char *id, size_t *index)
{
	struct sum sum = { .id = id };
	int found;

	for (*index = batch->sums.count; (*index)-- > 0;)
		if (!strcmp(batch->sums.items[*index].id, id))
			return 0;
	found = finding_find(batch->store, id, &sum.number, &sum.kind, &sum.rung);
	if (found <= 0)
		return found ? -1 : error("a trial of the unknown finding %s", id);
	*index = batch->sums.count;
	VEC_PUSH(&batch->sums, sum);
	return 0;
}

static int look_up(struct batch *batch, const struct store_trial *trials, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct row row = { .trial = &trials[i] };

		if (find_sum(batch, trials[i].candidate ? trials[i].candidate : "", &row.sum) ||
		    find_word(batch, trials[i].policy, &row.policy) || find_word(batch, trials[i].outcome, &row.outcome))
			return -1;
		VEC_PUSH(&batch->rows, row);
	}
	return 0;
}

/* ---- the rows ------------------------------------------------------------------------------- */

static int64_t flags_of(const struct store_trial *t)
{
	return (t->hit ? TRIAL_HIT : 0) | (t->harm ? TRIAL_HARM : 0) | ((int64_t)(t->order + 1) & 3) << TRIAL_ORDER;
}

/* Numbers only: nothing to quote. One statement for many rows, since a server is a round trip away. */
static void write_insert(struct strbuf *sql, const struct batch *batch, size_t from, size_t to)
{
	strbuf_puts(sql, "INSERT INTO trial (finding, program, policy, seed, outcome, flags, steps, hash, run) VALUES ");
	for (size_t i = from; i < to; i++) {
		const struct row *row = &batch->rows.items[i];
		const struct store_trial *t = row->trial;

		strbuf_printf(sql, "%s(%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld)", i > from ? "," : "",
			      (long long)batch->sums.items[row->sum].number, (long long)batch->program,
			      (long long)row->policy, (long long)t->seed, (long long)row->outcome, (long long)flags_of(t),
			      (long long)t->steps, (long long)t->hash, (long long)batch->run);
	}
	strbuf_puts(sql, " ON CONFLICT DO NOTHING RETURNING finding, policy, seed");
}

/* The row with this key, searched from where the last one was: they come in order as a rule. */
static void mark_new(struct batch *batch, size_t from, size_t to, size_t *at, const int64_t key[3])
{
	for (size_t n = to - from; n; n--, *at = *at + 1 < to ? *at + 1 : from) {
		struct row *row = &batch->rows.items[*at];

		if (!row->is_new && batch->sums.items[row->sum].number == key[0] && row->policy == key[1] &&
		    (int64_t)row->trial->seed == key[2]) {
			row->is_new = true;
			return;
		}
	}
	BUG("the store returned a trial nobody put");
}

static int insert_rows(struct batch *batch, size_t from, size_t to)
{
	const struct engine *e = batch->store->engine;
	struct strbuf sql = STRBUF_INIT;
	struct cursor *c;
	size_t at = from;
	int more = -1;

	write_insert(&sql, batch, from, to);
	c = e->query_once(batch->store, sql.buf);
	while (c && (more = e->next(batch->store, c)) > 0)
		mark_new(batch, from, to, &at, (int64_t[]){ e->number(c, 0), e->number(c, 1), e->number(c, 2) });
	strbuf_release(&sql);
	return more;
}

#define ROWS_AT_ONCE 500

static int insert_all(struct batch *batch)
{
	for (size_t i = 0; i < batch->rows.count; i += ROWS_AT_ONCE) {
		size_t to = i + ROWS_AT_ONCE < batch->rows.count ? i + ROWS_AT_ONCE : batch->rows.count;

		if (insert_rows(batch, i, to))
			return -1;
	}
	return 0;
}

/* ---- the tallies ------------------------------------------------------------------------------- */

static struct outcome_sum *outcome_sum(struct batch *batch, int64_t finding, int64_t outcome)
{
	for (size_t i = batch->outcomes.count; i--;)
		if (batch->outcomes.items[i].finding == finding && batch->outcomes.items[i].outcome == outcome)
			return &batch->outcomes.items[i];
	VEC_PUSH(&batch->outcomes, (struct outcome_sum){ .finding = finding, .outcome = outcome });
	return &batch->outcomes.items[batch->outcomes.count - 1];
}

static void add_up(struct batch *batch, const struct row *row)
{
	const struct store_trial *t = row->trial;
	struct sum *sum = &batch->sums.items[row->sum];
	struct outcome_sum *o = outcome_sum(batch, sum->number, row->outcome);
	int64_t reached = t->harm || sum->kind == KIND_DEADLOCK ? RUNG_HARMFUL : RUNG_CONFIRMED;

	sum->trials++;
	sum->hits += t->hit;
	if (t->hit && sum->kind != KIND_FUZZ && reached > sum->reached)
		sum->reached = reached;
	o->count++;
	o->a_first += t->hit && t->order == 0;
	o->b_first += t->hit && t->order == 1;
	o->harm |= t->harm;
}

static int put_sum(struct batch *batch, const struct sum *sum)
{
	if (!sum->trials)
		return 0;
	if (sql_run(batch->store, "UPDATE finding SET trials = trials + $1, hits = hits + $2 WHERE number = $3",
		    ARGS(INT(sum->trials), INT(sum->hits), INT(sum->number))))
		return -1;
	return sum->reached > sum->rung ? finding_climb(batch->store, batch->run, sum->number, (enum rung)sum->reached) : 0;
}

static int put_outcome(struct batch *batch, const struct outcome_sum *o)
{
	return sql_run(batch->store, "INSERT INTO tally (finding, outcome, count, a_first, b_first, harm)"
				     " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (finding, outcome) DO UPDATE SET"
				     " count = tally.count + excluded.count, a_first = tally.a_first + excluded.a_first,"
				     " b_first = tally.b_first + excluded.b_first, harm = tally.harm | excluded.harm",
		       ARGS(INT(o->finding), INT(o->outcome), INT(o->count), INT(o->a_first), INT(o->b_first), INT(o->harm)));
}

static int put_tallies(struct batch *batch)
{
	for (size_t i = 0; i < batch->rows.count; i++)
		if (batch->rows.items[i].is_new)
			add_up(batch, &batch->rows.items[i]);
	for (size_t i = 0; i < batch->sums.count; i++)
		if (put_sum(batch, &batch->sums.items[i]))
			return -1;
	for (size_t i = 0; i < batch->outcomes.count; i++)
		if (put_outcome(batch, &batch->outcomes.items[i]))
			return -1;
	return 0;
}

int trials_put(struct store *store, int64_t run, int64_t program, const struct store_trial *trials, size_t count)
{
	struct batch batch = { .store = store, .run = run, .program = program };
	int result = look_up(&batch, trials, count) || insert_all(&batch) || put_tallies(&batch) ? -1 : 0;

	VEC_FREE(&batch.words);
	VEC_FREE(&batch.sums);
	VEC_FREE(&batch.outcomes);
	VEC_FREE(&batch.rows);
	return result;
}

int store_put_trials(struct store *store, int64_t run, int64_t program, const struct store_trial *trials, size_t count)
{
	if (sql_begin(store))
		return -1;
	return sql_end(store, trials_put(store, run, program, trials, count));
}

int store_put_trial(struct store *store, int64_t run, int64_t program, const struct store_trial *trial)
{
	return store_put_trials(store, run, program, trial, 1);
}
