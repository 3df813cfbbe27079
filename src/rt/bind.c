/*
 * bind - the access entries are bound before their first call.
 *
 * Code of deadheat-cc counts on our entries giving all registers back (rt/preserve.c), but
 * the loader's lazy binding, which the first call of a symbol goes through, spoils r10 and r11.
 * deadheat-cc links with -z now; what somebody linked otherwise is bound here, when we first see
 * the module: the slot of every jump to an access entry gets the entry's address.
 *
 * I1  Only slots in a writable segment are written, and only with what the loader would write: we are
 *     the library that has these names (a second one would have been bound to already, or is
 *     not the one this runtime can speak for).
 */
#include <elf.h>

#include "rt/internal.h"

#define ACCESS(name, size, flags) void name(void *address);
#include "rt/abi/access.def"

static const struct entry {
	const char *name;
	void (*function)(void *address);
} entries[] = {
#define ACCESS(name, size, flags) { #name, name },
#include "rt/abi/access.def"
};

struct dynamic {
	const Elf64_Rela *jumps;
	const Elf64_Sym *symbols;
	const char *strings;
	size_t size;      /* of jumps, in bytes */
	bool now;
};

/* The loader has made most addresses absolute, but not in every object (the vdso). */
static const void *absolute(const struct module *module, uintptr_t value)
{
	return (const void *)(value < module->base ? module->base + value : value);
}

static struct dynamic read_dynamic(const struct module *module, const Elf64_Dyn *at)
{
	struct dynamic d = { 0 };

	for (; at->d_tag != DT_NULL; at++)
		switch (at->d_tag) {
		case DT_JMPREL: d.jumps = absolute(module, at->d_un.d_ptr); break;
		case DT_PLTRELSZ: d.size = at->d_un.d_val; break;
		case DT_SYMTAB: d.symbols = absolute(module, at->d_un.d_ptr); break;
		case DT_STRTAB: d.strings = absolute(module, at->d_un.d_ptr); break;
		case DT_BIND_NOW: d.now = true; break;
		case DT_FLAGS: d.now |= (at->d_un.d_val & DF_BIND_NOW) != 0; break;
		case DT_FLAGS_1: d.now |= (at->d_un.d_val & DF_1_NOW) != 0; break;
		}
	return d;
}

static const struct entry *find(const char *name)
{
	if (rt_strncmp(name, "__tsan_", 7))
		return NULL;
	for (const struct entry *e = entries; e < entries + sizeof(entries) / sizeof(entries[0]); e++)
		if (!rt_strcmp(e->name, name))
			return e;
	return NULL;
}

static void bind_slot(const struct module *module, const struct dynamic *d, const Elf64_Rela *jump)
{
	const struct entry *entry = find(d->strings + d->symbols[ELF64_R_SYM(jump->r_info)].st_name);
	uintptr_t slot = module->base + jump->r_offset;
	const struct module_segment *segment = module_segment(module, slot, sizeof(void *));

	if (entry && segment && (segment->flags & PF_W))
		__atomic_store_n((uintptr_t *)slot, (uintptr_t)entry->function, __ATOMIC_RELAXED);
}

void module_bind(const struct module *module, const void *dynamic)
{
	struct dynamic d = read_dynamic(module, dynamic);

	if (d.now || !d.jumps || !d.symbols || !d.strings)
		return;
	for (const Elf64_Rela *jump = d.jumps; jump < d.jumps + d.size / sizeof(*jump); jump++)
		if (ELF64_R_TYPE(jump->r_info) == R_X86_64_JUMP_SLOT)
			bind_slot(module, &d, jump);
}
