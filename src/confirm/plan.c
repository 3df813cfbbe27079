/*
 * plan - from a candidate to what the runtime is told: which call sites, on which side.
 *
 * Places are module + offset of one build. Where the build-id is still the same they are
 * taken as they are; else (a rebuild, another machine, a static claim without places) the
 * statement is looked up again: same function, same line counted from the function's first,
 * same kind. The line itself may have moved: it is searched outwards from where it was.
 *
 * Places are return address - 1 (that is what libdw wants), plans want the return address. Of a
 * program that is not instrumented they are the instructions themselves (find/plain/plain.h).
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "confirm/internal.h"

#define SEARCH_LINES 1000 /* how far a function may have moved; a lookup is a binary search */
#define POINTS_MAX 4096 /* sites; the first of the highest rungs, as the store gives them */
#define STEPS_LEAST 200000u    /* a fraction of a second of spinning */
#define STEPS_SECOND 1000000u
#define STEPS_FIRST 10000000u  /* the wall clock usually comes first */

static const char *const policies[] = {
	[WIRE_POLICY_PAIR] = "pair", [WIRE_POLICY_RANDOM] = "random", [WIRE_POLICY_PCT] = "pct",
	[WIRE_POLICY_POS] = "pos", [WIRE_POLICY_SURW] = "surw", [WIRE_POLICY_REPLAY] = "replay",
};
#define POLICY_COUNT (sizeof(policies) / sizeof(*policies))

size_t confirm_sites_at(const struct confirm_context *context, struct arena *arena, const char *module,
			const char *file, int line, struct sym_site **sites)
{
	if (context->plain)
		return plain_sites_at(context->plain, context->sym, arena, module, file, line, sites);
	return sym_sites_at(context->sym, arena, module, file, line, sites);
}

int plan_policy(const char *name)
{
	for (size_t i = 0; i < POLICY_COUNT; i++)
		if (!strcmp(policies[i], name))
			return (int)i;
	return -1;
}

const char *plan_policy_name(uint32_t policy)
{
	return policy < POLICY_COUNT ? policies[policy] : "unknown";
}

/*
 * Without a limit of the user's it comes from the length of an undirected schedule: a spin of
 * a small program is called a hang soon, a long program is not. It is a guess (a pair in a hot
 * loop takes more steps), so a hang is looked at twice, the second time with five times as
 * many, and STEPS_SECOND at least. Before the length is known: STEPS_FIRST.
 */
uint64_t plan_step_limit(const struct confirm_context *context, bool second)
{
	uint64_t length = context->pool ? context->pool->length : 0;
	uint64_t least = second ? STEPS_SECOND : STEPS_LEAST;

	if (context->options.step_limit)
		return context->options.step_limit;
	if (!length)
		return STEPS_FIRST;
	length *= second ? 100 : 20;
	return length > least ? length : least;
}

