/*
 * sym's own: what the files of this folder share.
 *
 *   struct sym -> modules -> units (sorted by address range) -> scopes, line rows
 *                         -> globals (sorted by address)
 *
 * Everything below a module is built on first use and lives in sym->arena. Addresses
 * are those of the debug information (offset + bias of the module).
 *
 * I1  ranges of a module are sorted by low; a unit has one entry per range.
 * I2  scopes of a unit are in preorder, so ordered by DIE offset: a name is found by
 *     binary search and a parent comes before its children.
 */
#ifndef SYM_INTERNAL_H
#define SYM_INTERNAL_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "base/vec.h"
#include "sym/sym.h"

struct range {
	Dwarf_Addr low, high; /* [low, high) */
	uint32_t index;       /* of the unit, or of the scope */
};
typedef VEC(struct range) range_vec;

/* A subprogram (with code, abstract or only declared) or an inlined copy of one. */
struct scope {
	Dwarf_Die die;
	const char *prefix; /* "ns::Class::" around it, "" in C */
	int class_line;     /* first line of the class around it, 0 for none */
	int parent;         /* enclosing scope, -1 for none */
	bool inlined;
};

struct unit {
	Dwarf_Die cu;       /* ranges and lines */
	Dwarf_Die tree;     /* functions: the split unit where there is one, else cu */
	bool scopes_loaded, lines_loaded;
	VEC(struct scope) scopes;
	range_vec ranges;   /* of all scopes with code */
	Dwarf_Lines *lines;
	size_t line_count;
	Dwarf_Files *files;
};

struct global {
	Dwarf_Addr address;
	uint64_t size;
	const char *name, *prefix;
	Dwarf_Off declared; /* the declaration it refers to, 0 none */
	bool has_type;
	Dwarf_Die type;
};

/* A variable declared in a namespace or class; the definition refers to it. */
struct declaration {
	Dwarf_Off offset;
	const char *prefix;
};

struct module {
	struct module *next;
	const char *path, *build_id; /* as asked for */
	Dwfl *dwfl;                  /* NULL: no such file, or of another build */
	Dwfl_Module *mod;
	Elf *elf;
	bool loaded;                 /* the debug information was looked for */
	Dwarf *dwarf;                /* NULL: no debug information */
	Dwarf_Addr bias;             /* dwarf address + bias = offset */
	VEC(struct unit) units;
	range_vec ranges;
	bool globals_loaded;
	VEC(struct declaration) declarations;
	VEC(struct global) globals;
	bool atomics_loaded;
	VEC(const char *) atomics;   /* sorted: names of atomic variables and members */
};

struct source {
	struct source *next;
	const char *file;
	char **lines;
	size_t count;
};

struct sym {
	struct arena arena;
	struct module *modules;
	struct source *sources;
	char *cwd;
	const char *folder; /* second place for relative source names; NULL none */
};

/* module.c */
/* The file, with its symbols; and with its debug information. */
struct module *module_named(struct sym *sym, const char *path, const char *build_id);
struct module *module_get(struct sym *sym, const char *path, const char *build_id);
void module_free(struct module *module);
struct unit *module_unit(struct module *module, Dwarf_Addr address);
void range_add(range_vec *ranges, Dwarf_Addr low, Dwarf_Addr high, uint32_t index);
void range_sort(range_vec *ranges);

/* scope.c: functions and what was inlined into them */
void unit_load_scopes(struct sym *sym, struct unit *unit);
/* Innermost scope at address, -1 for none. */
int unit_scope(const struct unit *unit, Dwarf_Addr address);
const char *scope_name(struct sym *sym, struct module *module, struct unit *unit, struct scope *scope);
int scope_first_line(struct sym *sym, struct module *module, struct unit *unit, struct scope *scope);
/* "ns::" + the DIE's own name + "::", for what is inside it. */
const char *scope_prefix(struct sym *sym, const char *prefix, Dwarf_Die *die);

/* line.c */
struct line_row {
	const char *file;
	int line, column;
};
void unit_load_lines(struct unit *unit);
bool unit_line(struct sym *sym, struct unit *unit, Dwarf_Addr address, struct line_row *row);
/* Where scope was inlined: file, line, column of the call. */
void unit_call_site(struct sym *sym, struct unit *unit, struct scope *scope, struct line_row *row);

/* path.c: names of files as people want to read them */
const char *path_clean(struct arena *arena, const char *path);
const char *path_display(struct sym *sym, struct arena *arena, const char *path);
/* Does path end with the components of wanted ("src/a.c" for "a.c")? */
bool path_matches(const char *path, const char *wanted);

/* type.c */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);
/* name followed by the path to the byte at offset in a variable of this type. */
const char *type_path(struct arena *arena, const char *name, Dwarf_Die *type, uint64_t offset);
/* Is the byte at offset of an atomic type? */
bool type_is_atomic(const Dwarf_Die *of, uint64_t offset);

/* variable.c */
void module_load_globals(struct sym *sym, struct module *module);

/* Links between DIEs that are followed, and depth of a tree: damaged files have cycles. */
#define MOST_LINKS 64

#endif
