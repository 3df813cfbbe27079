/*
 * sites - which calls at file:line does the runtime see? For pairs named by a person and
 * for candidates of another build.
 *
 * The text is searched byte by byte for `call rel32` (E8) and `call *slot(%rip)` (FF 15).
 * A call counts if it leads to a symbol of the callee table: through a PLT stub, which is
 * decoded where the call points to (endbr64 and bnd allowed: .plt, .plt.sec, .plt.got look
 * alike then), or through the GOT slot itself. Slots get their names from the relocations.
 * Not seen: calls through a register (-fno-plt may load a slot once before a loop).
 * A byte string that is no call but points at such a stub is a chance of about 2^-32 for
 * each stub; decoding all instructions would cost a disassembler to exclude it.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "race/fingerprint.h"
#include "sym/callee.h"
#include "sym/internal.h"

struct slot {
	uint64_t address;
	const char *name;
};

struct search {
	struct sym *sym;
	struct arena *arena;
	struct module *module;
	const char *file;
	int line;
	VEC(struct slot) slots;
	VEC(struct sym_site) sites;
};

/* ---- GOT slots -------------------------------------------------------------------- */

static void slots_of_section(struct search *s, Elf_Scn *section, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *symbols = elf_getscn(s->module->elf, head->sh_link);
	Elf_Data *symbol_data = symbols ? elf_getdata(symbols, NULL) : NULL;
	GElf_Shdr symbol_head;
	GElf_Rela rela;
	GElf_Sym symbol;

	if (!data || !symbol_data || !gelf_getshdr(symbols, &symbol_head))
		return;
	for (int i = 0; gelf_getrela(data, i, &rela); i++) {
		size_t index = GELF_R_SYM(rela.r_info);
		const char *name;

		if (!index || !gelf_getsym(symbol_data, (int)index, &symbol))
			continue;
		name = elf_strptr(s->module->elf, symbol_head.sh_link, symbol.st_name);
		if (name && callee_find(name))
			VEC_PUSH(&s->slots, (struct slot){ rela.r_offset, name });
	}
}

static int slot_compare(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void find_slots(struct search *s)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;

	while ((section = elf_nextscn(s->module->elf, section)))
		if (gelf_getshdr(section, &head) && head.sh_type == SHT_RELA && (head.sh_flags & SHF_ALLOC))
			slots_of_section(s, section, &head);
	if (s->slots.count)
		qsort(s->slots.items, s->slots.count, sizeof(struct slot), slot_compare);
}

static const struct callee *callee_of_slot(const struct search *s, uint64_t address)
{
	struct slot key = { address, NULL };
	struct slot *found = s->slots.count ? bsearch(&key, s->slots.items, s->slots.count, sizeof(key), slot_compare) : NULL;

	return found ? callee_find(found->name) : NULL;
}

/* ---- text --------------------------------------------------------------------------- */

struct text {
	uint64_t address;
	const unsigned char *bytes;
	size_t size;
};

static bool text_at(struct search *s, uint64_t address, struct text *text)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	Elf_Data *data;

	while ((section = elf_nextscn(s->module->elf, section))) {
		if (!gelf_getshdr(section, &head) || !(head.sh_flags & SHF_EXECINSTR) || head.sh_type != SHT_PROGBITS)
			continue;
		if (address < head.sh_addr || address >= head.sh_addr + head.sh_size)
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !data->d_buf)
			return false;
		*text = (struct text){ address, (unsigned char *)data->d_buf + (address - head.sh_addr),
				       data->d_size - (address - head.sh_addr) };
		return true;
	}
	return false;
}

static int32_t rel32(const unsigned char *p)
{
	int32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

/* jmp *slot(%rip), perhaps with endbr64 and bnd before it. */
static const struct callee *callee_of_stub(struct search *s, uint64_t address)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct text t;
	size_t at = 0;

	if (!text_at(s, address, &t))
		return NULL;
	if (t.size >= 4 && !memcmp(t.bytes, endbr64, 4))
		at = 4;
	if (t.size > at && t.bytes[at] == 0xf2)
		at++;
	if (t.size < at + 6 || t.bytes[at] != 0xff || t.bytes[at + 1] != 0x25)
		return NULL;
	return callee_of_slot(s, address + at + 6 + (uint64_t)(int64_t)rel32(t.bytes + at + 2));
}

