/*
 * replay - the schedule of a witness again, decision by decision.
 *
 * A schedule belongs to one build: offsets and the number of scheduling points are that
 * build's. Another build-id is refused with both ids; the same candidate can be confirmed
 * anew there.
 */
#include <string.h>

#include "base/error.h"
#include "confirm/internal.h"

int replay_open(struct confirm_context *context, struct arena *arena, const char *id, struct schedule *schedule)
{
	const char *now = context->program->build_id;
	int64_t program;
	void *data;
	size_t size;
	int found = store_get_schedule(context->store, arena, id, &data, &size, &program);

	if (found < 0)
		return -1;
	if (!found)
		return error_cannot("%s has no schedule yet: deadheat confirm %s", id, id);
	if (schedule_decode(schedule, data, size, id))
		return -1;
	if (strncmp(schedule->head->build_id, now, sizeof(schedule->head->build_id)))
		return error_cannot("the schedule of %s was recorded with build-id %.48s, %s has build-id %s: "
				    "run deadheat confirm %s on this build", id,
				    *schedule->head->build_id ? schedule->head->build_id : "(none)",
				    context->program->path, *now ? now : "(none)", id);
	return 0;
}

void replay_plan(struct confirm_context *context, struct arena *arena, const struct schedule *schedule, bool verify,
		 struct wire_plan_parts *parts)
{
	struct wire_choice *choices;

	plan_start(parts, context);
	parts->plan.flags = schedule->head->flags | WIRE_FORK_SERVER | WIRE_RECORD_STEPS;
	parts->plan.policy = WIRE_POLICY_REPLAY;
	parts->plan.seed = schedule->head->seed;
	parts->modules = schedule->modules;
	parts->module_count = schedule->head->module_count;
	parts->sites = schedule->sites;
	parts->site_count = schedule->head->site_count;
	parts->edges = schedule->edges;
	parts->edge_count = schedule->head->edge_count;
	parts->choice_count = schedule_choices(arena, schedule->steps, schedule->head->step_count, verify, &choices);
	parts->choices = choices;
}

struct replaying {
	struct arena *arena;
	const struct schedule *schedule;
	struct replay_result *result;
};

static bool keep_always(void *data, const struct trial *trial)
{
	return true;
}

static int replay_finished(void *data, struct trial *trial)
{
	struct replaying *r = data;
	const struct schedule_file *head = r->schedule->head;
	const struct wire_step *steps = (const void *)trial->schedule.buf;

	r->result->outcome = trial->ending.outcome;
	r->result->steps = trial->steps;
	r->result->hash = trial->hash;
	r->result->difference = schedule_difference(r->arena, steps, trial->schedule.len / sizeof(*steps),
						    r->schedule->steps, head->step_count, &r->result->differs);
	r->result->repeated = !r->result->difference && trial->hash == head->final_hash &&
			      !strncmp(trial->ending.outcome, head->outcome, sizeof(head->outcome) - 1);
	return 1;
}

/* An outcome that only a comparison shows needs what to compare with. */
static int prepare(struct confirm_context *context, const struct schedule *schedule)
{
	context->options.jobs = 1;
	context->options.compare_output = !strcmp(schedule->head->outcome, "output differs");
	if (pool_open(context))
		return -1;
	return context->options.compare_output ? pool_take_reference(context) : 0;
}

int confirm_replay(struct confirm_context *context, struct arena *arena, const char *id, bool verify,
		   struct replay_result *result)
{
	struct schedule schedule;
	struct replaying replaying = { arena, &schedule, result };
	struct pool_job job = {
		.title = "replay", .count = 1, .keeps = keep_always, .finished = replay_finished, .context = &replaying,
	};

	*result = (struct replay_result){ .differs = -1 };
	if (replay_open(context, arena, id, &schedule) || prepare(context, &schedule))
		return -1;
	replay_plan(context, arena, &schedule, verify, &job.parts);
	job.seed = schedule.head->seed;
	if (pool_run(context, &job))
		return -1;
	result->recorded = arena_strdup(arena, schedule.head->outcome);
	result->recorded_steps = schedule.head->step_count;
	return 0;
}
