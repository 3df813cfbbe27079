/* plan - what a run of detect is told to do: rule, sampling, seed, sites to watch. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "find/detect/internal.h"
#include "find/plain/plain.h"

static int read_rule(const char *word, uint32_t *rule)
{
	if (!word || !strcmp(word, "hybrid"))
		*rule = WIRE_RULE_HYBRID;
	else if (!strcmp(word, "hb"))
		*rule = WIRE_RULE_HB;
	else
		return error_usage("--rule: '%s' is not one of hybrid, hb", word);
	return 0;
}

/* pacer:R or pacer:R%, R in per cent, above 0 and at most 100. */
static int read_sample(const char *word, struct wire_plan *plan)
{
	char *end;
	double percent;

	if (!word)
		return 0;
	if (!strcmp(word, "literace")) {
		plan->sample = WIRE_SAMPLE_LITERACE;
		return 0;
	}
	if (strncmp(word, "pacer:", 6))
		return error_usage("--sample: '%s' is neither pacer:R%% nor literace", word);
	percent = strtod(word + 6, &end);
	if (end == word + 6 || (strcmp(end, "%") && *end) || !(percent > 0 && percent <= 100))
		return error_usage("--sample: '%s': the rate must be above 0%% and at most 100%%", word);
	plan->sample = WIRE_SAMPLE_PACER;
	plan->sample_ppm = (uint32_t)(percent * 10000 + 0.5);
	if (!plan->sample_ppm)
		plan->sample_ppm = 1;
	return 0;
}

int detect_check(const struct detect_options *options)
{
	struct wire_plan plan = { 0 };

	if (options->schedule && strcmp(options->schedule, "native") && strcmp(options->schedule, "random"))
		return error_usage("--schedule: '%s' is not one of native, random", options->schedule);
	return read_rule(options->rule, &plan.rule) ? -1 : read_sample(options->sample, &plan);
}

int plan_write(struct wire_host *wire, const struct program *program, const struct detect_options *options, unsigned run,
	       struct sym *sym, struct drain *drain)
{
	struct wire_plan_parts parts = {
		.plan = {
			.seed = options->seed + run,
			.run = run,
			.policy = WIRE_POLICY_RANDOM,
			.flags = options->patch ? 0 : WIRE_NO_PATCH,
			.step_limit = UINT64_MAX, /* explore: a long run is no hang */
		},
	};

	if (read_rule(options->rule, &parts.plan.rule) || read_sample(options->sample, &parts.plan))
		return -1;
	drain_watch(drain, &parts);
	if (options->plain && plain_all(sym, drain->arena, program->path, program->build_id, &parts))
		return -1;
	return wire_put_plan(wire, &parts);
}
