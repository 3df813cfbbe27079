/*
 * table - the memory instructions of a module: decoded function by function (bounds from
 * .eh_frame, which stripping leaves), published for handlers in the target.
 *
 * Never armed, but known, are accesses by the stack pointer, locals by a frame pointer, constants and
 * string operations. libc, the loader and sanitizers are left out: their own locks and atomics are
 * invisible to us, so a pair with them says nothing.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "find/plain/plain.h"
#include "find/sample/code.h"
#include "find/trap/internal.h"

#define RSP 4
#define RBP 5

void site_tables_open(struct tables *tables, struct trap_plan *plan, size_t size)
{
	*tables = (struct tables){ .plan = plan, .used = (sizeof(*plan) + 63) & ~(size_t)63, .size = size };
}

void site_tables_adopt(struct tables *tables, struct trap_plan *plan, size_t size)
{
	uint32_t count = __atomic_load_n(&plan->table_count, __ATOMIC_ACQUIRE);

	site_tables_open(tables, plan, size);
	tables->used = size;
	for (uint32_t i = 0; i < count && i < TRAP_TABLES; i++) {
		VEC_PUSH(&tables->paths, strdup(plan->tables[i].path));
		VEC_PUSH(&tables->numbers, (int)i);
	}
}

void site_tables_close(struct tables *tables)
{
	for (size_t i = 0; i < tables->paths.count; i++)
		free(tables->paths.items[i]);
	VEC_FREE(&tables->paths);
	VEC_FREE(&tables->numbers);
}

static bool is_left_out(const char *path)
{
	static const char *const names[] = {
		"libc.so", "libc-", "ld-linux", "libpthread", "librt.so", "libdl.so", "libdeadheat", "libasan", "libtsan",
		"liblsan", "libubsan", "libclang_rt", "libgcc_s",
	};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return strstr(path, " (deleted)") || strncmp(path, "/", 1);
}

/* ---- decoding ------------------------------------------------------------------------------------ */

struct making {
	struct tables *tables;
	const struct code *code;
	struct trap_site *sites;
	size_t count, most;
};

/* Constants do not change: .rodata, and what the loader alone has written. */
static bool is_constant(const struct making *m, const struct wire_plain_access *access, uint64_t end)
{
	return access->base == WIRE_REG_RIP && code_is_constant(m->code, end + (uint64_t)(int64_t)access->displacement);
}

static bool is_quiet(const struct making *m, const struct wire_plain_access *access, uint64_t end)
{
	if (access->base == RSP || (access->base == RBP && access->displacement < 0 && access->index == WIRE_REG_NONE))
		return true;
	return access->repeated || is_constant(m, access, end);
}

static void add(struct making *m, uint64_t offset, const struct wire_plan_plain *found)
{
	const struct wire_plain_access *access = &found->access[found->access_count - 1]; /* the write, if there is one */
	struct trap_site *site;

	if (m->count == m->most || offset > UINT32_MAX)
		return;
	site = &m->sites[m->count++];
	*site = (struct trap_site){
		.offset = (uint32_t)offset, .displacement = access->displacement, .base = access->base,
		.index = access->index, .scale = access->scale, .length = found->length, .size = (uint8_t)access->size,
		.original = found->original[0],
		.flags = (uint8_t)((access_is_write(access->flags) ? TRAP_WRITE : 0) |
				   ((access->flags & ACCESS_ATOMIC) ? TRAP_ATOMIC : 0) |
				   (is_quiet(m, access, offset + found->length) ? TRAP_QUIET : 0)),
	};
}

static void decode(struct making *m, uint64_t low, uint64_t high)
{
	while (low < high) {
		size_t left, length;
		const uint8_t *bytes = code_at(m->code, low, &left);
		struct wire_plan_plain found;

		if (!bytes)
			return;
		if (plain_decode(bytes, left < 15 ? left : 15, low, &found, &length))
			add(m, low, &found);
		if (!length)
			return;
		low += length;
	}
}

static void decode_all(struct making *m, const char *path)
{
	struct code *code = code_open(path, NULL, 0);
	uint64_t low, high;

	m->code = code;
	for (size_t i = 0; code && code_nth_function(code, i, &low, &high); i++)
		decode(m, low, high);
	if (code)
		code_close(code);
	m->code = NULL;
}

static int publish(struct making *m, const char *path, const char *build_id)
{
	struct trap_plan *plan = m->tables->plan;
	int number = (int)plan->table_count;
	struct trap_table *table = &plan->tables[number];

	*table = (struct trap_table){ .count = (uint32_t)m->count, .at = m->tables->used };
	memcpy(table->path, path, strlen(path) + 1);
	for (size_t i = 0; i < sizeof(table->build_id) && build_id[2 * i]; i++) {
		char byte[3] = { build_id[2 * i], build_id[2 * i + 1], 0 };

		table->build_id[i] = (uint8_t)strtoul(byte, NULL, 16);
		table->build_id_size++;
	}
	m->tables->used += (m->count * sizeof(*m->sites) + 63) & ~(size_t)63;
	m->tables->sites += m->count;
	__atomic_store_n(&plan->table_count, (uint32_t)number + 1, __ATOMIC_RELEASE);
	return number;
}

static int make(struct tables *tables, const char *path)
{
	struct making m = { .tables = tables };
	char build_id[BUILD_ID_HEX_MAX];
	int number = -1;

	if (tables->used >= tables->size || is_left_out(path) || strlen(path) >= sizeof(tables->plan->tables[0].path) ||
	    tables->plan->table_count == TRAP_TABLES || sym_build_id(path, build_id))
		return -1;
	m.sites = (void *)((char *)tables->plan + tables->used);
	m.most = (tables->size - tables->used) / sizeof(*m.sites);
	m.count = site_cache_read(tables->cache, build_id, m.sites, m.most);
	if (m.count) {
		tables->cached++;
	} else {
		decode_all(&m, path);
		if (m.count && m.count < m.most)
			site_cache_write(tables->cache, build_id, m.sites, m.count);
	}
	if (m.count && m.count < m.most)
		number = publish(&m, path, build_id);
	return number;
}

int site_table_of(struct tables *tables, const char *path)
{
	struct timespec began, ended;

	for (size_t i = 0; i < tables->paths.count; i++)
		if (!strcmp(tables->paths.items[i], path))
			return tables->numbers.items[i];
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
	VEC_PUSH(&tables->paths, strdup(path));
	VEC_PUSH(&tables->numbers, make(tables, path));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
	tables->made_ns += (uint64_t)((ended.tv_sec - began.tv_sec) * 1000000000 + ended.tv_nsec - began.tv_nsec);
	return tables->numbers.items[tables->numbers.count - 1];
}
