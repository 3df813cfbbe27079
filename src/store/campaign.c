/* campaign - see campaign.h: campaigns, targets and rounds. */
#include "store/campaign.h"

#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "store/internal.h"

#define ROWS_AT_ONCE 500 /* leases a statement */

/* ---- putting ----------------------------------------------------------------------------- */

static int put_target(struct store *store, int64_t campaign, const struct store_target *target)
{
	return sql_run(store, "INSERT INTO target (campaign, finding, plan) SELECT $1, number, $2 FROM finding WHERE id = $3"
			      " ON CONFLICT DO NOTHING", ARGS(INT(campaign), TEXT(target->plan), TEXT(target->id)));
}

static int put_campaign(struct store *store, struct store_campaign *c, const struct store_target *targets, size_t count)
{
	int64_t old;
	int found = sql_number(store, "SELECT id FROM campaign WHERE name = $1", ARGS(TEXT(c->name)), &old);

	if (found)
		return found < 0 ? -1 : error_usage("there is a campaign %s in %s already", c->name, store->location);
	if (sql_number(store, "INSERT INTO campaign (name, program, seed, trials, ms, began, plan)"
			      " VALUES ($1, $2, $3, $4, $5, deadheat_now(), $6) RETURNING id",
		       ARGS(TEXT(c->name), INT(c->program), INT(c->seed), INT(c->trials), INT(c->ms), TEXT(c->plan)),
		       &c->id) != 1)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (put_target(store, c->id, &targets[i]))
			return -1;
	return store->engine->wake(store);
}

int store_put_campaign(struct store *store, struct store_campaign *campaign, const struct store_target *targets,
		       size_t count)
{
	if (sql_begin(store))
		return -1;
	return sql_end(store, put_campaign(store, campaign, targets, count));
}

int store_add_target(struct store *store, int64_t campaign, const struct store_target *target)
{
	return put_target(store, campaign, target);
}

/* ---- reading ------------------------------------------------------------------------------- */

#define CAMPAIGN "SELECT c.id, c.name, c.program, p.path, p.build_id, c.seed, c.trials, c.ms, c.state, c.round, c.done," \
		 " c.spent, c.began, c.ended, c.plan FROM campaign c JOIN program p ON p.id = c.program"

static void read_campaign(struct store *store, struct arena *arena, struct cursor *c, struct store_campaign *out)
{
	const struct engine *e = store->engine;

	*out = (struct store_campaign){
		.id = e->number(c, 0), .name = arena_strdup(arena, e->text(c, 1)), .program = e->number(c, 2),
		.path = arena_strdup(arena, e->text(c, 3)), .build_id = arena_strdup(arena, e->text(c, 4)),
		.seed = (uint64_t)e->number(c, 5), .trials = (uint64_t)e->number(c, 6), .ms = (uint64_t)e->number(c, 7),
		.state = e->number(c, 8), .round = (uint64_t)e->number(c, 9), .done = (uint64_t)e->number(c, 10),
		.spent = (uint64_t)e->number(c, 11), .began = e->number(c, 12), .ended = e->number(c, 13),
		.plan = arena_strdup(arena, e->text(c, 14)),
	};
}

static int find(struct store *store, struct arena *arena, struct cursor *c, struct store_campaign *campaign)
{
	int found = c ? store->engine->next(store, c) : -1;

	if (found > 0) {
		read_campaign(store, arena, c, campaign);
		store->engine->stop(store, c);
	}
	return found;
}

int store_find_campaign(struct store *store, struct arena *arena, const char *name, struct store_campaign *campaign)
{
	return find(store, arena, store->engine->query(store, CAMPAIGN " WHERE c.name = $1", ARGS(TEXT(name))), campaign);
}

int store_get_target(struct store *store, struct arena *arena, int64_t campaign, const char *id, const char **plan)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, "SELECT t.plan FROM target t JOIN finding f ON f.number = t.finding"
					   " WHERE t.campaign = $1 AND f.id = $2", ARGS(INT(campaign), TEXT(id)));
	int found = c ? e->next(store, c) : -1;

	if (found > 0) {
		*plan = arena_strdup(arena, e->text(c, 0));
		e->stop(store, c);
	}
	return found;
}

