/*
 * plain - text of modules, instructions at a line, and the table of a plan (plain.h).
 *
 * Rows of the line table begin where instructions begin, so each row is decoded from its first
 * byte; no bounds of functions are needed, and data between functions has no rows.
 */
#include "find/plain/plain.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/vec.h"

struct text_file {
	char *path;
	const uint8_t *bytes; /* NULL: cannot be read, or no ELF file of ours */
	size_t size;
};

struct plain {
	VEC(struct text_file) files;
};

struct plain *plain_open(void)
{
	struct plain *plain = calloc(1, sizeof(*plain));

	if (!plain)
		BUG("no memory");
	return plain;
}

void plain_close(struct plain *plain)
{
	if (!plain)
		return;
	for (size_t i = 0; i < plain->files.count; i++) {
		if (plain->files.items[i].bytes)
			munmap((void *)plain->files.items[i].bytes, plain->files.items[i].size);
		free(plain->files.items[i].path);
	}
	VEC_FREE(&plain->files);
	free(plain);
}

/* ---- text --------------------------------------------------------------------------------- */

static void map_file(struct text_file *file)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC);
	struct stat about;
	void *at;

	if (fd < 0)
		return;
	if (!fstat(fd, &about) && (size_t)about.st_size > sizeof(Elf64_Ehdr)) {
		at = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at != MAP_FAILED) {
			file->bytes = at;
			file->size = (size_t)about.st_size;
		}
	}
	close(fd);
}

static const struct text_file *file_of(struct plain *plain, const char *path)
{
	struct text_file new = { 0 };

	for (size_t i = 0; i < plain->files.count; i++)
		if (!strcmp(plain->files.items[i].path, path))
			return &plain->files.items[i];
	new.path = strdup(path);
	if (!new.path)
		BUG("no memory");
	map_file(&new);
	VEC_PUSH(&plain->files, new);
	return &plain->files.items[plain->files.count - 1];
}

static bool is_ours(const Elf64_Ehdr *head, size_t size)
{
	return !memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_ident[EI_CLASS] == ELFCLASS64 &&
	       head->e_machine == EM_X86_64 && head->e_phentsize == sizeof(Elf64_Phdr) && head->e_phoff < size &&
	       head->e_phnum <= (size - head->e_phoff) / sizeof(Elf64_Phdr);
}

const uint8_t *plain_text(struct plain *plain, const char *module, uint64_t offset, size_t *size)
{
	const struct text_file *file = file_of(plain, module);
	const Elf64_Ehdr *head = (const void *)file->bytes;
	Elf64_Phdr p;

	if (!head || !is_ours(head, file->size))
		return NULL;
	for (unsigned i = 0; i < head->e_phnum; i++) {
		memcpy(&p, file->bytes + head->e_phoff + i * sizeof(p), sizeof(p));
		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X) || offset < p.p_vaddr || offset - p.p_vaddr >= p.p_filesz ||
		    p.p_offset > file->size || p.p_filesz > file->size - p.p_offset)
			continue;
		*size = p.p_filesz - (offset - p.p_vaddr);
		return file->bytes + p.p_offset + (offset - p.p_vaddr);
	}
	return NULL;
}

/* ---- file:line -------------------------------------------------------------------------------- */

struct search {
	struct plain *plain;
	struct sym *sym;
	struct arena *arena;
	const char *module, *build_id;
	int line;
	VEC(struct sym_site) sites;
};

static void add_site(struct search *s, uint64_t offset, const struct wire_plain_access *access, int column)
{
	struct place place = { s->build_id, s->module, offset };
	struct sym_site site = { .place = place, .flags = access->flags, .size = access->size, .column = column };
	struct frame *frames;
	int first_line;

	sym_frames(s->sym, s->arena, &place, &frames, &first_line);
	site.function = frames[0].function;
	site.ordinal = first_line ? s->line - first_line : 0;
	VEC_PUSH(&s->sites, site);
}

static void search_row(struct search *s, const struct sym_row *row)
{
	size_t size, length, at = 0, end = row->high - row->low;
	const uint8_t *bytes = plain_text(s->plain, s->module, row->low, &size);
	struct wire_plan_plain found;

	while (bytes && at < end && at < size) {
		if (plain_decode(bytes + at, size - at, row->low + at, &found, &length))
			for (unsigned i = 0; i < found.access_count; i++)
				add_site(s, row->low + at, &found.access[i], row->column);
		if (!length)
			break;
		at += length;
	}
}