/* ---- calls --------------------------------------------------------------------------- */

static void add_site(struct search *s, const struct callee *callee, unsigned flags, uint64_t address,
		     const struct line_row *row)
{
	struct place place = { s->module->build_id, s->module->path, address };
	struct sym_site site = { .place = place, .flags = flags, .size = callee->size, .column = row->column };
	struct frame *frames;
	int first_line;

	sym_frames(s->sym, s->arena, &place, &frames, &first_line);
	site.function = frames[0].function;
	site.ordinal = access_ordinal(s->line, first_line);
	VEC_PUSH(&s->sites, site);
}

static void visit_call(struct search *s, const struct callee *callee, uint64_t return_address)
{
	struct line_row row;
	uint64_t address = return_address - 1;
	struct unit *unit = module_unit(s->module, address - s->module->bias);

	if (!unit || !unit_line(s->sym, unit, address - s->module->bias, &row) || row.line != s->line || !row.file)
		return;
	if (!path_matches(row.file, s->file))
		return;
	for (unsigned i = 0; i < callee->count; i++)
		add_site(s, callee, callee->flags[i], address, &row);
}

/* One stub is called from thousands of places: remember the last answers by address. */
#define STUB_CACHE 256 /* a module calls at most some 150 different entry points */
struct stub_cache {
	uint64_t address[STUB_CACHE];
	const struct callee *callee[STUB_CACHE];
};

static const struct callee *cached_stub(struct search *s, struct stub_cache *cache, uint64_t address)
{
	size_t i = (address >> 4) % STUB_CACHE;

	if (cache->address[i] != address) {
		cache->address[i] = address;
		cache->callee[i] = callee_of_stub(s, address);
	}
	return cache->callee[i];
}

static void scan_text(struct search *s, struct stub_cache *cache, const struct text *t)
{
	for (size_t i = 0; i + 5 <= t->size; i++) {
		const unsigned char *p = t->bytes + i;
		const struct callee *callee = NULL;
		size_t length = 5;

		if (p[0] == 0xe8) {
			callee = cached_stub(s, cache, t->address + i + 5 + (uint64_t)(int64_t)rel32(p + 1));
		} else if (p[0] == 0xff && p[1] == 0x15 && i + 6 <= t->size) {
			length = 6;
			callee = callee_of_slot(s, t->address + i + 6 + (uint64_t)(int64_t)rel32(p + 2));
		}
		if (callee)
			visit_call(s, callee, t->address + i + length);
	}
}

static void scan_module(struct search *s)
{
	static _Thread_local struct stub_cache cache;
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	struct text t;

	memset(&cache, 0, sizeof(cache));
	while ((section = elf_nextscn(s->module->elf, section)))
		if (gelf_getshdr(section, &head) && (head.sh_flags & SHF_EXECINSTR) && head.sh_type == SHT_PROGBITS &&
		    text_at(s, head.sh_addr, &t))
			scan_text(s, &cache, &t);
}

size_t sym_sites_at(struct sym *sym, struct arena *arena, const char *module, const char *file, int line,
		    struct sym_site **sites)
{
	char build_id[BUILD_ID_HEX_MAX];
	struct search s = { .sym = sym, .arena = arena, .file = file, .line = line };
	size_t count;

	*sites = NULL;
	if (sym_build_id(module, build_id))
		return 0;
	s.module = module_get(sym, module, build_id);
	if (!s.module->elf || !s.module->dwarf)
		return 0;
	find_slots(&s);
	scan_module(&s);
	count = s.sites.count;
	*sites = arena_copy(arena, s.sites.items, count * sizeof(struct sym_site));
	VEC_FREE(&s.slots);
	VEC_FREE(&s.sites);
	return count;
}