int store_target_results(struct store *store, struct arena *arena, int64_t campaign, struct store_target_result **results,
			 size_t *count)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, "SELECT f.id, t.done, t.hits, t.harm FROM target t JOIN finding f ON f.number = t.finding"
					   " WHERE t.campaign = $1 ORDER BY f.id", ARGS(INT(campaign)));
	VEC(struct store_target_result) list = { 0 };
	int more = -1;

	while (c && (more = e->next(store, c)) > 0) {
		struct store_target_result one = { .done = (uint64_t)e->number(c, 1), .hits = (uint64_t)e->number(c, 2),
						   .harm = (uint64_t)e->number(c, 3) };

		memcpy(one.id, e->text(c, 0), strnlen(e->text(c, 0), sizeof(one.id) - 1));
		VEC_PUSH(&list, one);
	}
	*count = list.count;
	*results = arena_copy(arena, list.items, list.count * sizeof(*list.items));
	VEC_FREE(&list);
	return more;
}

/* Counts per campaign, by one scan of the targets and one of the leases. */
static int count_for(struct store *store, struct store_campaign *list, size_t count, const char *sql, bool leases)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, sql, NO_ARGS);
	int more = -1;

	while (c && (more = e->next(store, c)) > 0)
		for (size_t i = 0; i < count; i++) {
			if (list[i].id != e->number(c, 0))
				continue;
			if (leases) {
				list[i].leases = (uint64_t)e->number(c, 1);
				list[i].taken = (uint64_t)e->number(c, 2);
			} else {
				list[i].targets = (uint64_t)e->number(c, 1);
				list[i].confirmed = (uint64_t)e->number(c, 2);
				list[i].harmful = (uint64_t)e->number(c, 3);
			}
		}
	return more;
}

static int read_campaigns(struct store *store, struct arena *arena, struct store_campaign **campaigns, size_t *count)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, CAMPAIGN " ORDER BY c.id", NO_ARGS);
	VEC(struct store_campaign) list = { 0 };
	int more = -1;

	while (c && (more = e->next(store, c)) > 0) {
		struct store_campaign one;

		read_campaign(store, arena, c, &one);
		VEC_PUSH(&list, one);
	}
	*count = list.count;
	*campaigns = arena_copy(arena, list.items, list.count * sizeof(*list.items));
	VEC_FREE(&list);
	if (more || count_for(store, *campaigns, *count,
			      "SELECT campaign, count(*), sum(CASE WHEN hits > 0 THEN 1 ELSE 0 END),"
			      " sum(CASE WHEN harm > 0 THEN 1 ELSE 0 END) FROM target GROUP BY campaign", false))
		return -1;
	return count_for(store, *campaigns, *count,
			 "SELECT campaign, count(*), sum(CASE WHEN worker > 0 AND expires >= deadheat_now() THEN 1 ELSE 0 END)"
			 " FROM lease GROUP BY campaign", true);
}

int store_campaigns(struct store *store, struct arena *arena, struct store_campaign **campaigns, size_t *count)
{
	if (store->engine->begin(store, BEGIN_READ))
		return -1;
	return sql_end(store, read_campaigns(store, arena, campaigns, count));
}

/* ---- rounds ----------------------------------------------------------------------------------- */

typedef VEC(struct store_tally) tally_list;

/* In the order of their ids, which are the same in every store; numbers are not. */
static int read_tallies(struct store *store, int64_t campaign, tally_list *list)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, "SELECT t.finding, f.kind, t.done, t.hits, t.a_first, t.b_first, t.harm, t.goal, t.base"
					   " FROM target t JOIN finding f ON f.number = t.finding WHERE t.campaign = $1"
					   " ORDER BY f.id", ARGS(INT(campaign)));
	int more = -1;

	while (c && (more = e->next(store, c)) > 0)
		VEC_PUSH(list, (struct store_tally){
			.finding = e->number(c, 0), .is_deadlock = e->number(c, 1) == KIND_DEADLOCK,
			.done = (uint64_t)e->number(c, 2), .hits = (uint64_t)e->number(c, 3),
			.order = { (uint64_t)e->number(c, 4), (uint64_t)e->number(c, 5) },
			.harm = (uint64_t)e->number(c, 6), .goal = (uint64_t)e->number(c, 7),
			.base = (uint64_t)e->number(c, 8),
		});
	return more;
}

struct piece {
	int64_t finding;
	uint64_t first, count;
};

