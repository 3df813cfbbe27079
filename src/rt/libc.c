/*
 * libc - a function of libc by its name, without dlsym.
 *
 * For the time before our constructor, when a dlsym may go on already further up the stack
 * (real.c). Reads libc's own symbol table: the default version, through DT_GNU_HASH.
 */
#include <elf.h>
#include <link.h>

#include "rt/internal.h"

struct table {
	uintptr_t base;
	const ElfW(Sym) *symbols;
	const char *strings;
	const uint32_t *hash;
	const uint16_t *versions;
};

static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;

	while (*name)
		h = h * 33 + (unsigned char)*name++;
	return h;
}

static uintptr_t pointer(uintptr_t base, uintptr_t value)
{
	return value < base ? base + value : value; /* the loader has relocated most of them */
}

static void read_dynamic(struct table *table, const ElfW(Dyn) *d)
{
	for (; d->d_tag != DT_NULL; d++) {
		uintptr_t at = pointer(table->base, d->d_un.d_ptr);

		switch (d->d_tag) {
		case DT_SYMTAB: table->symbols = (const void *)at; break;
		case DT_STRTAB: table->strings = (const void *)at; break;
		case DT_GNU_HASH: table->hash = (const void *)at; break;
		case DT_VERSYM: table->versions = (const void *)at; break;
		}
	}
}

#define HIDDEN 0x8000u /* not the default version */

static const ElfW(Sym) *look_up(const struct table *table, const char *name)
{
	uint32_t h = hash_of(name), count = table->hash[0], first = table->hash[1], words = table->hash[2];
	const uint32_t *buckets = table->hash + 4 + 2 * words, *chain = buckets + count;

	for (uint32_t i = count ? buckets[h % count] : 0; i >= first && i; i++) {
		const ElfW(Sym) *symbol = &table->symbols[i];

		if ((chain[i - first] | 1) == (h | 1) && symbol->st_shndx != SHN_UNDEF &&
		    (!table->versions || !(table->versions[i] & HIDDEN)) && !rt_strcmp(table->strings + symbol->st_name, name))
			return symbol;
		if (chain[i - first] & 1)
			break;
	}
	return NULL;
}

struct asked {
	const char *name;
	void *found;
};

static bool is_libc(const char *path)
{
	size_t n = rt_strlen(path);

	return n >= 9 && !rt_strcmp(path + n - 9, "libc.so.6");
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct asked *asked = data;
	struct table table = { .base = info->dlpi_addr };
	const ElfW(Sym) *symbol;

	if (!is_libc(info->dlpi_name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			read_dynamic(&table, (const void *)(table.base + info->dlpi_phdr[i].p_vaddr));
	symbol = table.symbols && table.strings && table.hash ? look_up(&table, asked->name) : NULL;
	if (symbol) {
		asked->found = (void *)(table.base + symbol->st_value);
		if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
			asked->found = ((void *(*)(void))asked->found)();
	}
	return 1;
}

void *rt_libc_find(const char *name)
{
	struct asked asked = { name, NULL };

	dl_iterate_phdr(look, &asked);
	return asked.found;
}
