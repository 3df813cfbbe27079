/*
 * load - the list of units, a pool of threads that make them, one program of what came out.
 *
 * Each thread waits for one clang or lower at a time, so there are as many of those as there
 * are threads. Units keep the order of the list whatever thread made them: a scan's result
 * does not depend on which was ready first.
 */
#include "find/scan/load.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/tty.h"
#include "find/scan/load_unit.h"

struct pool {
	const struct load_options *options;
	struct load_tools tools;
	compile_list list;
	struct load_made *made;
	atomic_size_t next;
	pthread_mutex_t lock;   /* of arenas and the count done */
	struct arena *arena;
	size_t done;
};

static unsigned cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

static char *in_arena(struct pool *pool, const char *text)
{
	return arena_strdup(pool->arena, text);
}

/* What outlives the thread goes into the common arena; the word that one more is done. */
static void unit_done(struct pool *pool, size_t i)
{
	struct load_made *made = &pool->made[i];

	pthread_mutex_lock(&pool->lock);
	made->why = in_arena(pool, made->why);
	made->message = in_arena(pool, made->message);
	pool->done++;
	if (pool->options->progress)
		pool->options->progress(pool->options->context, pool->done, pool->list.count, pool->list.items[i].file);
	pthread_mutex_unlock(&pool->lock);
}

static void *work(void *argument)
{
	struct pool *pool = argument;
	size_t i;

	while ((i = atomic_fetch_add(&pool->next, 1)) < pool->list.count) {
		struct arena arena = ARENA_INIT;

		load_unit_make(&pool->made[i], &arena, &pool->tools, &pool->list.items[i]);
		unit_done(pool, i);
		arena_free(&arena);
	}
	return NULL;
}

static void make_all(struct pool *pool)
{
	unsigned wanted = pool->options->jobs ? pool->options->jobs : cores(), started = 0;
	pthread_t *threads;

	if (wanted > pool->list.count)
		wanted = (unsigned)pool->list.count;
	threads = ARENA_ARRAY(pool->arena, pthread_t, wanted);
	while (started < wanted && !pthread_create(&threads[started], NULL, work, pool))
		started++;
	if (!started)
		work(pool); /* no threads to be had: one after the other */
	while (started)
		pthread_join(threads[--started], NULL);
}

/* ---- what came out -------------------------------------------------------------------------------------- */

static void skip(void *context, const char *file, const char *why)
{
	struct pool *pool = context;

	if (pool->options->skipped)
		pool->options->skipped(pool->options->context, file, why);
}

static void count_unit(struct load_result *result, const struct load_made *made)
{
	result->cached_count += made->cached;
	result->compiled_count += made->compiled;
	result->lowered_count += made->lowered;
	if (!made->good)
		return;
	result->lines += made->unit.header->lines;
	result->instructions += made->unit.header->instrs.count;
	result->unit_count++;
}

static struct ir_unit *gather(struct load_result *result, struct pool *pool)
{
	struct ir_unit *units = calloc(pool->list.count + 1, sizeof(*units));

	if (!units)
		BUG("out of memory");
	for (size_t i = 0; i < pool->list.count; i++) {
		struct load_made *made = &pool->made[i];

		count_unit(result, made);
		if (made->good) {
			units[result->unit_count - 1] = made->unit;
			continue;
		}
		if (made->message) {
			progress_clear();
			fputs(made->message, stderr);
		}
		if (pool->list.count > 1) /* else nothing is left, which says the same: nothing_read() */
			skip(pool, pool->list.items[i].file, made->why);
		result->skipped_count++;
	}
	return units;
}

static int nothing_read(const struct pool *pool)
{
	if (pool->list.count == 1)
		return error_cannot("%s: %s", pool->list.items[0].file, pool->made[0].why);
	return error_cannot("none of %zu units could be read; the first: %s: %s", pool->list.count, pool->list.items[0].file,
		pool->made[0].why);
}

static void count_skipped(void *context, const char *file, const char *why)
{
	struct pool *pool = context;

	pool->done++;
	skip(pool, file, why);
}

static int make_and_link(struct load_result *result, struct pool *pool)
{
	struct ir_unit *units;

	pool->made = ARENA_ARRAY(pool->arena, struct load_made, pool->list.count);
	make_all(pool);
	units = gather(result, pool);
	if (!result->unit_count) {
		free(units);
		return nothing_read(pool);
	}
	return linked_make(&result->program, units, result->unit_count);
}

int load_program(struct load_result *result, struct arena *arena, const struct load_options *options)
{
	struct pool pool = { .options = options, .arena = arena };
	int status = -1;

	*result = (struct load_result){ 0 };
	if (compile_list_make(&pool.list, arena, options, count_skipped, &pool) || load_tools_find(&pool.tools, arena))
		goto out;
	result->skipped_count = pool.done;
	pool.done = 0;
	pool.tools.cache = cache_open(options->cache);
	if (!pool.tools.cache)
		goto out;
	pthread_mutex_init(&pool.lock, NULL);
	status = make_and_link(result, &pool);
	pthread_mutex_destroy(&pool.lock);
	cache_close(pool.tools.cache, result->lowered_count > 0);
out:
	VEC_FREE(&pool.list);
	return status;
}

void load_free(struct load_result *result)
{
	linked_free(&result->program);
	*result = (struct load_result){ 0 };
}
