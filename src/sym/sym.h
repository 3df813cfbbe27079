/*
 * sym - address <-> function, line, variable; libdw behind it, host only.
 *
 * A struct sym caches opened modules; one per run. Strings it returns live until
 * sym_close(). Module paths are tried as given, then by build-id under
 * /usr/lib/debug/.build-id, then debuginfod if configured; a file whose build-id is
 * not the asked one is not used. Lookups never fail loudly: unknown is an empty answer.
 *
 * The index is our own: all units are walked once and kept sorted (dwfl_module_getsrc
 * maps nothing for clang 19 objects, dwarf_getscopes per site is far too slow).
 */
#ifndef SYM_SYM_H
#define SYM_SYM_H

#include "base/arena.h"
#include "race/candidate.h"

struct sym;

/* "libdw 0.188": for doctor. */
const char *sym_library(void);
struct sym *sym_open(void);
void sym_close(struct sym *sym);

/* Hex build-id of a file into out ("" if it has none). 0, or -1 with a message. */
int sym_build_id(const char *path, char out[BUILD_ID_HEX_MAX]);

/*
 * Frames of one address, innermost inlined frame first, into arena. offset is the place
 * itself: callers subtract 1 from return addresses. Always at least one frame (function
 * from the symbol table, or NULL). *first_line, if asked, is the first line (decl_line)
 * of the innermost function, 0 if unknown.
 */
size_t sym_frames(struct sym *sym, struct arena *arena, const struct place *place,
		  struct frame **frames, int *first_line);

/*
 * The same by the symbol table alone, one frame without a line: for code whose lines nobody asks for.
 * (libc's debug information, where it is installed, is compressed and takes 15 MB when it is read.)
 */
size_t sym_function(struct sym *sym, struct arena *arena, const struct place *place, struct frame **frames);

/* "counter", "table[3].len": the global at module + offset, or NULL. */
const char *sym_variable(struct sym *sym, struct arena *arena, const struct place *place);

/* Is the global there, or the member of it, of an atomic type (_Atomic, std::atomic)? Unknown is false. */
bool sym_is_atomic(struct sym *sym, const struct place *place);

/*
 * All instrumented call sites of a module at file:line: return addresses of calls to
 * __tsan_{read,write,...}*, the *atomic*, range and interposed libc calls included, each
 * with the access flags its callee's name tells. For confirm file:line,file:line and
 * candidates found on another build. Returns the count.
 */
struct sym_site {
	struct place place;  /* offset = return address - 1 */
	unsigned flags;      /* enum access_flag */
	unsigned size;       /* 0 unknown */
	const char *function;
	int column;
	int ordinal;         /* line - first line of function */
};
size_t sym_sites_at(struct sym *sym, struct arena *arena, const char *module,
		    const char *file, int line, struct sym_site **sites);

/* Code of file:line: rows of the line tables, [low, high) as offsets of places. Returns the count. */
struct sym_row {
	uint64_t low, high;
	int column;
};
size_t sym_rows_at(struct sym *sym, struct arena *arena, const char *module, const char *file, int line,
		   struct sym_row **rows);

/* Is there a variable, member or parameter of that name in the place's module that is atomic, or points at one? */
bool sym_is_atomic_name(struct sym *sym, const struct place *place, const char *name);

/* One source line without its newline, NULL if the file cannot be read. */
const char *sym_source_line(struct sym *sym, const char *file, int line);
/* Look for source files of relative name there too, after the current folder. */
void sym_search_folder(struct sym *sym, const char *folder);

#endif