static bool is_on_stack(struct search *s, const struct sym_site *site)
{
	struct wire_plan_plain found;
	size_t size, length;
	const uint8_t *bytes = plain_text(s->plain, s->module, site->place.offset, &size);

	if (!bytes || (site->flags & ACCESS_RANGE) || !plain_decode(bytes, size, site->place.offset, &found, &length))
		return false;
	return found.access[0].index == WIRE_REG_NONE &&
	       (found.access[0].base == 4 || (found.access[0].base == 5 && found.access[0].displacement < 0));
}

/*
 * Locals and spilled registers: a line has more of them than of anything else (-O0), and each
 * visit costs microseconds. They are left out where the line has another access of their kind.
 */
static void leave_out_stack(struct search *s)
{
	bool other[2] = { false, false };
	size_t kept = 0;

	for (size_t i = 0; i < s->sites.count; i++)
		if (!is_on_stack(s, &s->sites.items[i]))
			other[access_is_write(s->sites.items[i].flags)] = true;
	for (size_t i = 0; i < s->sites.count; i++)
		if (!other[access_is_write(s->sites.items[i].flags)] || !is_on_stack(s, &s->sites.items[i]))
			s->sites.items[kept++] = s->sites.items[i];
	s->sites.count = kept;
}

static void mark_atomic(struct search *s)
{
	for (size_t i = 0; i < s->sites.count; i++)
		if (!(s->sites.items[i].flags & ACCESS_RANGE) && plain_is_atomic(s->sym, s->arena, &s->sites.items[i].place))
			s->sites.items[i].flags |= ACCESS_ATOMIC;
}

size_t plain_sites_at(struct plain *plain, struct sym *sym, struct arena *arena, const char *module,
		      const char *file, int line, struct sym_site **sites)
{
	char build_id[BUILD_ID_HEX_MAX];
	struct search s = { .plain = plain, .sym = sym, .arena = arena, .module = module, .line = line };
	struct sym_row *rows;
	struct sym_site *calls;
	size_t count, n;

	*sites = NULL;
	if (sym_build_id(module, build_id))
		return 0;
	s.build_id = arena_strdup(arena, build_id);
	s.module = arena_strdup(arena, module);
	n = sym_rows_at(sym, arena, module, file, line, &rows);
	if (!n)
		return 0;
	for (size_t i = 0; i < n; i++)
		search_row(&s, &rows[i]);
	n = sym_sites_at(sym, arena, module, file, line, &calls);
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(&s.sites, calls[i]);
	leave_out_stack(&s);
	mark_atomic(&s);
	count = s.sites.count;
	*sites = arena_copy(arena, s.sites.items, count * sizeof(struct sym_site));
	VEC_FREE(&s.sites);
	return count;
}

/* ---- the table of a plan ------------------------------------------------------------------------ */

static bool is_meant(uint32_t wanted, unsigned flags)
{
	uint32_t kinds = wanted & (WIRE_SITE_READS | WIRE_SITE_WRITES);

	return !kinds || (kinds & (access_is_write(flags) ? WIRE_SITE_WRITES : WIRE_SITE_READS));
}

/* A gate, or a side of an order, is the return address of a call that takes a lock: no instruction begins before it. */
static bool is_call(const struct wire_plan_parts *parts, const struct wire_plan_site *site)
{
	return (parts->plan.flags & WIRE_ORDER) || site->side == WIRE_SIDE_GATE_A || site->side == WIRE_SIDE_GATE_B ||
	       (site->flags & (ACCESS_RANGE | ACCESS_FREE));
}

static bool describe_site(struct plain *plain, const struct wire_plan_parts *parts, size_t index,
			  struct wire_plan_plain *out)
{
	const struct wire_plan_site *site = &parts->sites[index];
	uint64_t offset = (uint64_t)site->offset - 1;
	size_t size, length;
	const uint8_t *bytes;

	if (is_call(parts, site))
		return false; /* the runtime stands behind the function's name */
	bytes = plain_text(plain, parts->modules[site->module].path, offset, &size);
	if (!bytes || !plain_decode(bytes, size, offset, out, &length))
		return false;
	for (unsigned i = 0; i < out->access_count; i++) {
		out->access[i].flags |= (uint16_t)(site->flags & ACCESS_ATOMIC);
		if (!is_meant(site->flags, out->access[i].flags))
			out->access[i].size = 0;
	}
	out->site = (uint32_t)index;
	return true;
}

void plain_describe(struct plain *plain, struct arena *arena, struct wire_plan_parts *parts)
{
	struct wire_plan_plain *table = ARENA_ARRAY(arena, struct wire_plan_plain, parts->site_count + 1);
	size_t count = 0;

	for (size_t i = 0; i < parts->site_count; i++)
		count += describe_site(plain, parts, i, &table[count]);
	parts->plain = table;
	parts->plain_count = count;
}
