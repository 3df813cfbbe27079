/*
 * attach - when the library comes into a process that runs already (--pid; the host makes one of
 * its threads call dlopen and then deadheat_trace_attach, see find/inject.h).
 *
 * Names are bound by then, so the program's calls are turned to us in the tables it calls through:
 * each loaded object's slots for the names of interposed.def, and back at the detach. The real
 * functions are those the program itself uses (RTLD_DEFAULT: its jemalloc, not libc's malloc).
 * Threads that exist are made known by a first sample each. Locks they hold are not known: a lock
 * given back that we did not see taken says so in the log (TRACE_R_STRAY), and the reader
 * distrusts what that thread did before.
 *
 * I1  After the detach nothing of the program leads to us any more but returns of calls under way,
 *     so the library stays mapped, and nothing else stays: slots, timers, dispositions are as before.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/trace/trace.h"

#define SLOTS 16384

struct turned {
	uintptr_t *slot;
	uintptr_t was;
};
static struct turned turned[SLOTS];
static size_t turned_count;

#define SYMBOL(name, kind) extern char own_##name[] __asm__(#name);
#include RT_INTERPOSED
#undef SYMBOL

enum kind { SYNC, ALLOC, LIFE, SIGNAL, LOOKED_UP };
static const struct {
	const char *name;
	void *ours;
	enum kind kind;
} table[REAL_COUNT] = {
#define OURS_SYNC(name) own_##name
#define OURS_ALLOC(name) own_##name
#define OURS_LIFE(name) own_##name
#define OURS_SIGNAL(name) own_##name
#define OURS_LOOKED_UP(name) NULL
#define SYMBOL(symbol, group) [REAL_##symbol] = { #symbol, OURS_##group(symbol), group },
#include RT_INTERPOSED
#undef SYMBOL
};

/* ---- slots -------------------------------------------------------------------------------- */

static int find_name(const char *name)
{
	for (int i = 0; i < REAL_COUNT; i++)
		if (table[i].kind != LOOKED_UP && !rt_strcmp(table[i].name, name))
			return i;
	return -1;
}

static bool write_slot(uintptr_t *slot, uintptr_t value, bool read_only)
{
	uintptr_t page = (uintptr_t)slot & -(uintptr_t)4096;

	if (read_only && rt_syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_WRITE))
		return false;
	__atomic_store_n(slot, value, __ATOMIC_RELEASE);
	if (read_only)
		rt_syscall(SYS_mprotect, page, 4096, PROT_READ);
	return true;
}

struct object {
	uintptr_t base;
	uintptr_t relro_low, relro_high;
	const Elf64_Sym *symbols;
	const char *strings;
	const Elf64_Rela *tables[2];
	size_t sizes[2];
};

static bool is_relro(const struct object *o, const uintptr_t *slot)
{
	return (uintptr_t)slot >= o->relro_low && (uintptr_t)slot < o->relro_high;
}

static void turn_slot(const struct object *o, const Elf64_Rela *r)
{
	unsigned type = ELF64_R_TYPE(r->r_info);
	uintptr_t *slot = (uintptr_t *)(o->base + r->r_offset);
	int i;

	if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) || turned_count == SLOTS)
		return;
	i = find_name(o->strings + o->symbols[ELF64_R_SYM(r->r_info)].st_name);
	if (i < 0 || *slot == (uintptr_t)table[i].ours)
		return;
	turned[turned_count] = (struct turned){ slot, *slot };
	if (write_slot(slot, (uintptr_t)table[i].ours, is_relro(o, slot)))
		turned_count++;
}

static void read_dynamic(struct object *o, const Elf64_Dyn *d)
{
	for (; d->d_tag != DT_NULL; d++)
		switch (d->d_tag) {
		case DT_SYMTAB: o->symbols = (const void *)d->d_un.d_ptr; break;
		case DT_STRTAB: o->strings = (const void *)d->d_un.d_ptr; break;
		case DT_JMPREL: o->tables[0] = (const void *)d->d_un.d_ptr; break;
		case DT_PLTRELSZ: o->sizes[0] = d->d_un.d_val; break;
		case DT_RELA: o->tables[1] = (const void *)d->d_un.d_ptr; break;
		case DT_RELASZ: o->sizes[1] = d->d_un.d_val; break;
		default: break;
		}
}

