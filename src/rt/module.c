/*
 * module - what is loaded where: program, libraries, build-ids; told to the host once.
 *
 * A list, newest first, read without locks (records are complete before they are
 * linked and never freed) and extended under one. dl_iterate_phdr is called with no lock
 * of ours held, since a program's own callback may be inside it and reach us:
 * I1  order of locks: the loader's, then ours.
 * I2  the index of a MODULE record is the number of those before it: counted and
 *     reserved under the lock, so that log order is index order.
 */
#include <elf.h>
#include <link.h>
#include <sys/syscall.h>

#include "rt/internal.h"
#include "rt/preserve.h"

static struct module *modules;
static struct module *own;
static struct rt_lock lock;
static uint32_t announced;
static uint64_t generation;

const struct module_segment *module_segment(const struct module *module, uintptr_t address, size_t size)
{
	for (uint32_t i = 0; i < module->segment_count; i++) {
		const struct module_segment *s = &module->segment[i];

		if (address >= s->low && address < s->high && size <= s->high - address)
			return s;
	}
	return NULL;
}

static struct module *find(uintptr_t address)
{
	struct module *m = __atomic_load_n(&modules, __ATOMIC_ACQUIRE);

	for (; m; m = m->next)
		if (address >= m->low && address < m->high && m->loaded && module_segment(m, address, 1))
			return m;
	return NULL;
}

const struct module *module_find(uintptr_t address)
{
	return find(address);
}

bool rt_is_text(uintptr_t pc)
{
	const struct module *m = find(pc);

	return m && (module_segment(m, pc, 1)->flags & PF_X);
}

bool rt_is_own(uintptr_t pc)
{
	return own && pc >= own->low && pc < own->high;
}

/* ---- learning of a module ------------------------------------------------------- */

static void read_notes(struct module *module, const char *at, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		size_t name = (note->n_namesz + 3u) & ~3u, text = (note->n_descsz + 3u) & ~3u;
		const unsigned char *id = (const unsigned char *)at + sizeof(*note) + name;

		if (name + text > size - sizeof(*note))
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !rt_memcmp(at + sizeof(*note), "GNU", 4)) {
			for (uint32_t i = 0; i < note->n_descsz && 2 * i + 2 < sizeof(module->build_id); i++) {
				module->build_id[2 * i] = digits[id[i] >> 4];
				module->build_id[2 * i + 1] = digits[id[i] & 15];
			}
			return;
		}
		at += sizeof(*note) + name + text;
		size -= sizeof(*note) + name + text;
	}
}

static void add_segment(struct module *module, const ElfW(Phdr) *p)
{
	uintptr_t low = (module->base + p->p_vaddr) & -(uintptr_t)WIRE_PAGE;
	uintptr_t high = (module->base + p->p_vaddr + p->p_memsz + WIRE_PAGE - 1) & -(uintptr_t)WIRE_PAGE;

	if (module->segment_count < MODULE_SEGMENTS)
		module->segment[module->segment_count++] = (struct module_segment){ low, high, p->p_flags };
	if (low < module->low)
		module->low = low;
	if (high > module->high)
		module->high = high;
}

static void read_headers(struct module *module, const struct dl_phdr_info *info)
{
	module->base = info->dlpi_addr;
	module->low = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			add_segment(module, &info->dlpi_phdr[i]);
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE && !module->build_id[0])
			read_notes(module, (const char *)module->base + info->dlpi_phdr[i].p_vaddr,
				   info->dlpi_phdr[i].p_memsz);
}

/* The program itself has no name in the loader's list. */
static const char *copy_path(const char *name)
{
	char link[4096];
	size_t size = rt_strlen(name);
	char *path;

	if (!size) {
		long n = rt_syscall(SYS_readlink, "/proc/self/exe", link, sizeof(link));

		size = n > 0 ? (size_t)n : 0;
		name = link;
	}
	path = rt_arena(size + 1);
	if (path)
		rt_memcpy(path, name, size);
	return path ? path : "";
}

static struct module *known(uintptr_t base, uintptr_t headers, const char *path)
{
	for (struct module *m = modules; m; m = m->next)
		if (m->loaded && m->base == base && m->headers == headers && (!path[0] || !rt_strcmp(m->path, path)))
			return m;
	return NULL;
}

