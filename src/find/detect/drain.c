/*
 * drain - records of a run become findings, each id handed to the sink when it is new and
 * again when a later record adds to it (another site of the statement, a stack that was
 * lost before).
 *
 * I1  Findings are united over the runs of one detect_run() by id; a site pair of a known
 *     statement pair is no news.
 * I2  A record that cannot be read is counted (unreadable_records), never skipped silently.
 */
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "find/detect/internal.h"

struct finding {
	char id[CANDIDATE_ID_SIZE];
	VEC(struct place) places[2];
	bool has_stacks;
	UT_hash_handle hh;
};

void drain_begin(struct drain *drain, const struct wire_host *wire, struct sym *sym)
{
	drain->wire = wire;
	drain->at = (struct wire_cursor){ 0 };
	drain->fresh = 0;
	describe_begin(&drain->describe, sym, drain->arena);
}

static struct finding *finding_get(struct drain *drain, const char *id, bool *is_new)
{
	struct finding *finding;

	HASH_FIND_STR(drain->known, id, finding);
	*is_new = !finding;
	if (finding)
		return finding;
	finding = ARENA_NEW(drain->arena, struct finding);
	memcpy(finding->id, id, sizeof(finding->id));
	HASH_ADD_STR(drain->known, id, finding);
	drain->fresh++;
	return finding;
}

static bool same_place(const struct place *a, const struct place *b)
{
	return a->offset == b->offset && !strcmp(a->build_id, b->build_id) && !strcmp(a->module, b->module);
}

/* Did the finding not know this place yet? */
static bool add_place(struct finding *finding, int side, const struct place *place)
{
	for (size_t i = 0; i < finding->places[side].count; i++)
		if (same_place(&finding->places[side].items[i], place))
			return false;
	VEC_PUSH(&finding->places[side], *place);
	return true;
}

static bool has_stacks(const struct wire_record *record)
{
	struct wire_pair_view view;

	return wire_view_pair(record, &view) && view.access[0].access->stack_count &&
	       view.access[1].access->stack_count;
}

/*
 * In a plain program with a sanitizer in it the calls of memset and its kin that the sanitizer makes pass through us; what it
 * does with its own memory, under its own locks, is no candidate, and nobody may be held there.
 */
static bool is_sanitizers(const struct access *access)
{
	static const char *const modules[] = { "libasan.so", "libubsan.so", "liblsan.so", "libclang_rt." };
	static const char *const functions[] = { "__asan", "__sanitizer", "__lsan", "__ubsan", "__interceptor_" };
	const char *slash = strrchr(access->places[0].module, '/'), *name = slash ? slash + 1 : access->places[0].module;

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (!strncmp(name, modules[i], strlen(modules[i])))
			return true;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (access->function && !strncmp(access->function, functions[i], strlen(functions[i])))
			return true;
	return false;
}

static int drain_pair(struct drain *drain, const struct wire_record *record)
{
	struct candidate candidate;
	struct finding *finding;
	bool news, stacks = has_stacks(record);

	if (!describe_pair(&drain->describe, record, &candidate)) {
		drain->torn++;
		return 0;
	}
	if (is_sanitizers(&candidate.access[0]) && is_sanitizers(&candidate.access[1]))
		return 0;
	candidate.found_by = FINDER_DETECT;
	finding = finding_get(drain, candidate.id, &news);
	for (int side = 0; side < 2; side++)
		news |= add_place(finding, side, &candidate.access[side].places[0]);
	news |= stacks && !finding->has_stacks;
	finding->has_stacks |= stacks;
	return news ? drain->sink->candidate(drain->sink->context, &candidate) : 0;
}

static int drain_cycle(struct drain *drain, const struct wire_record *record)
{
	struct deadlock deadlock;
	bool is_new;

	if (!describe_deadlock(&drain->describe, record, &deadlock)) {
		drain->torn++;
		return 0;
	}
	deadlock.found_by = FINDER_DETECT;
	finding_get(drain, deadlock.id, &is_new);
	return is_new ? drain->sink->deadlock(drain->sink->context, &deadlock) : 0;
}

/* Only explore says how it ended by itself; the host sees the rest in the wait status. */
static void drain_how(struct drain *drain, const struct wire_record *record)
{
	const struct wire_ev_end *end = (const void *)record;

	if (record->size < sizeof(*end))
		drain->torn++;
	else if (end->how == WIRE_END_DEADLOCK)
		drain->sink->note(drain->sink->context, "the run ended in a deadlock");
	else if (end->how == WIRE_END_HANG)
		drain->sink->note(drain->sink->context, "the run was ended: too many steps without progress");
}

