/*
 * site - the host's tables, seen from the target.
 *
 * Which table is a module's is looked up once per module and remembered by its record (modules
 * are few, their records never freed). A handler can do all this: it only reads.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "rt/trap/internal.h"

#define INT3 0xcc
#define CACHE 64u
static struct {
	const struct trace_module *module;
	uint32_t table; /* + 1 */
} cache[CACHE];

static bool is_table_of(const struct trap_table *table, const struct trace_module *m)
{
	if (table->build_id_size && m->build_id_size)
		return table->build_id_size == m->build_id_size && !rt_memcmp(table->build_id, m->build_id, m->build_id_size);
	return !rt_strcmp(table->path, m->path);
}

/* Index + 1; 0: the host has none for it, yet. */
static uint32_t table_of(const struct trace_module *m)
{
	uint32_t slot = (uint32_t)((uintptr_t)m >> 6) % CACHE;
	uint32_t count = __atomic_load_n(&trap_plan->table_count, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&cache[slot].module, __ATOMIC_ACQUIRE) == m)
		return cache[slot].table;
	for (uint32_t i = 0; i < count && i < TRAP_TABLES; i++)
		if (is_table_of(&trap_plan->tables[i], m)) {
			if (!cache[slot].module) { /* a slot is given once: no torn pair is ever read */
				cache[slot].table = i + 1;
				__atomic_store_n(&cache[slot].module, m, __ATOMIC_RELEASE);
			}
			return i + 1;
		}
	return 0;
}

bool site_find(uintptr_t address, struct trap_place *place)
{
	const struct trace_module *m = trace_module_of(address);
	uint32_t index = m ? table_of(m) : 0;
	const struct trap_table *table = index ? &trap_plan->tables[index - 1] : NULL;
	const struct trap_site *sites = table ? (const void *)((const char *)trap_plan + table->at) : NULL;
	uint32_t low = 0, high = table ? table->count : 0;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (sites[mid].offset < address - m->base)
			low = mid + 1;
		else
			high = mid;
	}
	if (!table || low == table->count || sites[low].offset != address - m->base)
		return false;
	*place = (struct trap_place){ &sites[low], index - 1, low, m->base };
	return true;
}

static uint64_t register_value(const struct trap_place *place, const ucontext_t *context, uint8_t number)
{
	static const uint8_t order[16] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};

	if (number == WIRE_REG_RIP)
		return place->base + place->site->offset + place->site->length;
	return number < 16 ? (uint64_t)context->uc_mcontext.gregs[order[number]] : 0;
}

uintptr_t site_operand(const struct trap_place *place, const ucontext_t *context)
{
	const struct trap_site *site = place->site;

	return register_value(place, context, site->base) + register_value(place, context, site->index) * site->scale +
	       (uintptr_t)(intptr_t)site->displacement;
}

/* ---- restoring -------------------------------------------------------------------------------- */

/*
 * By the kernel, which may write where we may not. Opened while it still may be: a program that gives up
 * its rights cannot open its own memory any more. It may close the file, too, and have another one under its
 * number: so it is looked at before each use.
 */
static int mem = -1;
static struct stat mem_was;
static uint32_t taken; /* write_by_protection */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

void site_open(void)
{
	long fd = rt_syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC, 0), high;

	rt_memset(cache, 0, sizeof(cache)); /* of another host's tables */
	mem = -1;
	taken = 0; /* in a child: who had it is not here */
	if (fd < 0)
		return;
	high = rt_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FD_LEAST);
	if (high >= 0)
		rt_syscall(SYS_close, fd);
	fd = high >= 0 ? high : fd;
	if (rt_syscall(SYS_fstat, fd, &mem_was) == 0)
		mem = (int)fd;
}

/* A forked child has its parent's memory there. */
void site_close(void)
{
	struct stat now;

	if (mem >= 0 && rt_syscall(SYS_fstat, mem, &now) == 0 && is_same_file(&now, &mem_was))
		rt_syscall(SYS_close, mem);
	mem = -1;
}

static bool write_by_kernel(uintptr_t at, uint8_t byte)
{
	struct stat now;
	bool kept = mem >= 0 && rt_syscall(SYS_fstat, mem, &now) == 0 && is_same_file(&now, &mem_was);
	long fd = kept ? mem : rt_syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC, 0);
	bool done = fd >= 0 && rt_syscall(SYS_pwrite64, fd, &byte, 1, at) == 1;

	if (fd >= 0 && !kept)
		rt_syscall(SYS_close, fd);
	return done;
}

/* One at a time: the page must not lose its protection under another's hands. No signal comes meanwhile. */
static bool write_by_protection(uintptr_t at, uint8_t byte)
{
	uintptr_t page = at & -(uintptr_t)WIRE_PAGE;
	bool done;

	while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
		rt_syscall(SYS_sched_yield);
	done = rt_syscall(SYS_mprotect, page, WIRE_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
	if (done) {
		*(volatile uint8_t *)at = byte;
		rt_syscall(SYS_mprotect, page, WIRE_PAGE, PROT_READ | PROT_EXEC);
	}
	__atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
	return done;
}

bool site_restore(const struct trap_place *place)
{
	uintptr_t at = place->base + place->site->offset;

	return write_by_kernel(at, place->site->original) || write_by_protection(at, place->site->original);
}

void site_restore_all(void)
{
	for (const struct trace_module *m = trace_modules(); m; m = m->next) {
		uint32_t index = m->loaded && !m->own ? table_of(m) : 0;
		const struct trap_table *table = index ? &trap_plan->tables[index - 1] : NULL;
		const struct trap_site *sites = table ? (const void *)((const char *)trap_plan + table->at) : NULL;

		for (uint32_t i = 0; table && i < table->count; i++) {
			struct trap_place place = { &sites[i], index - 1, i, m->base };

			if (!(sites[i].flags & TRAP_QUIET) && sites[i].original != INT3 &&
			    *(volatile uint8_t *)(m->base + sites[i].offset) == INT3)
				site_restore(&place);
		}
	}
}
