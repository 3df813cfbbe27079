/*
 * code - see code.h: one sweep over all functions of a module, when it is opened.
 */
#include "find/sample/code.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "find/sample/code_internal.h"

#define TABLE_MOST 65536 /* entries of one jump table */

/* ---- bits ------------------------------------------------------------------------------- */

static bool bit(const uint8_t *bits, uint64_t i)
{
	return bits[i / 8] >> (i % 8) & 1;
}

static void bit_set(uint8_t *bits, uint64_t i)
{
	bits[i / 8] |= (uint8_t)(1u << (i % 8));
}

static bool in_text(const struct code *code, uint64_t place)
{
	return place >= code->text_low && place < code->text_high;
}

static void mark_hard(struct code *code, uint64_t place)
{
	if (in_text(code, place))
		bit_set(code->hard, place - code->text_low);
}

/* ---- the file ------------------------------------------------------------------------------ */

const uint8_t *code_bytes(const struct code *code, uint64_t place, size_t *left, bool executable)
{
	for (size_t i = 0; i < code->segment_count; i++) {
		const Elf64_Phdr *s = &code->segments[i];

		if (place < s->p_vaddr || place - s->p_vaddr >= s->p_filesz || (executable && !(s->p_flags & PF_X)))
			continue;
		*left = s->p_filesz - (place - s->p_vaddr);
		return code->file + s->p_offset + (place - s->p_vaddr);
	}
	return NULL;
}

bool code_is_constant(const struct code *code, uint64_t place)
{
	if (place >= code->relro_low && place < code->relro_high)
		return true;
	for (size_t i = 0; i < code->segment_count; i++) {
		const Elf64_Phdr *s = &code->segments[i];

		if (place >= s->p_vaddr && place - s->p_vaddr < s->p_memsz)
			return !(s->p_flags & PF_W);
	}
	return false;
}

const uint8_t *code_at(const struct code *code, uint64_t place, size_t *left)
{
	return code_bytes(code, place, left, true);
}

static bool same_build(const struct code *code, const Elf64_Phdr *note, const uint8_t *id, size_t id_size)
{
	size_t at = note->p_offset, end = at + note->p_filesz;

	while (end <= code->file_size && at + sizeof(Elf64_Nhdr) <= end) {
		const Elf64_Nhdr *n = (const void *)(code->file + at);
		size_t name = (n->n_namesz + 3u) & ~3u, desc = (n->n_descsz + 3u) & ~3u;

		if (at + sizeof(*n) + name + desc > end)
			return false;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4)
			return n->n_descsz >= id_size && !memcmp(code->file + at + sizeof(*n) + name, id, id_size);
		at += sizeof(*n) + name + desc;
	}
	return false;
}

static bool read_headers(struct code *code, const uint8_t *id, size_t id_size)
{
	const Elf64_Ehdr *elf = (const void *)code->file;
	const Elf64_Phdr *p;
	bool matches = !id_size;

	if (code->file_size < sizeof(*elf) || memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf->e_machine != EM_X86_64 || elf->e_phoff > code->file_size ||
	    elf->e_phnum > (code->file_size - elf->e_phoff) / sizeof(*p))
		return false;
	p = (const void *)(code->file + elf->e_phoff);
	for (int i = 0; i < elf->e_phnum; i++, p++) {
		if (p->p_offset > code->file_size || p->p_filesz > code->file_size - p->p_offset)
			continue;
		if (p->p_type == PT_NOTE && !matches)
			matches = same_build(code, p, id, id_size);
		if (p->p_type == PT_GNU_EH_FRAME)
			code->eh_frame_hdr = p->p_vaddr;
		if (p->p_type == PT_GNU_RELRO) {
			code->relro_low = p->p_vaddr;
			code->relro_high = p->p_vaddr + p->p_memsz;
		}
		if (p->p_type != PT_LOAD || code->segment_count == CODE_SEGMENTS)
			continue;
		code->segments[code->segment_count++] = *p;
		if (p->p_flags & PF_X) {
			if (!code->text_high || p->p_vaddr < code->text_low)
				code->text_low = p->p_vaddr;
			if (p->p_vaddr + p->p_filesz > code->text_high)
				code->text_high = p->p_vaddr + p->p_filesz;
		}
	}
	return matches && code->text_high > code->text_low && code->text_high - code->text_low < (1ull << 31);
}

static bool map_file(struct code *code, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(Elf64_Ehdr)) {
		close(fd);
		return false;
	}
	code->file_size = (size_t)st.st_size;
	code->file = mmap(NULL, code->file_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (code->file == MAP_FAILED)
		code->file = NULL;
	return code->file != NULL;
}

/* ---- the sweep --------------------------------------------------------------------------------- */