static int insert_pieces(struct store *store, int64_t campaign, const struct piece *pieces, size_t count)
{
	struct strbuf sql = STRBUF_INIT;
	int result;

	strbuf_puts(&sql, "INSERT INTO lease (campaign, finding, first, count) VALUES ");
	for (size_t i = 0; i < count; i++)
		strbuf_printf(&sql, "%s(%lld,%lld,%llu,%llu)", i ? "," : "", (long long)campaign, (long long)pieces[i].finding,
			      (unsigned long long)pieces[i].first, (unsigned long long)pieces[i].count);
	result = sql_run_once(store, sql.buf);
	strbuf_release(&sql);
	return result;
}

static int insert_leases(struct store *store, int64_t campaign, const tally_list *list, unsigned piece, bool *begun)
{
	VEC(struct piece) pieces = { 0 };
	int result = 0;

	for (size_t i = 0; i < list->count; i++)
		for (uint64_t at = 0; at < list->items[i].share; at += piece) {
			uint64_t left = list->items[i].share - at;

			VEC_PUSH(&pieces, (struct piece){ list->items[i].finding, list->items[i].done + at,
							  left < piece ? left : piece });
		}
	for (size_t i = 0; !result && i < pieces.count; i += ROWS_AT_ONCE)
		result = insert_pieces(store, campaign, &pieces.items[i],
				       pieces.count - i < ROWS_AT_ONCE ? pieces.count - i : ROWS_AT_ONCE);
	*begun = pieces.count > 0;
	VEC_FREE(&pieces);
	return result;
}

static int put_goals(struct store *store, int64_t campaign, const tally_list *list, const tally_list *before)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct store_tally *t = &list->items[i];

		if (t->goal == before->items[i].goal && t->base == before->items[i].base)
			continue;
		if (sql_run(store, "UPDATE target SET goal = $1, base = $2 WHERE campaign = $3 AND finding = $4",
			    ARGS(INT(t->goal), INT(t->base), INT(campaign), INT(t->finding))))
			return -1;
	}
	return 0;
}

static int share_out(struct store *store, const struct store_campaign *campaign, store_planner *planner, bool *begun)
{
	tally_list list = { 0 }, before = { 0 };
	unsigned piece = 1;
	int result = read_tallies(store, campaign->id, &list);

	for (size_t i = 0; i < list.count; i++)
		VEC_PUSH(&before, list.items[i]);
	if (!result) {
		planner(campaign, list.items, list.count, &piece);
		result = insert_leases(store, campaign->id, &list, piece, begun) ||
			 put_goals(store, campaign->id, &list, &before) ? -1 : 0;
	}
	VEC_FREE(&list);
	VEC_FREE(&before);
	if (result)
		return -1;
	return *begun ? sql_run(store, "UPDATE campaign SET round = round + 1 WHERE id = $1", ARGS(INT(campaign->id)))
		      : sql_run(store, "UPDATE campaign SET state = 1, ended = deadheat_now() WHERE id = $1",
				ARGS(INT(campaign->id)));
}

static bool is_over(const struct store_campaign *c)
{
	return c->ms && c->spent >= c->ms;
}

/* The time is over: nobody begins one of these any more. */
static int drop_leases(struct store *store, int64_t campaign)
{
	return sql_run(store, "DELETE FROM lease WHERE campaign = $1 AND (worker = 0 OR expires < deadheat_now())",
		       ARGS(INT(campaign)));
}

static int plan_round(struct store *store, struct arena *arena, int64_t id, store_planner *planner, bool *begun)
{
	struct store_campaign campaign;
	int64_t leases = 0;

	if (find(store, arena, store->engine->query(store, CAMPAIGN " WHERE c.id = $1", ARGS(INT(id))), &campaign) != 1 ||
	    (is_over(&campaign) && drop_leases(store, id)) ||
	    sql_number(store, "SELECT count(*) FROM lease WHERE campaign = $1", ARGS(INT(id)), &leases) != 1)
		return -1;
	*begun = leases > 0 && !is_over(&campaign);
	if (leases || campaign.state != CAMPAIGN_RUNNING)
		return 0; /* another process was faster */
	return share_out(store, &campaign, planner, begun) || store->engine->wake(store) ? -1 : 0;
}

int store_plan_round(struct store *store, int64_t campaign, store_planner *planner, bool *begun)
{
	struct arena arena = ARENA_INIT;
	int result;

	*begun = false;
	if (sql_begin(store))
		return -1;
	result = sql_end(store, plan_round(store, &arena, campaign, planner, begun));
	arena_free(&arena);
	return result;
}
