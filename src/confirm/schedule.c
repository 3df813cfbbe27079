/*
 * schedule - the file of a witness (wire/schedule.h): write, check, compare.
 *
 *     struct schedule_file | wire_step[step_count] | wire_plan_module[module_count]
 *                          | wire_plan_site[site_count] | wire_plan_edge[edge_count]
 *
 * The modules are those of the trial, so that pc.module of a step names one of them; the
 * sites of the pair and the edges of a cycle are rewritten to the same table.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "confirm/internal.h"

static const char *const op_words[] = {
#define X(symbol, word) word,
	WIRE_OPS(X)
#undef X
};

static bool is_module(const struct wire_plan_module *a, const struct wire_plan_module *b)
{
	if (*a->build_id || *b->build_id)
		return !strncmp(a->build_id, b->build_id, sizeof(a->build_id));
	return !strncmp(a->path, b->path, sizeof(a->path));
}

static uint32_t module_index(struct strbuf *modules, const struct wire_plan_module *wanted)
{
	uint32_t count = (uint32_t)(modules->len / sizeof(*wanted));
	const struct wire_plan_module *known = (const void *)modules->buf;

	for (uint32_t i = 0; i < count; i++)
		if (is_module(&known[i], wanted))
			return i;
	strbuf_add(modules, wanted, sizeof(*wanted));
	return count;
}

static void encode_sites(struct strbuf *sites, struct strbuf *modules, const struct wire_plan_parts *parts)
{
	for (size_t i = 0; i < parts->site_count; i++) {
		struct wire_plan_site site = parts->sites[i];

		site.module = module_index(modules, &parts->modules[site.module]);
		strbuf_add(sites, &site, sizeof(site));
	}
}

static void encode_edges(struct strbuf *edges, struct strbuf *modules, const struct wire_plan_parts *parts)
{
	for (size_t i = 0; i < parts->edge_count; i++) {
		struct wire_plan_edge edge = parts->edges[i];

		edge.held_at.module = module_index(modules, &parts->modules[edge.held_at.module]);
		edge.wait_at.module = module_index(modules, &parts->modules[edge.wait_at.module]);
		strbuf_add(edges, &edge, sizeof(edge));
	}
}

void schedule_encode(struct strbuf *file, const char *build_id, const struct trial *trial,
		     const struct wire_plan_parts *parts, const char *id)
{
	struct schedule_file head = {
		.magic = SCHEDULE_MAGIC, .version = SCHEDULE_VERSION, .header_size = sizeof(head),
		.seed = trial->seed, .policy = parts->plan.policy, .flags = parts->plan.flags,
		.final_hash = trial->hash, .step_count = trial->schedule.len / sizeof(struct wire_step),
	};
	struct strbuf modules = STRBUF_INIT, sites = STRBUF_INIT, edges = STRBUF_INIT;

	strbuf_add(&modules, trial->modules.buf, trial->modules.len);
	encode_sites(&sites, &modules, parts);
	encode_edges(&edges, &modules, parts);
	head.module_count = (uint32_t)(modules.len / sizeof(struct wire_plan_module));
	head.site_count = (uint32_t)(sites.len / sizeof(struct wire_plan_site));
	head.edge_count = (uint32_t)(edges.len / sizeof(struct wire_plan_edge));
	snprintf(head.build_id, sizeof(head.build_id), "%s", build_id);
	snprintf(head.candidate, sizeof(head.candidate), "%s", id);
	snprintf(head.outcome, sizeof(head.outcome), "%s", trial->ending.outcome);
	strbuf_add(file, &head, sizeof(head));
	strbuf_add(file, trial->schedule.buf, trial->schedule.len);
	strbuf_add(file, modules.buf, modules.len);
	strbuf_add(file, sites.buf, sites.len);
	strbuf_add(file, edges.buf, edges.len);
	strbuf_release(&edges);
	strbuf_release(&modules);
	strbuf_release(&sites);
}

static bool has_room(size_t *left, uint64_t count, size_t size)
{
	if (count > *left / size)
		return false;
	*left -= count * size;
	return true;
}

int schedule_decode(struct schedule *schedule, const void *data, size_t size, const char *id)
{
	const struct schedule_file *head = data;
	size_t left = size;

	if (size < sizeof(*head) || head->magic != SCHEDULE_MAGIC)
		return error_cannot("the schedule of %s is no schedule file: confirm it again", id);
	if (head->version != SCHEDULE_VERSION)
		return error_cannot("the schedule of %s has version %u, this deadheat reads version %u: "
				    "confirm it again", id, head->version, SCHEDULE_VERSION);
	if (head->header_size != sizeof(*head) || !has_room(&left, 1, sizeof(*head)) ||
	    !has_room(&left, head->step_count, sizeof(*schedule->steps)) ||
	    !has_room(&left, head->module_count, sizeof(*schedule->modules)) ||
	    !has_room(&left, head->site_count, sizeof(*schedule->sites)) ||
	    !has_room(&left, head->edge_count, sizeof(*schedule->edges)) || left)
		return error_cannot("the schedule of %s is damaged (%zu bytes): confirm it again", id, size);
	schedule->head = head;
	schedule->steps = (const void *)(head + 1);
	schedule->modules = (const void *)(schedule->steps + head->step_count);
	schedule->sites = (const void *)(schedule->modules + head->module_count);
	schedule->edges = (const void *)(schedule->sites + head->site_count);
	return 0;
}

static bool is_choice(const struct wire_step *step)
{
	return step->kind == STEP_TURN || step->kind == STEP_CHOICE || step->kind == STEP_RETURN;
}

size_t schedule_choices(struct arena *arena, const struct wire_step *steps, size_t count, bool verify,
			struct wire_choice **choices)
{
	size_t n = 0;

	*choices = ARENA_ARRAY(arena, struct wire_choice, count + 1);
	for (size_t i = 0; i < count; i++)
		if (is_choice(&steps[i]))
			(*choices)[n++] = (struct wire_choice){
				.thread = steps[i].thread, .kind = steps[i].kind, .op = steps[i].op,
				.object = steps[i].object, .chosen = steps[i].chosen,
				.hash = verify ? steps[i].hash : 0,
			};
	return n;
}

/* "T1 lock on object 3", "T0: which waiter wakes: 1". */
static const char *step_words(struct arena *arena, const struct wire_step *step)
{
	const char *op = step->op < OP_COUNT ? op_words[step->op] : "unknown operation";

	switch (step->kind) {
	case STEP_CHOICE:
		return arena_printf(arena, "T%u: %s: %u", step->thread, op, step->chosen);
	case STEP_HIT:
		return arena_printf(arena, "T%u meets T%u", step->thread, step->chosen);
	case STEP_RETURN:
		return arena_printf(arena, "T%u returns from a %s", step->thread, op);
	case STEP_WATCHDOG:
		return arena_printf(arena, "the watchdog acts");
	case STEP_SIGNAL:
		return arena_printf(arena, "T%u gets signal %u", step->thread, step->chosen);
	default:
		return arena_printf(arena, step->object ? "T%u %s on object %u" : "T%u %s", step->thread, op,
				    step->object);
	}
}

static bool is_same_step(const struct wire_step *a, const struct wire_step *b)
{
	return a->thread == b->thread && a->kind == b->kind && a->op == b->op && a->object == b->object &&
	       a->chosen == b->chosen;
}

const char *schedule_difference(struct arena *arena, const struct wire_step *now, size_t now_count,
				const struct wire_step *then, size_t then_count, int64_t *index)
{
	size_t i = 0;

	while (i < now_count && i < then_count && is_same_step(&now[i], &then[i]))
		i++;
	*index = -1;
	if (i == now_count && i == then_count)
		return NULL;
	*index = (int64_t)i;
	if (i == now_count)
		return arena_printf(arena, "step %zu: the run ended, recorded %s", i, step_words(arena, &then[i]));
	if (i == then_count)
		return arena_printf(arena, "step %zu: %s, recorded the end", i, step_words(arena, &now[i]));
	return arena_printf(arena, "step %zu: %s, recorded %s", i, step_words(arena, &now[i]),
			    step_words(arena, &then[i]));
}