static void announce(struct module *module)
{
	size_t path_size = rt_strlen(module->path) + 1;
	struct wire_ev_module *record;

	if (!rt_wire || module->wire_index != WIRE_NO_MODULE)
		return;
	record = rt_record(sizeof(*record) + path_size);
	if (!record)
		return;
	record->base = module->base;
	record->end = module->high;
	rt_memcpy(record->build_id, module->build_id, sizeof(record->build_id));
	record->path_size = path_size;
	rt_memcpy(record + 1, module->path, path_size);
	module->wire_index = announced++;
	rt_commit(record, WIRE_EV_MODULE);
}

static void bind_entries(const struct module *module, const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC && !module->own)
			module_bind(module, (const void *)(module->base + info->dlpi_phdr[i].p_vaddr));
}

static struct module *add(const struct dl_phdr_info *info)
{
	struct module *m = rt_arena(sizeof(*m));

	if (!m)
		return NULL;
	read_headers(m, info);
	m->headers = (uintptr_t)info->dlpi_phdr;
	m->path = copy_path(info->dlpi_name);
	m->wire_index = WIRE_NO_MODULE;
	m->loaded = true;
	m->own = (uintptr_t)add >= m->low && (uintptr_t)add < m->high;
	if (m->own)
		own = m;
	bind_entries(m, info);
	m->next = modules;
	__atomic_store_n(&modules, m, __ATOMIC_RELEASE);
	return m;
}

static int see(struct dl_phdr_info *info, size_t size, void *data)
{
	uint64_t now = *(uint64_t *)data;
	struct module *m;

	rt_lock(&lock);
	m = known(info->dlpi_addr, (uintptr_t)info->dlpi_phdr, info->dlpi_name);
	if (!m)
		m = add(info);
	if (m) {
		if (m->seen < now)
			m->seen = now;
		announce(m);
	}
	rt_unlock(&lock);
	return 0;
}

static void refresh(void)
{
	uint64_t now = __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);

	dl_iterate_phdr(see, &now);
	rt_lock(&lock);
	for (struct module *m = modules; m; m = m->next)
		if (m->seen < now)
			m->loaded = false;
	rt_unlock(&lock);
}

/* The loader is libc: it may use vector registers, a miss of the detector may not. */
void rt_modules_refresh(void)
{
	rt_preserve_vectors(refresh);
}

void rt_modules_again(void)
{
	rt_lock(&lock);
	announced = 0;
	for (struct module *m = modules; m; m = m->next)
		m->wire_index = WIRE_NO_MODULE;
	rt_unlock(&lock);
	rt_modules_refresh();
	rt_threads_again();
}

/* ---- places ------------------------------------------------------------------------- */

struct wire_pc rt_place(uintptr_t pc)
{
	struct module *m = find(pc);

	if (!m && pc) {
		rt_modules_refresh();
		m = find(pc);
	}
	if (m && m->wire_index == WIRE_NO_MODULE) {
		rt_lock(&lock);
		announce(m);
		rt_unlock(&lock);
	}
	if (!m || m->wire_index == WIRE_NO_MODULE)
		return (struct wire_pc){ WIRE_NO_MODULE, (uint32_t)pc };
	return (struct wire_pc){ m->wire_index, (uint32_t)(pc - m->base) };
}

static bool matches(const struct module *module, const struct wire_plan_module *wanted)
{
	if (wanted->build_id[0] && module->build_id[0])
		return !rt_strncmp(module->build_id, wanted->build_id, sizeof(wanted->build_id));
	return !rt_strncmp(module->path, wanted->path, sizeof(wanted->path));
}

uintptr_t rt_plan_address(uint32_t plan_module, uint32_t offset)
{
	const struct module *m = __atomic_load_n(&modules, __ATOMIC_ACQUIRE);

	if (!rt_plan || plan_module >= rt_plan->module_count)
		return 0;
	for (; m; m = m->next)
		if (m->loaded && matches(m, &rt_plan_modules()[plan_module]))
			return m->base + offset;
	return 0;
}

const char *rt_own_path(void)
{
	return own ? own->path : "";
}

void rt_modules_fork(bool before)
{
	if (before)
		rt_lock(&lock);
	else
		rt_unlock(&lock);
}
