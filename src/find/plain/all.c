/*
 * all - every memory instruction of a program, for a run in which the engine hears them all
 * (runtime explore): the detector of `hunt` on programs that were not instrumented.
 *
 * Functions are those of .eh_frame, which stripping leaves. Left out are accesses by the stack pointer
 * and locals by a frame pointer, which nobody else touches as a rule, and constants. Each visit
 * costs microseconds, so this is for programs that end soon.
 *
 * Decided against: libraries too. Each site costs four system calls at the start, and a program
 * has more libraries than own code; what is shared through them is for trap and sample.
 */
#include "base/error.h"
#include "base/vec.h"
#include "find/plain/plain.h"
#include "find/sample/code.h"

#define MOST 32768 /* some hundred bytes and microseconds each; more is no small program */
#define RSP 4
#define RBP 5

struct making {
	struct sym *sym;
	struct arena *arena;
	struct place place; /* of the instruction at hand */
	const struct code *code;
	VEC(struct wire_plan_site) sites;
	VEC(struct wire_plan_plain) table;
};

static bool is_private(const struct making *m, const struct wire_plain_access *access, uint64_t end)
{
	size_t left;

	if (access->base == RSP || (access->base == RBP && access->displacement < 0 && access->index == WIRE_REG_NONE))
		return true;
	return access->base == WIRE_REG_RIP && code_at(m->code, end + (uint64_t)(int64_t)access->displacement, &left);
}

static void add(struct making *m, struct wire_plan_plain *found)
{
	uint64_t offset = m->place.offset;

	if (is_private(m, &found->access[0], offset + found->length) || offset >= UINT32_MAX)
		return;
	if (plain_is_atomic(m->sym, m->arena, &m->place))
		for (unsigned i = 0; i < found->access_count; i++)
			found->access[i].flags |= ACCESS_ATOMIC;
	found->site = (uint32_t)m->sites.count;
	VEC_PUSH(&m->sites, (struct wire_plan_site){ 0, (uint32_t)offset + 1, WIRE_SIDE_PLAIN, found->access[0].flags });
	VEC_PUSH(&m->table, *found);
}

static void decode(struct making *m, uint64_t low, uint64_t high)
{
	while (low < high && m->sites.count < MOST) {
		size_t left, length;
		const uint8_t *bytes = code_at(m->code, low, &left);
		struct wire_plan_plain found;

		if (!bytes)
			return;
		m->place.offset = low;
		if (plain_decode(bytes, left < 15 ? left : 15, low, &found, &length))
			add(m, &found);
		if (!length)
			return;
		low += length;
	}
}

/* After those the plan has: their indices, and the modules', stay. */
static void hand_over(struct making *m, struct wire_plan_parts *parts)
{
	struct wire_plan_module *modules = ARENA_ARRAY(m->arena, struct wire_plan_module, parts->module_count + 1);
	size_t count = parts->module_count, before = parts->site_count, more = m->sites.count;
	struct wire_plan_site *sites = ARENA_ARRAY(m->arena, struct wire_plan_site, before + more + 1);
	uint32_t module;

	for (size_t i = 0; i < count; i++)
		modules[i] = parts->modules[i];
	module = wire_plan_module_index(modules, &count, &m->place);
	for (size_t i = 0; i < before; i++)
		sites[i] = parts->sites[i];
	for (size_t i = 0; i < more; i++) {
		sites[before + i] = m->sites.items[i];
		sites[before + i].module = module;
		m->table.items[i].site += (uint32_t)before;
	}
	parts->modules = modules;
	parts->module_count = count;
	parts->sites = sites;
	parts->site_count = before + more;
	parts->plain = arena_copy(m->arena, m->table.items, more * sizeof(*m->table.items));
	parts->plain_count = more;
}

int plain_all(struct sym *sym, struct arena *arena, const char *module, const char *build_id, struct wire_plan_parts *parts)
{
	struct making m = { .sym = sym, .arena = arena, .place = { build_id, module, 0 } };
	struct code *code = code_open(module, NULL, 0);
	uint64_t low, high;

	if (!code)
		return error_cannot("the code of %s cannot be read", module);
	m.code = code;
	for (size_t i = 0; code_nth_function(code, i, &low, &high); i++)
		decode(&m, low, high);
	hand_over(&m, parts);
	VEC_FREE(&m.sites);
	VEC_FREE(&m.table);
	code_close(code);
	return 0;
}
