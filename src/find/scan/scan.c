/* scan - see scan.h: the steps in order, and what the analysis gave as claims. */
#include "find/scan/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "race/fingerprint.h"

/* ---- words ---------------------------------------------------------------------------------- */

static const struct { const char *name, *text; } exclusions[] = {
#define X(enumerator, word, description) { word, description },
	EXCLUSIONS(X)
#undef X
};

const char *scan_exclusion_name(enum exclusion exclusion)
{
	return exclusions[exclusion].name;
}

const char *scan_exclusion_text(enum exclusion exclusion)
{
	return exclusions[exclusion].text;
}

int scan_exclusion(const char *name)
{
	struct nearest near = { .word = name };
	struct strbuf all = STRBUF_INIT;

	for (int i = 0; i < EXCLUSION_COUNT; i++) {
		if (!strcmp(exclusions[i].name, name))
			return i;
		nearest_consider(&near, exclusions[i].name);
		strbuf_printf(&all, "%s%s", i ? ", " : "", exclusions[i].name);
	}
	if (near.best)
		error_usage("--without: '%s' is not one of %s; did you mean '%s'?", name, all.buf, near.best);
	else
		error_usage("--without: '%s' is not one of %s", name, all.buf);
	strbuf_release(&all);
	return -1;
}

const char *scan_assumption_name(enum assumption_kind kind)
{
	static const char *const names[] = {
		[ASSUME_UNRESOLVED_CALL] = "unresolved call", [ASSUME_ASM] = "assembly", [ASSUME_UNKNOWN_FUNCTION] = "unknown function",
		[ASSUME_DEPTH] = "depth limit", [ASSUME_BUDGET] = "budget", [ASSUME_SKIPPED_FILE] = "skipped file",
		[ASSUME_NO_THREADS_SEEN] = "no threads", [ASSUME_CAST] = "cast",
	};

	return (size_t)kind < sizeof(names) / sizeof(*names) && names[kind] ? names[kind] : "assumption";
}

/* ---- the steps -------------------------------------------------------------------------------- */

struct running {
	struct arena *arena;
	const struct scan_options *options;
	VEC(struct scan_assumption) skipped;
};

static void on_load(void *context, size_t done, size_t all, const char *file)
{
	struct running *running = context;

	if (running->options->progress)
		running->options->progress("reading", done, all, file);
}

static void on_skipped(void *context, const char *file, const char *why)
{
	struct running *running = context;
	struct scan_assumption assumption = {
		.kind = ASSUME_SKIPPED_FILE, .count = 1, .file = arena_strdup(running->arena, file),
		.text = arena_printf(running->arena, "%s was left out: what it does is not known", file),
	};

	VEC_PUSH(&running->skipped, assumption);
	if (running->options->skipped)
		running->options->skipped(file, why);
}

static void on_analyse(void *context, const char *phase, size_t done, size_t all)
{
	struct running *running = context;

	if (running->options->progress)
		running->options->progress(phase, done, all, NULL);
}

/* What was left out comes first: it weighs most. */
static void add_skipped(struct scan *scan, struct running *running)
{
	size_t count = running->skipped.count, before = scan->result.assumption_count;
	struct scan_assumption *all;

	if (!count)
		return;
	all = ARENA_ARRAY(running->arena, struct scan_assumption, count + before);
	memcpy(all, running->skipped.items, count * sizeof(*all));
	if (before)
		memcpy(all + count, scan->result.assumptions, before * sizeof(*all));
	scan->result.assumptions = all;
	scan->result.assumption_count = count + before;
	scan->result.race_free = false;
}

/* ---- claims -------------------------------------------------------------------------------------- */

/* The path from thread entry to access as the stack of the access: innermost first. */
static void put_stack(struct arena *arena, const struct scan_side *side, struct access *access)
{
	struct frame *frames = ARENA_ARRAY(arena, struct frame, side->path_count + 1);
	size_t count = 0;

	for (size_t i = side->path_count; i--;) {
		const struct scan_step *step = &side->path[i];

		frames[count++] = (struct frame){ .function = step->function, .file = step->file, .line = step->line };
	}
	if (!count || frames[0].line != access->line || strcmp(frames[0].function ? frames[0].function : "", access->function)) {
		memmove(frames + 1, frames, count * sizeof(*frames));
		frames[0] = (struct frame){ 0 };
		count++;
	}
	frames[0].function = access->function;
	frames[0].file = access->file;
	frames[0].line = access->line;
	frames[0].column = access->column;
	access->stack = frames;
	access->stack_count = count;
}