static int turn_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct object o = { .base = info->dlpi_addr };
	const Elf64_Dyn *dynamic = NULL;
	bool own = false;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		uintptr_t low = o.base + p->p_vaddr;

		if (p->p_type == PT_DYNAMIC)
			dynamic = (const void *)low;
		else if (p->p_type == PT_GNU_RELRO) {
			o.relro_low = low & -(uintptr_t)4096;
			o.relro_high = low + p->p_memsz;
		} else if (p->p_type == PT_LOAD)
			own |= (uintptr_t)turn_object >= low && (uintptr_t)turn_object < low + p->p_memsz;
	}
	if (!dynamic || own)
		return 0;
	read_dynamic(&o, dynamic);
	/* The vdso's tables are offsets, not addresses; it calls nobody. */
	if (!o.symbols || !o.strings || (uintptr_t)o.strings < 4096 || (uintptr_t)o.strings < o.base)
		return 0;
	for (int t = 0; t < 2; t++)
		for (size_t i = 0; o.tables[t] && i < o.sizes[t] / sizeof(Elf64_Rela); i++)
			turn_slot(&o, &o.tables[t][i]);
	return 0;
}

struct relro {
	uintptr_t address;
	bool inside;
};

static int see_relro(struct dl_phdr_info *info, size_t size, void *data)
{
	struct relro *r = data;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		uintptr_t low = info->dlpi_addr + p->p_vaddr;

		r->inside |= p->p_type == PT_GNU_RELRO && r->address >= (low & -(uintptr_t)4096) && r->address < low + p->p_memsz;
	}
	return 0;
}

/* A slot whose object is gone (dlclose) is not ours to write to. */
static void turn_back(void)
{
	while (turned_count) {
		struct turned *t = &turned[--turned_count];
		struct relro r = { (uintptr_t)t->slot, false };

		if (!trace_module_of((uintptr_t)t->slot))
			continue;
		dl_iterate_phdr(see_relro, &r);
		write_slot(t->slot, t->was, r.inside);
	}
}

/* ---- in and out ------------------------------------------------------------------------------------ */

static void find_real(void)
{
	for (int i = 0; i < REAL_COUNT; i++) {
		void *real = dlsym(RTLD_DEFAULT, table[i].name);

		if (real && real != table[i].ours)
			__atomic_store_n(&rt_real[i], real, __ATOMIC_RELAXED);
	}
	dlerror();
}

static void each_thread(int signal)
{
	char buffer[4096];
	long file = rt_syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY, 0), n;
	long process = rt_syscall(SYS_getpid), self = rt_syscall(SYS_gettid);

	if (file < 0)
		return;
	while ((n = rt_syscall(SYS_getdents64, file, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < n;) {
			const struct dirent64 *entry = (const void *)(buffer + at);
			long tid = 0;

			for (const char *p = entry->d_name; *p >= '0' && *p <= '9'; p++)
				tid = tid * 10 + (*p - '0');
			if (tid && tid != self)
				rt_syscall(SYS_tgkill, process, tid, signal);
			at += entry->d_reclen;
		}
	rt_syscall(SYS_close, file);
}

long deadheat_trace_attach(const char *path);
long deadheat_trace_detach(const char *path);

#define PATH_SIZE 64
static char attached_by[PATH_SIZE]; /* path of the mapping: whose */

static bool parts_detach(struct trace_thread *self)
{
	bool out = true;

	for (int i = 0; i < TRACE_PARTS; i++)
		if (trace_parts[i] && trace_parts[i]->mode & trace_header->mode && trace_parts[i]->detach)
			out &= trace_parts[i]->detach(self);
	return out;
}

/* Called by the host in one of the program's threads. 0, or what is wrong. */
RT_EXPORT long deadheat_trace_attach(const char *path)
{
	struct trace_thread *self;

	if (turned_count)
		return 1;
	find_real();
	if (!trace_begin_late(path))
		return 2;
	rt_memset(attached_by, 0, sizeof(attached_by));
	rt_memcpy(attached_by, path, rt_strlen(path) < PATH_SIZE ? rt_strlen(path) : PATH_SIZE - 1);
	self = trace_self();
	if (!trace_enter(self))
		return 3;
	dl_iterate_phdr(turn_object, NULL);
	trace_leave(self);
	if (trace_wants(TRACE_SAMPLE))
		each_thread((int)trace_header->signal);
	return 0;
}

/* 4: not all is out yet, again in a moment. path: of the one who leaves; another has come since: nothing to do. NULL: whoever. */
RT_EXPORT long deadheat_trace_detach(const char *path)
{
	struct trace_thread *self;
	bool out;

	if (!trace_header)
		return 1;
	if (path && rt_strcmp(path, attached_by))
		return 0;
	self = trace_self();
	if (!trace_enter(self))
		return 3;
	turn_back();
	out = parts_detach(self);
	trace_leave(self); /* chunks stay their threads': calls under way may still write; the host reads owned ones too */
	return out ? 0 : 4;
}