static int drain_record(struct drain *drain, const struct wire_record *record)
{
	describe_learn(&drain->describe, record);
	switch (record->type) {
	case WIRE_EV_PAIR:
		return drain_pair(drain, record);
	case WIRE_EV_CYCLE:
	case WIRE_EV_DEADLOCK:
		return drain_cycle(drain, record);
	case WIRE_EV_END:
		drain_how(drain, record);
		return 0;
	case WIRE_EV_NOTE:
		drain->sink->note(drain->sink->context, wire_note_text(record));
		return 0;
	default:
		return 0;
	}
}

int drain_step(struct drain *drain)
{
	const struct wire_record *record;

	while ((record = wire_next(drain->wire, &drain->at)))
		if (drain_record(drain, record))
			return -1;
	return 0;
}

int drain_end(struct drain *drain)
{
	int result = drain_step(drain);

	for (int i = 0; i < WIRE_COUNTER_COUNT; i++)
		drain->counters[i] += drain->wire->header->counters[i];
	describe_end(&drain->describe);
	return result;
}

static void tell(struct drain *drain, const char *name, uint64_t value)
{
	if (value)
		drain->sink->counter(drain->sink->context, name, value);
}

/* A stack one run lost and another has is not lost: count what is missing in the end. */
static uint64_t lost_stacks(const struct drain *drain)
{
	uint64_t lost = 0;

	for (const struct finding *f = drain->known; f; f = f->hh.next)
		lost += f->places[0].count && !f->has_stacks;
	return lost;
}

void drain_finish(struct drain *drain)
{
	struct finding *finding, *next;

	drain->counters[WIRE_LOST_STACKS] = lost_stacks(drain);
	for (int i = 0; i < WIRE_COUNTER_COUNT; i++)
		tell(drain, wire_counter_name(i), drain->counters[i]);
	tell(drain, "unreadable_records", drain->torn);
	tell(drain, "unwatched_sites", drain->unwatched);
	HASH_ITER(hh, drain->known, finding, next) {
		HASH_DEL(drain->known, finding);
		VEC_FREE(&finding->places[0]);
		VEC_FREE(&finding->places[1]);
	}
}

/*
 * A runtime looks through the whole list for each site it meets, so the list has an end:
 * what is beyond it is detected as ever, only not watched, and counted.
 */
#define WATCH_SITES 8192
#define WATCH_MODULES 256

static int compare_sites(const void *a, const void *b)
{
	const struct wire_plan_site *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* A site is part of many pairs. */
static size_t unique_sites(struct wire_plan_site *sites, size_t count)
{
	size_t kept = 0;

	qsort(sites, count, sizeof(*sites), compare_sites);
	for (size_t i = 0; i < count; i++)
		if (!kept || compare_sites(&sites[kept - 1], &sites[i]))
			sites[kept++] = sites[i];
	return kept;
}

static void watch_places(struct drain *drain, const struct finding *finding, struct wire_plan_parts *parts,
			 struct wire_plan_module *modules, struct wire_plan_site *sites)
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < finding->places[side].count; i++) {
			const struct place *place = &finding->places[side].items[i];

			if (parts->module_count == WATCH_MODULES) {
				drain->unwatched++;
				continue;
			}
			sites[parts->site_count++] = (struct wire_plan_site){
				.module = wire_plan_module_index(modules, &parts->module_count, place),
				.offset = (uint32_t)(place->offset + 1),
				.side = WIRE_SIDE_WATCH,
			};
		}
}

void drain_watch(struct drain *drain, struct wire_plan_parts *parts)
{
	struct wire_plan_module *modules = ARENA_ARRAY(drain->arena, struct wire_plan_module, WATCH_MODULES);
	struct wire_plan_site *sites;
	size_t places = 0;

	for (const struct finding *f = drain->known; f; f = f->hh.next)
		places += f->places[0].count + f->places[1].count;
	sites = ARENA_ARRAY(drain->arena, struct wire_plan_site, places + 1);
	for (const struct finding *f = drain->known; f; f = f->hh.next)
		watch_places(drain, f, parts, modules, sites);
	parts->site_count = unique_sites(sites, parts->site_count);
	if (parts->site_count > WATCH_SITES) {
		drain->unwatched += parts->site_count - WATCH_SITES;
		parts->site_count = WATCH_SITES;
	}
	parts->modules = modules;
	parts->sites = sites;
}
