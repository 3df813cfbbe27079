/*
 * compile - which units there are and how clang compiles each to bitcode.
 *
 * compile_list.c   files, or compile_commands.json
 * compile_words.c  a command line as words: quotes, response files
 * compile_flags.c  somebody else's flags made into ours
 */
#ifndef FIND_SCAN_COMPILE_H
#define FIND_SCAN_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/vec.h"
#include "find/scan/load.h"

typedef VEC(char *) word_list;

/* One unit to be made. Everything lives in the arena. */
struct compile_unit {
	const char *file;       /* absolute */
	const char *directory;  /* where the compiler runs */
	char **words;           /* flags and the file, without compiler and output; NULL: the file is bitcode */
};
typedef VEC(struct compile_unit) compile_list;

/* 0, or -1 with one line: nothing there, or the list itself is broken. */
int compile_list_make(compile_list *list, struct arena *arena, const struct load_options *options,
		      void (*skipped)(void *context, const char *file, const char *why), void *context);

/* A shell's words; and @file in them read as compilers read it (relative to directory). 0 / -1. */
int words_split(word_list *words, struct arena *arena, const char *text);
int words_respond(word_list *words, struct arena *arena, const char *directory);

/* Words of a database entry (the first is its compiler) -> what clang is to be given. */
void flags_rewrite(word_list *out, struct arena *arena, char *const *words, size_t count);
/* clang does not know a word of this line: which? Takes them out. False: that was not it. */
bool flags_drop_unknown(char **words, const char *message);

/* What every compile to bitcode is given besides; NULL terminated. */
extern const char *const flags_bitcode[];

bool is_source(const char *path);
bool is_bitcode_name(const char *path);
/* directory/path, or path if absolute. */
char *path_join(struct arena *arena, const char *directory, const char *path);

#endif
