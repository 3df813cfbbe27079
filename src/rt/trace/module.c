/*
 * module - which files are mapped where: a MODULE record when one comes or goes.
 *
 * dlopen finds RUNPATH and namespace by its caller's address: our stand-in only sets a flag
 * and jumps on (a sibling call: the return address stays the caller's), and the next sync
 * operation of any thread reads the loader's list. Code of a module nobody has announced yet
 * is unknown to the reader, and counted there.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/syscall.h>

#include "rt/trace/trace.h"

uint32_t trace_modules_stale;

static struct rt_lock lock;
static struct trace_module *modules;
static uint64_t generation;

struct trace_module *trace_modules(void)
{
	return __atomic_load_n(&modules, __ATOMIC_ACQUIRE);
}

const struct trace_module *trace_module_of(uintptr_t address)
{
	for (const struct trace_module *m = trace_modules(); m; m = m->next)
		if (m->loaded && address >= m->low && address < m->high)
			return m;
	return NULL;
}

static void read_notes(struct trace_module *m, const char *at, size_t size)
{
	while (size >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *note = (const void *)at;
		size_t name = (note->n_namesz + 3u) & ~3u, desc = (note->n_descsz + 3u) & ~3u;

		if (sizeof(*note) + name + desc > size)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !m->build_id_size) {
			m->build_id_size = note->n_descsz > 20 ? 20 : note->n_descsz;
			rt_memcpy(m->build_id, at + sizeof(*note) + name, m->build_id_size);
		}
		at += sizeof(*note) + name + desc;
		size -= sizeof(*note) + name + desc;
	}
}

static void read_segment(struct trace_module *m, const ElfW(Phdr) *p)
{
	uintptr_t low = m->base + p->p_vaddr, high = low + p->p_memsz;

	if (m->segment_count < 8) {
		m->segment[m->segment_count].low = low;
		m->segment[m->segment_count].high = high;
		m->segment[m->segment_count++].flags = p->p_flags;
	}
	if (!m->low || low < m->low)
		m->low = low;
	if (high > m->high)
		m->high = high;
}

static void read_headers(struct trace_module *m, const struct dl_phdr_info *info)
{
	m->base = info->dlpi_addr;
	m->headers = (uintptr_t)info->dlpi_phdr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD)
			read_segment(m, p);
		else if (p->p_type == PT_NOTE)
			read_notes(m, (const char *)m->base + p->p_vaddr, p->p_memsz);
		else if (p->p_type == PT_GNU_EH_FRAME)
			m->eh_frame_hdr = m->base + p->p_vaddr;
	}
}

static const char *copy_path(const char *name)
{
	char link[1024];
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

static void announce(struct trace_thread *self, const struct trace_module *m, bool gone)
{
	size_t path = rt_strlen(m->path) + 1;
	size_t size = (sizeof(struct trace_r_module) + path + 7) & -(size_t)8;
	struct trace_r_module *record;

	if (!trace_header || size > TRACE_CHUNK_ROOM)
		return;
	record = trace_record(self, TRACE_R_MODULE, size, trace_order());
	if (!record)
		return;
	record->head.aux = gone;
	record->base = m->base;
	record->low = m->low;
	record->high = m->high;
	rt_memcpy(record->build_id, m->build_id, sizeof(record->build_id));
	record->build_id_size = m->build_id_size;
	rt_memcpy(record + 1, m->path, path);
	trace_commit(self, record);
}

static struct trace_module *known(const struct dl_phdr_info *info)
{
	for (struct trace_module *m = modules; m; m = m->next)
		if (m->loaded && m->base == info->dlpi_addr && m->headers == (uintptr_t)info->dlpi_phdr)
			return m;
	return NULL;
}

struct look {
	struct trace_thread *self;
	uint64_t now;
	bool changed;
};

static void add(struct look *look, const struct dl_phdr_info *info)
{
	struct trace_module *m = rt_arena(sizeof(*m));

	if (!m)
		return;
	read_headers(m, info);
	m->path = copy_path(info->dlpi_name);
	m->own = (uintptr_t)add >= m->low && (uintptr_t)add < m->high;
	m->loaded = true;
	m->seen = look->now;
	m->next = modules;
	__atomic_store_n(&modules, m, __ATOMIC_RELEASE);
	look->changed = true;
	announce(look->self, m, false);
}

static int see(struct dl_phdr_info *info, size_t size, void *data)
{
	struct look *look = data;
	struct trace_module *m = known(info);

	if (m)
		m->seen = look->now;
	else
		add(look, info);
	return 0;
}

static int see_locked(struct dl_phdr_info *info, size_t size, void *data)
{
	rt_lock(&lock);
	see(info, size, data);
	rt_unlock(&lock);
	return 0;
}

/* The loader's lock comes first, ours inside: never the other way round. */
void trace_modules_refresh(struct trace_thread *self)
{
	struct look look = { self, 0, false };

	__atomic_store_n(&trace_modules_stale, 0, __ATOMIC_RELAXED);
	look.now = __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
	dl_iterate_phdr(see_locked, &look);
	rt_lock(&lock);
	for (struct trace_module *m = modules; m; m = m->next)
		if (m->loaded && m->seen < look.now) {
			m->loaded = false;
			look.changed = true;
			announce(self, m, true);
		}
	rt_unlock(&lock);
	if (look.changed && trace_header)
		TRACE_EACH_PART(modules, self);
}

void trace_modules_fork(bool before)
{
	if (before)
		rt_lock(&lock);
	else
		rt_unlock(&lock);
}

/* A forked child is a process of its own in the log: say again what it has. */
void trace_modules_again(struct trace_thread *self)
{
	for (struct trace_module *m = trace_modules(); m; m = m->next)
		if (m->loaded)
			announce(self, m, false);
}

void trace_modules_forget(void)
{
	rt_lock(&lock);
	for (struct trace_module *m = modules; m; m = m->next)
		m->loaded = false;
	rt_unlock(&lock);
}

static void stale(void)
{
	__atomic_store_n(&trace_modules_stale, 1, __ATOMIC_RELAXED);
}

RT_EXPORT void *dlopen(const char *path, int flags)
{
	stale();
	return REAL(dlopen)(path, flags);
}

RT_EXPORT void *dlmopen(Lmid_t space, const char *path, int flags)
{
	stale();
	return REAL(dlmopen)(space, path, flags);
}

RT_EXPORT int dlclose(void *library)
{
	struct trace_thread *self;
	int result;

	if (!trace_header)
		return REAL(dlclose)(library);
	self = trace_self();
	if (trace_enter(self)) {
		trace_modules_check(self);
		TRACE_EACH_PART(unload, self);
		trace_leave(self);
	}
	result = REAL(dlclose)(library);
	if (trace_enter(self)) {
		trace_modules_refresh(self);
		TRACE_EACH_PART(modules, self); /* also when all of it stayed: unload has said otherwise */
		trace_leave(self);
	}
	return result;
}