static int by_low(const void *a, const void *b)
{
	const struct code_function *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static int by_target(const void *a, const void *b)
{
	const struct code_jump *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return x->source < y->source ? -1 : x->source > y->source;
}

struct code_function *code_function(const struct code *code, uint64_t place)
{
	size_t low = 0, high = code->functions.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (code->functions.items[middle].high <= place)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < code->functions.count && code->functions.items[low].low <= place)
		return &code->functions.items[low];
	return NULL;
}

/* Sorted, and none inside another: the walk back relies on it. */
static void order_functions(struct code *code)
{
	size_t kept = 0;

	if (code->functions.count)
		qsort(code->functions.items, code->functions.count, sizeof(struct code_function), by_low);
	for (size_t i = 0; i < code->functions.count; i++) {
		struct code_function *f = &code->functions.items[i];

		if (kept && f->low < code->functions.items[kept - 1].high)
			continue;
		code->functions.items[kept++] = *f;
	}
	code->functions.count = kept;
}

/* A table of 32-bit distances from itself: every entry that lands in text is a leader. */
static size_t read_table(struct code *code, uint64_t table)
{
	size_t left, found = 0;
	const uint8_t *bytes = code_bytes(code, table, &left, false);

	for (size_t i = 0; bytes && table % 4 == 0 && i < TABLE_MOST && (i + 1) * 4 <= left; i++) {
		int32_t distance;
		uint64_t target;

		memcpy(&distance, bytes + i * 4, sizeof(distance));
		target = table + (uint64_t)(int64_t)distance;
		if (!in_text(code, target))
			break;
		mark_hard(code, target);
		found++;
	}
	return found;
}

struct sweep {
	struct code *code;
	struct code_function *function;
	size_t tables;        /* in this function */
	bool computed;        /* it jumps to a register's place */
	bool labels;          /* it takes the address of a label inside itself */
};

static void see_address(struct sweep *s, uint64_t address)
{
	if (in_text(s->code, address)) {
		mark_hard(s->code, address);
		s->labels |= address > s->function->low && address < s->function->high;
	} else {
		s->tables += read_table(s->code, address) > 0;
	}
}

static void see_branch(struct sweep *s, const ZydisDecodedInstruction *i, uint64_t place)
{
	uint64_t next = place + i->length;

	if (i->raw.imm[0].is_relative) {
		uint64_t target = next + (uint64_t)i->raw.imm[0].value.s;

		if (i->meta.category == ZYDIS_CATEGORY_CALL)
			mark_hard(s->code, target);
		else if (in_text(s->code, target))
			VEC_PUSH(&s->code->jumps, (struct code_jump){ target, place });
	} else if (i->meta.category == ZYDIS_CATEGORY_UNCOND_BR && i->raw.modrm.mod == 3) {
		s->computed = true;
	}
}

static void see(struct sweep *s, const ZydisDecodedInstruction *i, uint64_t place)
{
	bool has_modrm = i->attributes & ZYDIS_ATTRIB_HAS_MODRM;

	if (i->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE || i->meta.category == ZYDIS_CATEGORY_CALL ||
	    i->meta.category == ZYDIS_CATEGORY_UNCOND_BR)
		see_branch(s, i, place);
	else if (i->mnemonic == ZYDIS_MNEMONIC_LEA && has_modrm && i->raw.modrm.mod == 0 && i->raw.modrm.rm == 5)
		see_address(s, place + i->length + (uint64_t)i->raw.disp.value);
	else if (i->raw.imm[0].size >= 32 && !i->raw.imm[0].is_relative)
		mark_hard(s->code, (uint64_t)i->raw.imm[0].value.s);
}

static void sweep_function(struct code *code, struct code_function *f, const ZydisDecoder *decoder)
{
	struct sweep sweep = { .code = code, .function = f };
	uint64_t place = f->low;
	size_t left;
	const uint8_t *bytes;

	mark_hard(code, f->low);
	while (place < f->high) {
		ZydisDecodedInstruction instruction;

		bytes = code_at(code, place, &left);
		if (!bytes || !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, NULL, bytes, left, &instruction))) {
			f->opaque = true;
			return;
		}
		bit_set(code->starts, place - code->text_low);
		code->numbers.instructions++;
		see(&sweep, &instruction, place);
		place += instruction.length;
	}
	if (sweep.computed && sweep.labels && !sweep.tables)
		f->opaque = true;
}

/* Any aligned word of data that is an address in text: pointers, tables, addends of relocations. */
static void sweep_data(struct code *code)
{
	for (size_t i = 0; i < code->segment_count; i++) {
		const Elf64_Phdr *s = &code->segments[i];
		uint64_t skip = -s->p_vaddr & 7;

		for (uint64_t at = skip; at + 8 <= s->p_filesz; at += 8) {
			uint64_t word;

			memcpy(&word, code->file + s->p_offset + at, sizeof(word));
			mark_hard(code, word);
		}
	}
}

