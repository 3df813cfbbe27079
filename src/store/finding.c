/* finding - candidates, deadlocks and failures into the store; one transaction each. */
#include <string.h>

#include "base/error.h"
#include "store/internal.h"

/* What the three kinds have in common; details is the packed text. */
struct row {
	const char *id, *title, *details;
	enum finding_kind kind;
	enum rung rung;
	unsigned found_by;
	uint64_t count;
};

int finding_find(struct store *store, const char *id, int64_t *number, int64_t *kind, int64_t *rung)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, "SELECT number, kind, rung FROM finding WHERE id = $1", ARGS(TEXT(id)));
	int found = c ? e->next(store, c) : -1;

	if (found <= 0)
		return found;
	*number = e->number(c, 0);
	*kind = e->number(c, 1);
	*rung = e->number(c, 2);
	e->stop(store, c);
	return 1;
}

static int note_climb(struct store *store, int64_t run, int64_t number, enum rung rung)
{
	return sql_run(store, "INSERT INTO climb (finding, rung, at, run) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
		       ARGS(INT(number), INT(rung), INT(sql_now(store)), REF(run)));
}

int finding_climb(struct store *store, int64_t run, int64_t number, enum rung rung)
{
	if (sql_run(store, "UPDATE finding SET rung = $1 WHERE number = $2", ARGS(INT(rung), INT(number))))
		return -1;
	return note_climb(store, run, number, rung);
}

int finding_seen(struct store *store, int64_t run, int64_t number)
{
	return sql_run(store, "UPDATE finding SET last_seen = $1, last_run = coalesce($2, last_run) WHERE number = $3",
		       ARGS(INT(sql_now(store)), REF(run), INT(number)));
}

/* Details and number of a known finding into the arena. 1 known, 0 not, -1 error. */
static int read_details(struct store *store, struct arena *arena, const char *id, struct row *old, int64_t *number,
			char **details)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, "SELECT number, kind, rung, found_by, details FROM finding WHERE id = $1",
				    ARGS(TEXT(id)));
	int found = c ? e->next(store, c) : -1;

	if (found <= 0)
		return found;
	*number = e->number(c, 0);
	old->kind = (enum finding_kind)e->number(c, 1);
	old->rung = (enum rung)e->number(c, 2);
	old->found_by = (unsigned)e->number(c, 3);
	*details = arena_strdup(arena, e->text(c, 4));
	e->stop(store, c);
	return 1;
}

static int insert_row(struct store *store, int64_t run, const struct row *row)
{
	int64_t now = sql_now(store), number;

	if (sql_number(store, "INSERT INTO finding (id, kind, rung, found_by, title, count, first_seen, last_seen,"
			      " first_run, last_run, details) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
			      " RETURNING number",
		       ARGS(TEXT(row->id), INT(row->kind), INT(row->rung), INT(row->found_by), TEXT(row->title),
			    INT(row->count), INT(now), INT(now), REF(run), REF(run), TEXT(row->details)), &number) != 1)
		return -1;
	return note_climb(store, run, number, row->rung);
}

static int update_row(struct store *store, int64_t run, int64_t number, enum rung old, const struct row *row)
{
	if (sql_run(store, "UPDATE finding SET rung = $1, found_by = $2, title = $3, count = count + $4,"
			   " last_run = CASE WHEN last_seen > $5 THEN last_run ELSE coalesce($6, last_run) END,"
			   " last_seen = CASE WHEN last_seen > $5 THEN last_seen ELSE $5 END, details = $7 WHERE number = $8",
		    ARGS(INT(row->rung), INT(row->found_by), TEXT(row->title), INT(row->count), INT(sql_now(store)),
			 REF(run), TEXT(row->details), INT(number))))
		return -1;
	return row->rung == old ? 0 : note_climb(store, run, number, row->rung);
}

/* How a finding of one kind is merged with what is stored and packed. */
typedef int merger(struct arena *arena, struct row *row, char *old_details, const void *finding, struct strbuf *packed);

