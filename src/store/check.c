/*
 * check - is the store whole? The engine's own check, and what must hold between the tables.
 *
 * Each rule is a statement that counts the rows which break it; a new invariant is a new row.
 */
#include <string.h>

#include "base/error.h"
#include "store/campaign.h"
#include "store/internal.h"

static const struct rule {
	const char *broken; /* "... findings whose trials are not those in the store" */
	const char *sql;
} rules[] = {
	{ "findings whose number of trials or hits is not that of their rows",
	  "SELECT count(*) FROM finding f LEFT JOIN (SELECT finding, count(*) AS trials, sum(CASE WHEN flags & 1 = 1 THEN 1 ELSE 0 END)"
	  " AS hits FROM trial GROUP BY finding) t ON t.finding = f.number"
	  " WHERE f.trials <> coalesce(t.trials, 0) OR f.hits <> coalesce(t.hits, 0)" },
	{ "findings whose tallies do not add up to their trials",
	  "SELECT count(*) FROM finding f LEFT JOIN (SELECT finding, sum(count) AS count FROM tally GROUP BY finding) t"
	  " ON t.finding = f.number WHERE f.trials <> coalesce(t.count, 0)" },
	{ "candidates that were met but are not confirmed",
	  "SELECT count(*) FROM finding WHERE kind = 1 AND hits > 0 AND rung < 3" },
	{ "findings that reached a rung nobody noted",
	  "SELECT count(*) FROM finding f WHERE number > 0 AND NOT EXISTS"
	  " (SELECT 1 FROM climb c WHERE c.finding = f.number AND c.rung = f.rung)" },
	{ "campaigns whose trials are not those of their targets",
	  "SELECT count(*) FROM campaign c WHERE c.done <> (SELECT coalesce(sum(t.done), 0) FROM target t WHERE t.campaign = c.id)" },
	{ "leases with more done than they have", "SELECT count(*) FROM lease WHERE done >= count" },
	{ "leases of campaigns that are done", "SELECT count(*) FROM lease l JOIN campaign c ON c.id = l.campaign WHERE c.state = 1" },
	{ "trials given out twice",
	  "SELECT count(*) FROM lease a JOIN lease b ON b.campaign = a.campaign AND b.finding = a.finding AND b.id > a.id"
	  " WHERE a.first < b.first + b.count AND b.first < a.first + a.count" },
};

static int check_rule(struct store *store, const struct rule *rule)
{
	int64_t broken = 0;

	if (sql_number(store, rule->sql, NO_ARGS, &broken) != 1)
		return -1;
	return broken ? error("the store %s is damaged: it has %lld %s", store->location, (long long)broken, rule->broken) : 0;
}

static int check(struct store *store, struct store_totals *totals)
{
	if (store->engine->check(store))
		return -1;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (check_rule(store, &rules[i]))
			return -1;
	if (sql_number(store, "SELECT count(*) FROM finding WHERE number > 0", NO_ARGS, &totals->findings) != 1 ||
	    sql_number(store, "SELECT count(*) FROM trial", NO_ARGS, &totals->trials) != 1 ||
	    sql_number(store, "SELECT coalesce(sum(done), 0) FROM campaign", NO_ARGS, &totals->settled) != 1 ||
	    sql_number(store, "SELECT count(*) FROM trial t JOIN run r ON r.id = t.run JOIN word w ON w.number = t.policy"
			      " WHERE r.stage = 'work' AND w.text <> 'met'", NO_ARGS, &totals->by_campaigns) != 1)
		return -1;
	return 0;
}

int store_check(struct store *store, struct store_totals *totals)
{
	if (store->engine->begin(store, BEGIN_READ))
		return -1;
	return sql_end(store, check(store, totals));
}
