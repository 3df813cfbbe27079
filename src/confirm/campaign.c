/* campaign - see campaign.h: putting one into the store. A worker is in work.c. */
#include "confirm/campaign.h"

#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "confirm/internal.h"
#include "confirm/plan_text.h"

typedef VEC(struct store_target) target_list;

static int plan_one(struct confirm_context *context, struct arena *arena, const char *id, struct wire_plan_parts *parts)
{
	struct candidate candidate;
	struct deadlock deadlock;

	switch (store_get_finding(context->store, arena, id, &candidate, &deadlock)) {
	case 1:
		return plan_candidate(context, arena, &candidate, parts);
	case 2:
		return plan_deadlock(context, arena, &deadlock, parts);
	case 0:
		return error_usage("%s is a failure found by fuzz: there is no pair to confirm; deadheat replay %s repeats it",
				   id, id);
	default:
		return -1;
	}
}

static void remark_left_out(struct confirm_context *context, const char *id)
{
	if (context->note)
		context->note(judge_word("%s left out: %s", id, error_message()));
}

/* 0 also when it is left out: status 3 means "not in this program". */
static int add_target(struct confirm_context *context, struct arena *arena, const char *id, target_list *targets)
{
	struct strbuf text = STRBUF_INIT;
	struct store_target target = { 0 };
	struct wire_plan_parts parts;

	if (plan_one(context, arena, id, &parts)) {
		if (error_status() != 3 || store_is_gone(context->store))
			return -1;
		remark_left_out(context, id);
		return 0;
	}
	plan_text_target(&text, &parts);
	memcpy(target.id, id, strnlen(id, sizeof(target.id) - 1));
	target.plan = arena_strdup(arena, text.buf);
	strbuf_release(&text);
	VEC_PUSH(targets, target);
	return 0;
}

static int write_plan(struct confirm_context *context, struct arena *arena, const char **plan)
{
	struct strbuf text = STRBUF_INIT;
	struct wire_plan_parts points;

	plan_start(&points, context);
	if (plan_add_points(context, arena, &points))
		return -1;
	plan_text_campaign(&text, context, &points);
	*plan = arena_strdup(arena, text.buf);
	strbuf_release(&text);
	return 0;
}

static int create(struct confirm_context *context, struct arena *arena, const struct campaign_order *order,
		  target_list *targets, struct store_campaign *campaign)
{
	*campaign = (struct store_campaign){ .name = order->name, .program = context->program_id,
					     .seed = context->options.seed, .trials = order->trials, .ms = order->ms };
	if (!*context->program->build_id)
		return error_cannot("%s has no build-id, by which a worker knows it has the same program: link it with "
				    "-Wl,--build-id", context->program->path);
	if (pool_open(context) || pool_take_reference(context))
		return -1;
	for (size_t i = 0; i < order->count; i++)
		if (add_target(context, arena, order->ids[i], targets))
			return -1;
	if (!targets->count)
		return error_usage("nothing to confirm in %s: deadheat detect PROG looks for candidates",
				   store_location(context->store));
	if (!order->trials && !order->ms)
		campaign->trials = (uint64_t)context->options.trials * targets->count;
	if (write_plan(context, arena, &campaign->plan))
		return -1;
	return store_put_campaign(context->store, campaign, targets->items, targets->count);
}

int campaign_create(struct confirm_context *context, const struct campaign_order *order,
		    struct store_campaign *campaign)
{
	struct arena arena = ARENA_INIT;
	target_list targets = { 0 };
	int result = create(context, &arena, order, &targets, campaign);

	VEC_FREE(&targets);
	campaign->plan = NULL; /* was in our arena */
	arena_free(&arena);
	return result;
}