static void make_claim(struct arena *arena, const struct scan_pair *pair, struct scan_claim *claim)
{
	struct candidate *c = &claim->candidate;
	int first = access_order(&pair->side[0].access, &pair->side[1].access) > 0;

	*claim = (struct scan_claim){ .pair = pair, .ways = 1 };
	*c = (struct candidate){ .rung = RUNG_CLAIMED, .found_by = FINDER_SCAN, .variable = pair->variable, .memory = pair->why_alias };
	for (int i = 0; i < 2; i++) {
		const struct scan_side *side = &pair->side[first ^ i];

		claim->side[i] = side;
		c->access[i] = side->access;
		c->access[i].thread = side->thread;
		if (!c->access[i].stack_count)
			put_stack(arena, side, &c->access[i]);
	}
	candidate_identify(c);
}

/* Claims by id: a table of what is known, since there may be hundreds of thousands. */
struct known {
	size_t *slots; /* index + 1 */
	size_t mask;
};

static size_t *slot_of(struct known *known, const struct scan_claim *claims, const char *id)
{
	size_t at = strtoull(id, NULL, 16) & known->mask;

	while (known->slots[at] && strcmp(claims[known->slots[at] - 1].candidate.id, id))
		at = (at + 1) & known->mask;
	return &known->slots[at];
}

/* The pairs come by rank: of several ways to one claim the first is the likeliest. */
static void make_claims(struct scan *scan, struct arena *arena, bool likely)
{
	const struct scan_result *result = &scan->result;
	struct known known = { .mask = 15 };

	while (known.mask < 2 * result->pair_count)
		known.mask = 2 * known.mask + 1;
	known.slots = ARENA_ARRAY(arena, size_t, known.mask + 1);
	scan->claims = ARENA_ARRAY(arena, struct scan_claim, result->pair_count + 1);
	for (size_t i = 0; i < result->pair_count; i++) {
		struct scan_claim *claim = &scan->claims[scan->claim_count];
		size_t *slot;

		if (likely && result->pairs[i].rank_reason && *result->pairs[i].rank_reason) {
			scan->unlikely_count++;
			continue;
		}
		make_claim(arena, &result->pairs[i], claim);
		slot = slot_of(&known, scan->claims, claim->candidate.id);
		if (*slot)
			scan->claims[*slot - 1].ways++;
		else
			claim->candidate.rank = (unsigned)(*slot = ++scan->claim_count);
	}
}

int scan_run(struct scan *scan, struct arena *arena, const struct scan_options *options)
{
	struct running running = { .arena = arena, .options = options };
	struct load_options load = options->load;
	struct analyse_options how = options->analyse;
	int result = -1;

	*scan = (struct scan){ 0 };
	load.progress = on_load;
	load.skipped = on_skipped;
	how.progress = on_analyse;
	load.context = how.context = &running;
	scan->models = models_load(options->models, options->model_count);
	if (scan->models && !load_program(&scan->loaded, arena, &load))
		result = analyse(&scan->result, arena, &scan->loaded.program, scan->models, &how);
	if (!result) {
		add_skipped(scan, &running);
		make_claims(scan, arena, options->likely);
	}
	VEC_FREE(&running.skipped);
	return result;
}

void scan_free(struct scan *scan)
{
	load_free(&scan->loaded);
	models_free(scan->models);
	*scan = (struct scan){ 0 };
}

/* ---- the sink -------------------------------------------------------------------------------------- */

static void put_counters(const struct scan *scan, const struct find_sink *sink)
{
	const struct scan_result *r = &scan->result;
	char name[64];

	sink->counter(sink->context, "scan_lines", scan->loaded.lines);
	sink->counter(sink->context, "scan_functions", r->function_count);
	sink->counter(sink->context, "scan_accesses", r->access_count);
	sink->counter(sink->context, "scan_threads", r->thread_count);
	sink->counter(sink->context, "scan_pairs_considered", r->considered_pairs);
	sink->counter(sink->context, "scan_assumptions", r->assumption_count);
	sink->counter(sink->context, "scan_skipped_files", scan->loaded.skipped_count);
	for (int i = 0; i < EXCLUSION_COUNT; i++) {
		snprintf(name, sizeof(name), "scan_excluded_by_%s", exclusions[i].name);
		for (char *p = name; *p; p++)
			*p = *p == '-' ? '_' : *p;
		sink->counter(sink->context, name, r->excluded[i]);
	}
}

int scan_put(const struct scan *scan, const struct find_sink *sink)
{
	for (size_t i = 0; i < scan->claim_count; i++)
		if (sink->candidate(sink->context, &scan->claims[i].candidate))
			return -1;
	put_counters(scan, sink);
	return 0;
}
