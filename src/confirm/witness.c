/*
 * witness - which trial is kept for a finding, and putting it into the store.
 */
#include <string.h>

#include "confirm/internal.h"

bool witness_better(const struct witness_trial *best, const struct trial *trial, bool harm)
{
	if (!best->have || harm != best->harm)
		return !best->have || harm;
	if (trial->complete != best->trial.complete)
		return trial->complete;
	return trial->switches && trial->switches < best->trial.switches;
}

void witness_take(struct witness_trial *best, struct trial *trial, bool harm)
{
	witness_free(best);
	best->trial = *trial;
	best->have = true;
	best->harm = harm;
	trial->schedule = trial->modules = (struct strbuf)STRBUF_INIT;
	memset(&trial->hits, 0, sizeof(trial->hits));
	memset(&trial->gates, 0, sizeof(trial->gates));
}

void witness_free(struct witness_trial *best)
{
	if (best->have)
		trial_free(&best->trial);
	best->have = false;
}

bool witness_exists(struct confirm_context *context, const char *id)
{
	struct arena arena = ARENA_INIT;
	struct schedule schedule;
	int64_t program;
	void *data;
	size_t size;
	bool exists = store_get_schedule(context->store, &arena, id, &data, &size, &program) > 0 &&
		      !schedule_decode(&schedule, data, size, id) &&
		      !strncmp(schedule.head->build_id, context->program->build_id, sizeof(schedule.head->build_id));

	arena_free(&arena);
	return exists;
}

int witness_store(struct confirm_context *context, struct witness_trial *best, const struct wire_plan_parts *parts,
		  const char *id)
{
	struct trial *trial = &best->trial;
	struct strbuf file = STRBUF_INIT;
	struct witness witness;
	int result;

	if (context->options.shrink && trial->complete && shrink(context, trial, parts, id))
		return -1;
	schedule_encode(&file, context->program->build_id, trial, parts, id);
	witness = (struct witness){
		.seed = trial->seed, .policy = plan_policy_name(parts->plan.policy), .steps = trial->steps,
		.switches = trial->switches, .outcome = trial->ending.outcome,
	};
	result = store_put_witness(context->store, id, &witness, file.buf, file.len);
	strbuf_release(&file);
	return result;
}
