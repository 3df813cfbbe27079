/*
 * module - open a file, find its debug information, sort its units by address.
 *
 * libdwfl does the finding: sections of the file itself, a separate file by build-id or
 * by .gnu_debuglink (checksum checked), dwz's shared part, debuginfod where
 * DEBUGINFOD_URLS is set. We report the module at base 0, so that its addresses are
 * those of the ELF file: an offset from the load base, for PIE and for fixed programs.
 */
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "sym/internal.h"

/* Is there a file of that name where libdwfl looks for it? */
static bool is_beside(const char *file, const char *link)
{
	const char *slash = strrchr(file, '/');
	int folder = slash ? (int)(slash - file) : 0;
	char path[3][PATH_MAX];
	int found = 0;

	snprintf(path[0], PATH_MAX, "%.*s/%s", folder, file, link);
	snprintf(path[1], PATH_MAX, "%.*s/.debug/%s", folder, file, link);
	snprintf(path[2], PATH_MAX, "/usr/lib/debug%.*s/%s", folder, file, link);
	for (int i = 0; i < 3; i++)
		found |= !access(path[i], R_OK);
	return found;
}

/*
 * What libdwfl finds, but debuginfod is not asked when nobody has configured it: libdwfl loads it first and looks
 * then, and with it come a web client and two libraries for TLS (9 MB).
 */
static int find_debug_file(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base, const char *file,
			   const char *link, GElf_Word checksum, char **found)
{
	const char *servers = getenv("DEBUGINFOD_URLS"), *slash = file ? strrchr(file, '/') : NULL;
	char usual[NAME_MAX];
	int fd;

	if (servers && *servers)
		return dwfl_standard_find_debuginfo(mod, data, name, base, file, link, checksum, found);
	fd = dwfl_build_id_find_debuginfo(mod, data, name, base, file, link, checksum, found);
	if (fd >= 0 || !slash)
		return fd;
	snprintf(usual, sizeof(usual), "%s.debug", slash + 1);
	if (!is_beside(file, link ? link : usual))
		return -1;
	return dwfl_standard_find_debuginfo(mod, data, name, base, file, link, checksum, found);
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debug_file,
	.section_address = dwfl_offline_section_address,
};

static void hex_of(char out[BUILD_ID_HEX_MAX], const unsigned char *bytes, size_t count)
{
	if (count > (BUILD_ID_HEX_MAX - 1) / 2)
		count = (BUILD_ID_HEX_MAX - 1) / 2;
	for (size_t i = 0; i < count; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	out[2 * count] = 0;
}

static void elf_build_id(Elf *elf, char out[BUILD_ID_HEX_MAX])
{
	const void *bytes = NULL;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);

	hex_of(out, bytes, size > 0 ? (size_t)size : 0);
}

int sym_build_id(const char *path, char out[BUILD_ID_HEX_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	out[0] = 0;
	if (fd < 0)
		return error("cannot open %s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		elf_build_id(elf, out);
	elf_end(elf);
	close(fd);
	return 0;
}

/* ---- ranges ------------------------------------------------------------------ */

void range_add(range_vec *ranges, Dwarf_Addr low, Dwarf_Addr high, uint32_t index)
{
	if (low < high)
		VEC_PUSH(ranges, (struct range){ low, high, index });
}

/* Among ranges with one start the outer comes first: looking back meets the inner one. */
static int range_compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->high != y->high)
		return x->high > y->high ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

void range_sort(range_vec *ranges)
{
	if (ranges->count)
		qsort(ranges->items, ranges->count, sizeof(*ranges->items), range_compare);
}

/* ---- units --------------------------------------------------------------------- */

static void add_unit(struct module *module, Dwarf_Die *cu, Dwarf_Die *split)
{
	uint32_t index = (uint32_t)module->units.count;
	Dwarf_Addr base, low, high;
	ptrdiff_t next = 0;

	VEC_PUSH(&module->units, (struct unit){ .cu = *cu, .tree = split->addr ? *split : *cu });
	while ((next = dwarf_ranges(cu, next, &base, &low, &high)) > 0)
		range_add(&module->ranges, low, high, index);
}

static void load_units(struct module *module)
{
	Dwarf_CU *cu = NULL;
	uint8_t type;
	Dwarf_Die die, split;

	while (!dwarf_get_units(module->dwarf, cu, &cu, NULL, &type, &die, &split))
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_unit(module, &die, &split);
	range_sort(&module->ranges);
}

struct unit *module_unit(struct module *module, Dwarf_Addr address)
{
	size_t low = 0, high = module->ranges.count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (module->ranges.items[mid].low <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || module->ranges.items[low - 1].high <= address)
		return NULL;
	return &module->units.items[module->ranges.items[low - 1].index];
}

/* ---- the file --------------------------------------------------------------------- */

static bool report_file(struct module *module, const char *path)
{
	char found[BUILD_ID_HEX_MAX];
	GElf_Addr bias;

	if (access(path, R_OK) || sym_build_id(path, found))
		return false;
	if (module->build_id[0] && found[0] && strcmp(module->build_id, found))
		return false;
	module->dwfl = dwfl_begin(&callbacks);
	if (!module->dwfl)
		return false;
	module->mod = dwfl_report_elf(module->dwfl, path, path, -1, 0, true);
	dwfl_report_end(module->dwfl, NULL, NULL);
	module->elf = module->mod ? dwfl_module_getelf(module->mod, &bias) : NULL;
	if (module->elf)
		return true;
	dwfl_end(module->dwfl);
	module->dwfl = NULL;
	return false;
}

/* The program is gone or rebuilt: its debug file may still be installed. */
static bool report_by_build_id(struct module *module)
{
	char path[256];

	if (strlen(module->build_id) < 4)
		return false;
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", module->build_id, module->build_id + 2);
	return report_file(module, path);
}

static void open_module(struct module *module)
{
	if (!report_file(module, module->path))
		report_by_build_id(module);
}

static void load_debug_information(struct module *module)
{
	module->loaded = true;
	if (module->mod)
		module->dwarf = dwfl_module_getdwarf(module->mod, &module->bias);
	if (module->dwarf)
		load_units(module);
}

struct module *module_named(struct sym *sym, const char *path, const char *build_id)
{
	struct module *m;

	path = path ? path : "";
	build_id = build_id ? build_id : "";
	for (m = sym->modules; m; m = m->next)
		if (!strcmp(m->path, path) && !strcmp(m->build_id, build_id))
			return m;
	m = ARENA_NEW(&sym->arena, struct module);
	m->path = arena_strdup(&sym->arena, path);
	m->build_id = arena_strdup(&sym->arena, build_id);
	m->next = sym->modules;
	sym->modules = m;
	open_module(m);
	return m;
}

struct module *module_get(struct sym *sym, const char *path, const char *build_id)
{
	struct module *m = module_named(sym, path, build_id);

	if (!m->loaded)
		load_debug_information(m);
	return m;
}

void module_free(struct module *module)
{
	for (size_t i = 0; i < module->units.count; i++) {
		VEC_FREE(&module->units.items[i].scopes);
		VEC_FREE(&module->units.items[i].ranges);
	}
	VEC_FREE(&module->units);
	VEC_FREE(&module->ranges);
	VEC_FREE(&module->globals);
	VEC_FREE(&module->declarations);
	VEC_FREE(&module->atomics);
	if (module->dwfl)
		dwfl_end(module->dwfl);
}

const char *sym_library(void)
{
	static char name[64];

	snprintf(name, sizeof(name), "libdw %s", dwfl_version(NULL));
	return name;
}