static int put_in_transaction(struct store *store, struct arena *arena, int64_t run, struct row *row,
			      const void *finding, merger *merge, bool *is_new)
{
	struct strbuf packed = STRBUF_INIT;
	struct row old = { 0 };
	int64_t number = 0;
	char *details = NULL;
	int found = read_details(store, arena, row->id, &old, &number, &details);
	int result = found < 0 ? -1 : 0;

	if (found == 1) {
		row->rung = rung_max(row->rung, old.rung);
		row->found_by |= old.found_by;
	}
	if (!result)
		result = merge(arena, row, details, finding, &packed);
	row->details = packed.buf;
	if (!result)
		result = found ? update_row(store, run, number, old.rung, row) : insert_row(store, run, row);
	if (is_new)
		*is_new = !found;
	strbuf_release(&packed);
	return result;
}

static int put(struct store *store, int64_t run, struct row *row, const void *finding, merger *merge, bool *is_new)
{
	struct arena arena = ARENA_INIT;
	int result;

	if (!*row->id)
		BUG("a finding without an id");
	if (sql_begin(store))
		return -1;
	result = sql_end(store, put_in_transaction(store, &arena, run, row, finding, merge, is_new));
	arena_free(&arena);
	return result;
}

/* ---- the three kinds ----------------------------------------------------------------- */

static const char *known(const char *name)
{
	return name ? name : "??";
}

static const char *candidate_title(struct arena *arena, const struct candidate *c)
{
	return arena_printf(arena, "%s / %s%s%s", known(c->access[0].function), known(c->access[1].function),
			    c->variable ? " on " : "", c->variable ? c->variable : "");
}

static int merge_row_candidate(struct arena *arena, struct row *row, char *old, const void *finding,
			       struct strbuf *packed)
{
	struct candidate c = { 0 };
	const struct candidate *more = finding;

	strcpy(c.id, more->id);
	if (old && unpack_candidate(arena, old, &c))
		return -1;
	if (old)
		merge_candidate(arena, &c, more);
	else
		c = *more;
	row->title = candidate_title(arena, &c);
	pack_candidate(packed, &c);
	return 0;
}

int store_put_candidate(struct store *store, int64_t run, const struct candidate *c, bool *is_new)
{
	struct row row = { .id = c->id, .kind = KIND_CANDIDATE, .rung = c->rung, .found_by = c->found_by };

	return put(store, run, &row, c, merge_row_candidate, is_new);
}

static int merge_row_deadlock(struct arena *arena, struct row *row, char *old, const void *finding,
			      struct strbuf *packed)
{
	const struct deadlock *more = finding;
	struct deadlock d = *more;
	const char *title = "";

	if (old) {
		if (unpack_deadlock(arena, old, &d))
			return -1;
		merge_deadlock(&d, more);
	}
	for (size_t i = 0; i < d.edge_count; i++)
		title = arena_printf(arena, "%s%s%s", title, i ? " / " : "", known(d.edges[i].holds));
	row->title = title;
	pack_deadlock(packed, &d);
	return 0;
}

int store_put_deadlock(struct store *store, int64_t run, const struct deadlock *d, bool *is_new)
{
	struct row row = { .id = d->id, .kind = KIND_DEADLOCK, .rung = d->rung, .found_by = d->found_by };

	return put(store, run, &row, d, merge_row_deadlock, is_new);
}

static int merge_row_failure(struct arena *arena, struct row *row, char *old, const void *finding,
			     struct strbuf *packed)
{
	const struct failure *f = finding;

	row->title = f->outcome;
	pack_failure(packed, f);
	return 0;
}

int store_put_failure(struct store *store, int64_t run, const struct failure *f, bool *is_new)
{
	struct row row = { .id = f->id, .kind = KIND_FAILURE, .rung = RUNG_HARMFUL, .found_by = FINDER_CONFIRM,
			   .count = f->count };

	return put(store, run, &row, f, merge_row_failure, is_new);
}