void plan_start(struct wire_plan_parts *parts, const struct confirm_context *context)
{
	const struct confirm_options *options = &context->options;

	*parts = (struct wire_plan_parts){ 0 };
	parts->plan = (struct wire_plan){
		.flags = WIRE_FORK_SERVER | WIRE_RECORD_STEPS | (options->pin ? WIRE_PIN : 0) |
			 (options->spurious ? WIRE_SPURIOUS : 0),
		.policy = (uint32_t)plan_policy(options->policy),
		.fill_policy = (uint32_t)plan_policy(options->fill),
		.depth = options->depth,
		.step_limit = plan_step_limit(context, false),
		.length = context->pool ? context->pool->length : 0,
		.wall_ms = options->wall_ms,
	};
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_program(const struct confirm_context *context, const struct place *place)
{
	return !place->module || !strcmp(base_name(place->module), base_name(context->program->path));
}

/* Build-id of a library as it is on the disk now; read once. "-" if it cannot be, or is another program. */
static const char *module_build_id(struct confirm_pool *pool, const char *module)
{
	struct module_id new = { 0 };

	for (size_t i = 0; i < pool->module_ids.count; i++)
		if (!strcmp(pool->module_ids.items[i].module, module))
			return pool->module_ids.items[i].build_id;
	new.module = strdup(module);
	if (target_is_program(module) || sym_build_id(module, new.build_id))
		strcpy(new.build_id, "-");
	VEC_PUSH(&pool->module_ids, new);
	return pool->module_ids.items[pool->module_ids.count - 1].build_id;
}

static bool is_this_build(const struct confirm_context *context, const struct place *place)
{
	const char *id = place->build_id ? place->build_id : "";

	if (is_program(context, place) && *context->program->build_id)
		return !strcmp(id, context->program->build_id);
	return place->module && !strcmp(module_build_id(context->pool, place->module), id);
}

/* Sites and modules of a plan under construction, in one arena. */
struct draft {
	struct confirm_context *context;
	struct arena *arena;
	struct wire_plan_module modules[16];
	size_t module_count;
	VEC(struct wire_plan_site) sites;
	bool told_atomic; /* the finder knows which accesses are atomic: nothing is to be guessed */
	bool full; /* a pair in more than 16 modules: cannot happen with two statements */
};

static struct wire_plan_site *find_site(struct draft *draft, uint32_t module, uint32_t offset)
{
	for (size_t i = 0; i < draft->sites.count; i++)
		if (draft->sites.items[i].module == module && draft->sites.items[i].offset == offset)
			return &draft->sites.items[i];
	return NULL;
}

static void add_site(struct draft *draft, const struct place *place, enum wire_side side, unsigned flags)
{
	uint32_t offset = (uint32_t)place->offset + 1, module;
	uint32_t meant = access_is_write(flags) ? WIRE_SITE_WRITES : WIRE_SITE_READS;
	struct wire_plan_site *old;

	if (draft->module_count == sizeof(draft->modules) / sizeof(*draft->modules)) {
		draft->full = true;
		return;
	}
	module = wire_plan_module_index(draft->modules, &draft->module_count, place);
	old = find_site(draft, module, offset);
	if (old && old->side != side && side <= WIRE_SIDE_BOTH && old->side <= WIRE_SIDE_BOTH)
		old->side = WIRE_SIDE_BOTH;
	if (old)
		old->flags |= meant;
	else
		VEC_PUSH(&draft->sites, (struct wire_plan_site){ module, offset, side, flags | meant });
}

static bool is_same_statement(const struct access *access, const struct sym_site *site)
{
	if (access_is_write(site->flags) != access_is_write(access->flags))
		return false;
	if (!access->function || !strcmp(access->function, "??") || !site->function)
		return true;
	return !strcmp(site->function, access->function) && site->ordinal == access->ordinal;
}

#define CALLED (ACCESS_RANGE | ACCESS_FREE)

/* How it is accessed there: the same statement may call memcpy in one build and move in another. */
static unsigned flags_at(const struct draft *draft, const struct access *access, const struct sym_site *site)
{
	unsigned atomic = draft->told_atomic ? 0 : site->flags & ACCESS_ATOMIC;

	if (!draft->context->plain)
		return access->flags;
	return (access->flags & ~(unsigned)CALLED) | (site->flags & CALLED) | atomic;
}

static size_t add_line(struct draft *draft, const struct access *access, enum wire_side side,
		       const char *module, const char *file, int line)
{
	struct sym_site *sites;
	size_t n, added = 0;

	if (line <= 0)
		return 0;
	n = confirm_sites_at(draft->context, draft->arena, module, file, line, &sites);
	for (size_t i = 0; i < n; i++)
		if (is_same_statement(access, &sites[i])) {
			add_site(draft, &sites[i].place, side, flags_at(draft, access, &sites[i]));
			added++;
		}
	return added;
}

/* Of a place that is known already: is it a call there, is it atomic? */
static unsigned flags_of_place(const struct draft *draft, const struct access *access, const struct place *place)
{
	struct sym_site *calls, site = { .place = *place };
	size_t n;

	if (!draft->context->plain)
		return access->flags;
	n = sym_sites_at(draft->context->sym, draft->arena, place->module, access->file, access->line, &calls);
	for (size_t i = 0; i < n; i++)
		if (calls[i].place.offset == place->offset)
			site.flags = calls[i].flags;
	if (!draft->told_atomic && plain_is_atomic(draft->context->sym, draft->arena, place))
		site.flags |= ACCESS_ATOMIC;
	return flags_at(draft, access, &site);
}

static size_t search_lines(struct draft *draft, const struct access *access, enum wire_side side, const char *module,
			   const char *file)
{
	size_t added = add_line(draft, access, side, module, file, access->line);

	if (!access->function || !strcmp(access->function, "??"))
		return added; /* nothing to recognise a moved line by */
	for (int d = 1; d <= SEARCH_LINES && !added; d++) {
		added = add_line(draft, access, side, module, file, access->line + d);
		added += add_line(draft, access, side, module, file, access->line - d);
	}
	return added;
}

/*
 * Other folders, other spellings of the same file (scan says /home/me/src/a.c, the build ../src/a.c): the
 * base name will do where function, line and kind agree; ids are made of no more.
 */
static size_t add_by_line(struct draft *draft, const struct access *access, enum wire_side side, const char *module)
{
	size_t added = search_lines(draft, access, side, module, access->file);

	if (!added && strchr(access->file, '/') && access->function && strcmp(access->function, "??"))
		added = search_lines(draft, access, side, module, base_name(access->file));
	return added;
}

static int no_site(const struct draft *draft, const struct access *access)
{
	if (draft->context->plain)
		return error_cannot("no %s of memory at %s:%d (%s) in %s: was it built with -g from these sources? "
				    "The optimiser may have removed it", access_kind_name(access->flags), access->file,
				    access->line, access->function ? access->function : "??",
				    draft->context->program->path);
	return error_cannot("no instrumented %s at %s:%d (%s) in %s: was it built with deadheat-cc and -g "
			    "from these sources?", access_kind_name(access->flags), access->file, access->line,
			    access->function ? access->function : "??", draft->context->program->path);
}

static int add_side(struct draft *draft, const struct access *access, enum wire_side side)
{
	const struct confirm_context *context = draft->context;
	const char *module = context->program->path;
	size_t added = 0;

	for (size_t i = 0; i < access->place_count; i++)
		if (is_this_build(context, &access->places[i])) {
			add_site(draft, &access->places[i], side, flags_of_place(draft, access, &access->places[i]));
			added++;
		}
	if (added)
		return 0;
	for (size_t i = 0; i < access->place_count && !added; i++)
		if (!is_program(context, &access->places[i]) &&
		    strcmp(module_build_id(context->pool, access->places[i].module), "-"))
			added = add_by_line(draft, access, side, access->places[i].module);
	if (!added)
		added = add_by_line(draft, access, side, module);
	return added ? 0 : no_site(draft, access);
}

static void hand_over(struct draft *draft, struct wire_plan_parts *parts)
{
	parts->modules = arena_copy(draft->arena, draft->modules, sizeof(draft->modules));
	parts->module_count = draft->module_count;
	parts->sites = arena_copy(draft->arena, draft->sites.items, draft->sites.count * sizeof(*draft->sites.items));
	parts->site_count = draft->sites.count;
}

int plan_candidate(struct confirm_context *context, struct arena *arena, const struct candidate *candidate,
		   struct wire_plan_parts *parts)
{
	struct draft draft = {
		.context = context, .arena = arena, .told_atomic = candidate->found_by & (FINDER_DETECT | FINDER_SCAN),
	};
	int result = -1;

	plan_start(parts, context);
	if (!add_side(&draft, &candidate->access[0], WIRE_SIDE_A) &&
	    !add_side(&draft, &candidate->access[1], WIRE_SIDE_B)) {
		hand_over(&draft, parts);
		result = 0;
	}
	if (!result && draft.full)
		result = error("%s has sites in too many modules", candidate->id);
	VEC_FREE(&draft.sites);
	return result;
}

/* ---- points ------------------------------------------------------------------------------ */

static bool has_site(const struct wire_plan_parts *parts, const struct wire_plan_module *module, uint32_t offset)
{
	for (size_t i = 0; i < parts->site_count; i++) {
		const struct wire_plan_module *other = &parts->modules[parts->sites[i].module];

		if (parts->sites[i].offset == offset && !strcmp(other->build_id, module->build_id) &&
		    !strcmp(base_name(other->path), base_name(module->path)))
			return true;
	}
	return false;
}

static void add_points_of(struct draft *draft, const struct wire_plan_parts *parts, const struct access *access)
{
	for (size_t i = 0; i < access->place_count && draft->sites.count < POINTS_MAX; i++) {
		const struct place *place = &access->places[i];
		struct wire_plan_module module = { 0 };

		if (!is_this_build(draft->context, place))
			continue;
		snprintf(module.build_id, sizeof(module.build_id), "%s", place->build_id);
		snprintf(module.path, sizeof(module.path), "%s", place->module);
		if (!has_site(parts, &module, (uint32_t)place->offset + 1))
			add_site(draft, place, WIRE_SIDE_POINT, access->flags);
	}
}

static void keep_sites(struct draft *draft, const struct wire_plan_parts *parts)
{
	memcpy(draft->modules, parts->modules, parts->module_count * sizeof(*parts->modules));
	draft->module_count = parts->module_count;
	for (size_t i = 0; i < parts->site_count; i++)
		VEC_PUSH(&draft->sites, parts->sites[i]);
}

int plan_add_points(struct confirm_context *context, struct arena *arena, struct wire_plan_parts *parts)
{
	struct draft draft = { .context = context, .arena = arena };
	struct store_findings findings;

	if (store_read(context->store, arena, &findings))
		return -1;
	if (parts->module_count)
		keep_sites(&draft, parts);
	for (size_t i = 0; i < findings.candidate_count; i++) {
		add_points_of(&draft, parts, &findings.candidates[i].access[0]);
		add_points_of(&draft, parts, &findings.candidates[i].access[1]);
	}
	if (draft.sites.count > parts->site_count)
		hand_over(&draft, parts);
	VEC_FREE(&draft.sites);
	return 0;
}

static uint32_t join_module(struct wire_plan_module *modules, size_t *count, const struct wire_plan_module *module)
{
	for (size_t i = 0; i < *count; i++)
		if (!memcmp(&modules[i], module, sizeof(*module)))
			return (uint32_t)i;
	modules[(*count)++] = *module;
	return (uint32_t)*count - 1;
}

void plan_join_points(struct arena *arena, struct wire_plan_parts *parts, const struct wire_plan_parts *points)
{
	struct wire_plan_module *modules = ARENA_ARRAY(arena, struct wire_plan_module,
						       parts->module_count + points->module_count + 1);
	struct wire_plan_site *sites = ARENA_ARRAY(arena, struct wire_plan_site, parts->site_count + points->site_count + 1);
	size_t module_count = parts->module_count, count = parts->site_count;

	memcpy(modules, parts->modules, module_count * sizeof(*modules));
	memcpy(sites, parts->sites, count * sizeof(*sites));
	for (size_t i = 0; i < points->site_count; i++) {
		const struct wire_plan_module *module = &points->modules[points->sites[i].module];

		if (has_site(parts, module, points->sites[i].offset))
			continue;
		sites[count] = points->sites[i];
		sites[count++].module = join_module(modules, &module_count, module);
	}
	parts->modules = modules;
	parts->module_count = module_count;
	parts->sites = sites;
	parts->site_count = count;
}

/* ---- gates ------------------------------------------------------------------------------- */

void plan_add_gates(struct confirm_context *context, struct arena *arena, const struct trial_gate *gates, size_t count,
		   struct wire_plan_parts *parts)
{
	struct draft draft = { .context = context, .arena = arena };

	keep_sites(&draft, parts);
	for (size_t i = 0; i < count; i++) {
		struct place place = { gates[i].module.build_id, gates[i].module.path, gates[i].offset - 1 };

		if (!has_site(parts, &gates[i].module, gates[i].offset))
			add_site(&draft, &place, gates[i].side == WIRE_SIDE_A ? WIRE_SIDE_GATE_A : WIRE_SIDE_GATE_B, 0);
	}
	hand_over(&draft, parts);
	VEC_FREE(&draft.sites);
}

/* ---- deadlocks --------------------------------------------------------------------------- */

static int add_edge(struct draft *draft, const struct deadlock_edge *edge, struct wire_plan_edge *out)
{
	const struct place *held = &edge->held_at, *wait = &edge->wait_at;

	if (draft->module_count + 2 > sizeof(draft->modules) / sizeof(*draft->modules))
		return error("a lock cycle over too many modules");
	if (!is_this_build(draft->context, held) || !is_this_build(draft->context, wait))
		return error_cannot("the lock cycle was seen in another build of %s: run deadheat detect on this one",
				    draft->context->program->path);
	out->held_at.module = wire_plan_module_index(draft->modules, &draft->module_count, held);
	out->held_at.offset = (uint32_t)held->offset + 1;
	out->wait_at.module = wire_plan_module_index(draft->modules, &draft->module_count, wait);
	out->wait_at.offset = (uint32_t)wait->offset + 1;
	return 0;
}

int plan_deadlock(struct confirm_context *context, struct arena *arena, const struct deadlock *deadlock,
		  struct wire_plan_parts *parts)
{
	struct draft draft = { .context = context, .arena = arena };
	struct wire_plan_edge *edges = ARENA_ARRAY(arena, struct wire_plan_edge, deadlock->edge_count + 1);

	plan_start(parts, context);
	for (size_t i = 0; i < deadlock->edge_count; i++)
		if (add_edge(&draft, &deadlock->edges[i], &edges[i]))
			return -1;
	hand_over(&draft, parts);
	parts->edges = edges;
	parts->edge_count = deadlock->edge_count;
	return 0;
}