static void sweep_jumps(struct code *code)
{
	if (code->jumps.count)
		qsort(code->jumps.items, code->jumps.count, sizeof(struct code_jump), by_target);
	for (size_t i = 0; i < code->jumps.count; i++) {
		uint64_t target = code->jumps.items[i].target;
		struct code_function *f = code_function(code, target);

		bit_set(code->soft, target - code->text_low);
		if (f && !bit(code->starts, target - code->text_low))
			f->opaque = true;
	}
}

static bool sweep(struct code *code)
{
	size_t bytes = (code->text_high - code->text_low) / 8 + 1;
	ZydisDecoder decoder;

	code->starts = calloc(3, bytes);
	if (!code->starts || !ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
		return false;
	code->soft = code->starts + bytes;
	code->hard = code->soft + bytes;
	code_read_frames(code);
	order_functions(code);
	for (size_t i = 0; i < code->functions.count; i++)
		sweep_function(code, &code->functions.items[i], &decoder);
	sweep_data(code);
	sweep_jumps(code);
	return true;
}

/* ---- the way back ---------------------------------------------------------------------------------- */

static uint64_t start_before(const struct code *code, uint64_t place, uint64_t low)
{
	for (uint64_t p = place; p > low && place - p < 16; p--)
		if (bit(code->starts, p - 1 - code->text_low))
			return p - 1;
	return CODE_UNKNOWN;
}

/* Does the instruction at `place` go on to the next one? Calls may not come back; they are never crossed anyway. */
static bool falls_through(const struct code *code, uint64_t place)
{
	size_t left;
	const uint8_t *bytes = code_at(code, place, &left);
	ZydisDecodedInstruction i;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!bytes || !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, left, &i)))
		return false;
	switch (i.meta.category) {
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_RET:
		return false;
	default:
		return i.mnemonic != ZYDIS_MNEMONIC_UD2 && i.mnemonic != ZYDIS_MNEMONIC_HLT;
	}
}

/* The only jump to place; CODE_UNKNOWN if there are several. */
static uint64_t only_jump(const struct code *code, uint64_t place)
{
	size_t low = 0, high = code->jumps.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (code->jumps.items[middle].target < place)
			low = middle + 1;
		else
			high = middle;
	}
	if (low + 1 < code->jumps.count && code->jumps.items[low + 1].target == place)
		return CODE_UNKNOWN;
	return code->jumps.items[low].source;
}

/* A block with direct jumps into it: one way in? */
static uint64_t only_way_in(const struct code *code, const struct code_function *f, uint64_t place, uint64_t above)
{
	uint64_t jump = only_jump(code, place);
	const struct code_function *from;

	if (jump == CODE_UNKNOWN || f->unwinds)
		return CODE_UNKNOWN;
	if (above == CODE_UNKNOWN || falls_through(code, above))
		return CODE_UNKNOWN;
	from = code_function(code, jump);
	return from && !from->opaque ? jump : CODE_UNKNOWN;
}

uint64_t code_before(const struct code *code, uint64_t place)
{
	const struct code_function *f = in_text(code, place) ? code_function(code, place) : NULL;
	uint64_t above;

	if (!f || f->opaque || !bit(code->starts, place - code->text_low) || bit(code->hard, place - code->text_low))
		return CODE_UNKNOWN;
	above = start_before(code, place, f->low);
	if (bit(code->soft, place - code->text_low))
		return only_way_in(code, f, place, above);
	return above != CODE_UNKNOWN && falls_through(code, above) ? above : CODE_UNKNOWN;
}

/* ---- life ---------------------------------------------------------------------------------------------- */

struct code *code_open(const char *path, const uint8_t *build_id, size_t build_id_size)
{
	struct code *code = calloc(1, sizeof(*code));

	if (code && map_file(code, path) && read_headers(code, build_id, build_id_size) && sweep(code))
		return code;
	code_close(code);
	return NULL;
}

void code_close(struct code *code)
{
	if (!code)
		return;
	if (code->file)
		munmap((void *)code->file, code->file_size);
	free(code->starts);
	VEC_FREE(&code->functions);
	VEC_FREE(&code->jumps);
	free(code);
}

static size_t count_bits(const struct code *code, const uint8_t *bits)
{
	size_t bytes = (code->text_high - code->text_low) / 8 + 1, n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += (size_t)__builtin_popcount(bits[i]);
	return n;
}

struct code_numbers code_numbers(const struct code *code)
{
	struct code_numbers numbers = code->numbers;

	numbers.functions = code->functions.count;
	for (size_t i = 0; i < code->functions.count; i++)
		numbers.opaque += code->functions.items[i].opaque;
	numbers.soft = count_bits(code, code->soft);
	numbers.hard = count_bits(code, code->hard);
	return numbers;
}

bool code_nth_function(const struct code *code, size_t n, uint64_t *low, uint64_t *high)
{
	if (n >= code->functions.count)
		return false;
	*low = code->functions.items[n].low;
	*high = code->functions.items[n].opaque ? *low : code->functions.items[n].high;
	return true;
}
