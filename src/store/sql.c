/* sql - short forms over the engine's table. */
#include <time.h>

#include "store/internal.h"

int sql_run(struct store *store, const char *sql, const struct arg *args, size_t count)
{
	struct cursor *cursor = store->engine->query(store, sql, args, count);
	int more;

	if (!cursor)
		return -1;
	while ((more = store->engine->next(store, cursor)) > 0)
		;
	return more;
}

int sql_run_once(struct store *store, const char *sql)
{
	struct cursor *cursor = store->engine->query_once(store, sql);
	int more;

	if (!cursor)
		return -1;
	while ((more = store->engine->next(store, cursor)) > 0)
		;
	return more;
}

int sql_number(struct store *store, const char *sql, const struct arg *args, size_t count, int64_t *value)
{
	struct cursor *cursor = store->engine->query(store, sql, args, count);
	int found;

	if (!cursor)
		return -1;
	found = store->engine->next(store, cursor);
	if (found > 0) {
		*value = store->engine->number(cursor, 0);
		store->engine->stop(store, cursor);
	}
	return found;
}

int sql_begin(struct store *store)
{
	if (store->depth) {
		store->depth++;
		return 0;
	}
	if (store->engine->begin(store, BEGIN_WRITE))
		return -1;
	store->depth = 1;
	return 0;
}

/* Also ends what engine->begin() began. */
int sql_end(struct store *store, int result)
{
	if (store->depth > 1) {
		store->depth--;
		return result;
	}
	store->depth = 0;
	if (!result)
		result = store->engine->commit(store);
	if (result)
		store->engine->rollback(store);
	return result;
}

int64_t sql_now(const struct store *store)
{
	return store->now ? store->now : time(NULL);
}
