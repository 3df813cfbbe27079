/*
 * cc - deadheat-cc and deadheat-c++: one compiler line in, one compiler line out.
 *
 * The trick that keeps us out of the way: the *driver* never hears of -fsanitize=thread.
 * It is handed to the compiler proper (gcc: a specs file that appends to cc1's options;
 * clang: -Xclang), so the driver does not link libtsan, and everything else it does stays
 * its own: one step or two, -MD, -save-temps, -x c -, temporary files, exit status. We
 * change the line and become the compiler by exec; nothing is split, nothing to clean up.
 *
 *     cc_expand     response files, as the compilers read them
 *     cc_read       what is asked: which files, how far, which level
 *     cc_compiler   which compiler
 *     cc_rewrite    the line it gets
 */
#ifndef CLI_CC_H
#define CLI_CC_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"

typedef VEC(char *) cc_words;

enum cc_family { CC_GCC, CC_CLANG };

struct cc_line {
	struct arena *arena;
	bool cxx;
	cc_words words;          /* as given, response files expanded, our own options taken out */
	bool expanded;           /* some came from a response file */

	const char *with;        /* --with, or NULL */
	bool keep_optimisation;

	enum cc_family family;
	const char *compiler;    /* found in PATH */

	/* what cc_read found */
	bool has_input;          /* a file, -, or -l */
	bool compiles;           /* at least one input is a source */
	bool linkable;           /* at least one input is no header: headers alone are precompiled */
	bool dangling;           /* the last option lacks its argument: for the compiler to say */
	bool stops;              /* -c -S -E -M -MM -fsyntax-only */
	bool preprocesses;       /* -E -M -MM: nothing is compiled */
	bool precompiles;        /* at least one input is a header */
	bool relocatable;        /* -r */
	bool uninstrumented;     /* -fno-sanitize=thread or all */
	const char *level;       /* last -O option, NULL if none */
	const char *is_static;   /* the option that says so, or NULL */
	const char *bits;        /* -m32, -mx32, -m16, or NULL */
	const char *sanitizer;   /* one that cannot be combined with threads, or NULL */
	cc_words kept;           /* words without those we replace */

	cc_words out;            /* NULL terminated, ready for execve: cc_rewrite */
};

/* 0 / -1 with a message throughout. */
int cc_expand(struct cc_line *line, int argc, char **argv);
void cc_read(struct cc_line *line);
int cc_compiler(struct cc_line *line);
int cc_rewrite(struct cc_line *line);
void cc_free(struct cc_line *line);

static inline bool cc_links(const struct cc_line *line)
{
	return line->linkable && !line->stops;
}

#endif
