/*
 * orders - which critical sections of one lock could change places: seen in a few undirected
 * trials, used by fuzz to direct some of its own (rt/sched/order.c).
 *
 * From the steps of a trial: every (lock, thread, place that took it); two entries with the
 * same lock and different threads are a pair of places. Locks are ordinals of one trial, so
 * pairs are made within a trial and united over trials.
 */
#include <string.h>

#include "confirm/internal.h"

#define SURVEY 8     /* trials looked at: branches differ from schedule to schedule */
#define ORDERS_MAX 256
#define SURVEY_SEED 1000000 /* away from the seeds of the trials that count */

struct taken {
	uint32_t object, thread;
	struct wire_pc pc;
};

struct survey {
	struct confirm_pool *pool;
	VEC(struct taken) taken;
};

static bool takes_lock(const struct wire_step *step)
{
	return step->kind == STEP_TURN && step->pc.module != WIRE_NO_MODULE &&
	       (step->op == OP_LOCK || step->op == OP_RDLOCK || step->op == OP_WRLOCK || step->op == OP_SPIN_LOCK);
}

static void add_taken(struct survey *survey, const struct wire_step *step)
{
	for (size_t i = 0; i < survey->taken.count; i++) {
		const struct taken *t = &survey->taken.items[i];

		if (t->object == step->object && t->thread == step->thread &&
		    !memcmp(&t->pc, &step->pc, sizeof(t->pc)))
			return;
	}
	if (survey->taken.count < 4 * ORDERS_MAX)
		VEC_PUSH(&survey->taken, (struct taken){ step->object, step->thread, step->pc });
}

static struct order_place place_of(const struct trial *trial, struct wire_pc pc)
{
	const struct wire_plan_module *modules = (const void *)trial->modules.buf;
	struct order_place place = { .offset = pc.offset };

	if (pc.module < trial->modules.len / sizeof(*modules))
		place.module = modules[pc.module];
	return place;
}

static bool is_same_place(const struct order_place *a, const struct order_place *b)
{
	return a->offset == b->offset && !memcmp(&a->module, &b->module, sizeof(a->module));
}

static void add_order(struct confirm_pool *pool, const struct order *new)
{
	for (size_t i = 0; i < pool->orders.count; i++) {
		const struct order *o = &pool->orders.items[i];

		if ((is_same_place(&o->a, &new->a) && is_same_place(&o->b, &new->b)) ||
		    (is_same_place(&o->a, &new->b) && is_same_place(&o->b, &new->a)))
			return;
	}
	if (pool->orders.count < ORDERS_MAX)
		VEC_PUSH(&pool->orders, *new);
}

static void make_plan(struct order *order)
{
	bool self = is_same_place(&order->a, &order->b);

	order->modules[0] = order->a.module;
	order->modules[1] = order->b.module;
	order->sites[0] = (struct wire_plan_site){ 0, order->a.offset, self ? WIRE_SIDE_BOTH : WIRE_SIDE_A, 0 };
	order->sites[1] = (struct wire_plan_site){ 1, order->b.offset, WIRE_SIDE_B, 0 };
}

static void pair_up(struct survey *survey, const struct trial *trial)
{
	for (size_t i = 0; i < survey->taken.count; i++)
		for (size_t j = i + 1; j < survey->taken.count && survey->pool->orders.count < ORDERS_MAX; j++) {
			const struct taken *a = &survey->taken.items[i], *b = &survey->taken.items[j];
			struct order order;

			if (a->object != b->object || a->thread == b->thread)
				continue;
			order.a = place_of(trial, a->pc);
			order.b = place_of(trial, b->pc);
			make_plan(&order);
			add_order(survey->pool, &order);
		}
}

static bool keep_always(void *data, const struct trial *trial)
{
	return true;
}

static int survey_finished(void *data, struct trial *trial)
{
	struct survey *survey = data;
	const struct wire_step *steps = (const void *)trial->schedule.buf;
	size_t count = trial->schedule.len / sizeof(*steps);

	survey->taken.count = 0;
	for (size_t i = 0; i < count; i++)
		if (takes_lock(&steps[i]))
			add_taken(survey, &steps[i]);
	pair_up(survey, trial);
	return 0;
}

int orders_survey(struct confirm_context *context)
{
	struct survey survey = { .pool = context->pool };
	struct pool_job job = {
		.title = "survey", .count = SURVEY, .seed = context->options.seed + SURVEY_SEED, .keeps = keep_always,
		.finished = survey_finished, .context = &survey,
	};
	int result;

	plan_start(&job.parts, context);
	job.parts.plan.policy = WIRE_POLICY_RANDOM;
	result = context->pool->orders.count ? 0 : pool_run(context, &job);
	VEC_FREE(&survey.taken);
	return result;
}

void orders_aim(const struct confirm_pool *pool, size_t number, struct wire_plan_parts *parts)
{
	const struct order *order = &pool->orders.items[number % pool->orders.count];

	parts->plan.policy = WIRE_POLICY_PAIR;
	parts->plan.fill_policy = WIRE_POLICY_RANDOM;
	parts->plan.flags |= WIRE_ORDER;
	parts->modules = order->modules;
	parts->module_count = 2;
	parts->sites = order->sites;
	parts->site_count = order->sites[0].side == WIRE_SIDE_BOTH ? 1 : 2;
}
