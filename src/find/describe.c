/* describe - see describe.h: modules, threads, places, names. Pairs and cycles: describe_pair.c. */
#include "find/describe.h"

#include <string.h>
#include <uthash.h>

struct describe_known {
	struct wire_pc pc;
	struct frame *frames;
	size_t count;
	int first_line;
	UT_hash_handle hh;
};

void describe_begin(struct describe *describe, struct sym *sym, struct arena *arena)
{
	*describe = (struct describe){ .sym = sym, .arena = arena };
}

void describe_end(struct describe *describe)
{
	VEC_FREE(&describe->modules);
	VEC_FREE(&describe->module_ends);
	VEC_FREE(&describe->threads);
	HASH_CLEAR(hh, describe->known); /* they are the arena's */
}

static void learn_module(struct describe *d, const struct wire_record *record)
{
	const struct wire_ev_module *module = (const void *)record;
	struct place place = { .offset = 0 };
	uint64_t end = 0;

	if (record->size >= sizeof(*module)) { /* a torn one still takes its number */
		place.build_id = arena_printf(d->arena, "%.*s", BUILD_ID_HEX_MAX - 1, module->build_id);
		place.module = arena_strdup(d->arena, wire_module_path(module));
		place.offset = module->base;
		end = module->end;
	}
	VEC_PUSH(&d->modules, place);
	VEC_PUSH(&d->module_ends, end);
}

static void learn_thread(struct describe *d, const struct wire_record *record)
{
	const struct wire_ev_thread *thread = (const void *)record;

	if (record->size >= sizeof(*thread))
		VEC_PUSH(&d->threads, (struct describe_thread){ thread->id, thread->parent, thread->nth_child,
								thread->created_at });
}

void describe_learn(struct describe *d, const struct wire_record *record)
{
	if (record->type == WIRE_EV_MODULE)
		learn_module(d, record);
	else if (record->type == WIRE_EV_THREAD)
		learn_thread(d, record);
}

struct place describe_place(const struct describe *d, struct wire_pc pc, unsigned correction)
{
	struct place place = { .build_id = "", .module = "", .offset = pc.offset };

	if (pc.module < d->modules.count) {
		place.build_id = d->modules.items[pc.module].build_id;
		place.module = d->modules.items[pc.module].module;
	}
	if (place.offset >= correction)
		place.offset -= correction;
	return place;
}

bool describe_address(const struct describe *d, uint64_t address, struct place *place)
{
	for (size_t i = 0; i < d->modules.count; i++) {
		const struct place *module = &d->modules.items[i];

		if (address < module->offset || address >= d->module_ends.items[i])
			continue;
		*place = *module;
		place->offset = address - module->offset;
		return true;
	}
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_runtime(const struct place *place)
{
	const char *name = base_name(place->module);

	return !strcmp(name, "libdeadheat_rt.so") || !strcmp(name, "libtsan.so.2");
}

/* What the language brings along: its functions have names, its lines say nothing to anybody. */
static bool is_of_the_system(const struct place *place)
{
	static const char *const names[] = { "libc.so.6", "libpthread.so.0", "libm.so.6", "ld-linux-x86-64.so.2",
					     "libstdc++.so.6", "libgcc_s.so.1" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(base_name(place->module), names[i]))
			return true;
	return false;
}

static size_t find_frames(struct describe *d, const struct place *place, struct frame **frames, int *first_line)
{
	if (is_of_the_system(place))
		return sym_function(d->sym, d->arena, place, frames);
	return sym_frames(d->sym, d->arena, place, frames, first_line);
}

size_t describe_frames(struct describe *d, struct wire_pc pc, const struct frame **frames, int *first_line)
{
	struct place place = describe_place(d, pc, 1);
	struct describe_known *known;

	HASH_FIND(hh, d->known, &pc, sizeof(pc), known);
	if (!known) {
		known = ARENA_NEW(d->arena, struct describe_known);
		known->pc = pc;
		known->count = find_frames(d, &place, &known->frames, &known->first_line);
		HASH_ADD(hh, d->known, pc, sizeof(pc), known);
	}
	*frames = known->frames;
	if (first_line)
		*first_line = known->first_line;
	return known->count;
}

size_t describe_stack(struct describe *d, const struct wire_pc *pcs, size_t count, struct frame **frames)
{
	VEC(struct frame) all = { 0 };
	size_t total;

	for (size_t i = 0; i < count; i++) {
		struct place place = describe_place(d, pcs[i], 1);
		const struct frame *part;
		size_t n;

		if (is_runtime(&place))
			continue;
		n = describe_frames(d, pcs[i], &part, NULL);
		for (size_t j = 0; j < n; j++)
			VEC_PUSH(&all, part[j]);
	}
	total = all.count;
	*frames = total ? arena_copy(d->arena, all.items, total * sizeof(**frames)) : NULL;
	VEC_FREE(&all);
	return total;
}

const char *describe_where(struct describe *d, struct wire_pc pc)
{
	struct place place = describe_place(d, pc, 1);
	const struct frame *frames;
	size_t count = describe_frames(d, pc, &frames, NULL);
	const struct frame *frame = count ? &frames[0] : NULL;

	if (frame && frame->file && frame->line)
		return arena_printf(d->arena, "%s:%d in %s", base_name(frame->file), frame->line,
				    frame->function ? frame->function : "??");
	if (frame && frame->function)
		return arena_printf(d->arena, "%s in %s", frame->function, base_name(place.module));
	return arena_printf(d->arena, "%s+0x%llx", *place.module ? base_name(place.module) : "??",
			    (unsigned long long)place.offset);
}

const char *describe_thread_name(struct describe *d, uint32_t id)
{
	if (!id)
		return "main thread";
	for (size_t i = 0; i < d->threads.count; i++)
		if (d->threads.items[i].id == id && d->threads.items[i].created_at.offset)
			return arena_printf(d->arena, "T%u, created at %s", id,
					    describe_where(d, d->threads.items[i].created_at));
	return arena_printf(d->arena, "T%u", id);
}

static const char *lock_name(struct describe *d, uint64_t address, uint32_t id, struct wire_pc first_at)
{
	struct place place;
	const char *variable = NULL;

	if (describe_address(d, address, &place))
		variable = sym_variable(d->sym, d->arena, &place);
	if (variable)
		return variable;
	if (first_at.offset)
		return arena_printf(d->arena, "lock %u (first taken at %s)", id, describe_where(d, first_at));
	return arena_printf(d->arena, "lock %u", id);
}

const char *describe_lock_name(struct describe *d, const struct wire_lock *lock)
{
	return lock_name(d, lock->address, lock->id, lock->first_at);
}

const char *describe_wanted_name(struct describe *d, const struct wire_wait *wait)
{
	return lock_name(d, wait->wants, wait->wants_id, wait->wants_first_at);
}
