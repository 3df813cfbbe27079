/*
 * compile_list - the units: from the files named, or from a compile_commands.json.
 *
 * Entries that come out alike (one file compiled twice with the same flags into two objects)
 * are one unit; with other flags they are two.
 */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "find/scan/compile.h"

/* ---- kinds of files ------------------------------------------------------------------------------------ */

static bool has_ending(const char *path, const char *const *endings)
{
	const char *dot = strrchr(path, '.');

	if (!dot || strchr(dot, '/'))
		return false;
	for (; *endings; endings++)
		if (!strcmp(dot + 1, *endings))
			return true;
	return false;
}

bool is_source(const char *path)
{
	static const char *const endings[] = { "c", "i", "cc", "cpp", "cxx", "c++", "C", "CPP", "ii", NULL };

	return has_ending(path, endings);
}

bool is_bitcode_name(const char *path)
{
	static const char *const endings[] = { "bc", "ll", NULL };

	return has_ending(path, endings);
}

static bool is_bitcode_content(const char *path)
{
	FILE *file = fopen(path, "r");
	char magic[4] = "";
	bool is = file && fread(magic, 1, 4, file) == 4 && (!memcmp(magic, "BC\xc0\xde", 4) || !memcmp(magic, "\xde\xc0\x17\x0b", 4));

	if (file)
		fclose(file);
	return is;
}

char *path_join(struct arena *arena, const char *directory, const char *path)
{
	return *path == '/' ? arena_strdup(arena, path) : arena_printf(arena, "%s/%s", directory, path);
}

/* ---- a list of files -------------------------------------------------------------------------------------- */

static char **words_done(struct arena *arena, const word_list *words)
{
	char **array = ARENA_ARRAY(arena, char *, words->count + 1);

	if (words->count)
		memcpy(array, words->items, words->count * sizeof(char *));
	return array;
}

static char *current_folder(struct arena *arena)
{
	char *folder = getcwd(NULL, 0), *copy = folder ? arena_strdup(arena, folder) : NULL;

	free(folder);
	return copy;
}

/* NULL: all is well. */
static const char *refuse(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return strerror(errno);
	if (S_ISDIR(status.st_mode))
		return "a folder; a build folder with compile_commands.json is given by -p";
	if (access(path, R_OK))
		return strerror(errno);
	if (!is_source(path) && !is_bitcode_name(path) && !is_bitcode_content(path))
		return "neither C or C++ source nor LLVM bitcode";
	return NULL;
}

static int add_file(compile_list *list, struct arena *arena, const char *folder, const char *file, char **arguments)
{
	struct compile_unit unit = { path_join(arena, folder, file), folder, NULL };
	const char *why = refuse(unit.file);
	word_list words = { 0 };
	int result = 0;

	if (why)
		return error_cannot("%s: %s", file, why);
	if (is_source(file)) {
		for (; arguments && *arguments; arguments++)
			VEC_PUSH(&words, *arguments);
		result = words_respond(&words, arena, folder);
		VEC_PUSH(&words, arena_strdup(arena, file));
		unit.words = words_done(arena, &words);
		VEC_FREE(&words);
	}
	if (!result)
		VEC_PUSH(list, unit);
	return result;
}

static int list_files(compile_list *list, struct arena *arena, const struct load_options *options)
{
	const char *folder = current_folder(arena);

	if (!folder)
		return error_cannot("cannot read the current folder: %s", strerror(errno));
	for (char **file = options->files; file && *file; file++)
		if (add_file(list, arena, folder, *file, options->compiler_args))
			return -1;
	return 0;
}

/* ---- compile_commands.json ----------------------------------------------------------------------------------- */

struct database {
	compile_list *list;
	struct arena *arena;
	const char *path;
	char **only;            /* files asked for, absolute and real; NULL: all */
	void (*skipped)(void *context, const char *file, const char *why);
	void *context;
};

static int entry_words(const struct database *d, word_list *words, json_t *entry)
{
	json_t *arguments = json_object_get(entry, "arguments");
	const char *command = json_string_value(json_object_get(entry, "command"));
	size_t i;
	json_t *word;

	if (command)
		return words_split(words, d->arena, command);
	if (!json_is_array(arguments))
		return error("neither command nor arguments");
	json_array_foreach(arguments, i, word) {
		if (!json_is_string(word))
			return error("an argument is no text");
		VEC_PUSH(words, arena_strdup(d->arena, json_string_value(word)));
	}
	return 0;
}

static bool is_wanted(const struct database *d, const char *file)
{
	char real[PATH_MAX];

	if (!d->only)
		return true;
	if (!realpath(file, real))
		return false;
	for (char **only = d->only; *only; only++)
		if (!strcmp(*only, real))
			return true;
	return false;
}

static bool same_words(char *const *a, char *const *b)
{
	if (!a || !b)
		return a == b;
	for (; *a && *b; a++, b++)
		if (strcmp(*a, *b))
			return false;
	return *a == *b;
}

/* Neighbours in the database: a file's entries follow each other or are few, so looking back is enough. */
static bool is_known(const compile_list *list, const struct compile_unit *unit)
{
	for (size_t i = list->count; i > 0 && i + 64 > list->count; i--)
		if (!strcmp(list->items[i - 1].file, unit->file) && !strcmp(list->items[i - 1].directory, unit->directory) &&
		    same_words(list->items[i - 1].words, unit->words))
			return true;
	return false;
}

static int add_entry(const struct database *d, json_t *entry, size_t number)
{
	const char *directory = json_string_value(json_object_get(entry, "directory"));
	const char *file = json_string_value(json_object_get(entry, "file"));
	word_list words = { 0 }, flags = { 0 };
	struct compile_unit unit;
	int result = 0;

	if (!directory || !file)
		return error_cannot("%s: entry %zu has no %s", d->path, number, file ? "directory" : "file");
	unit = (struct compile_unit){ path_join(d->arena, directory, file), arena_strdup(d->arena, directory), NULL };
	if (!is_wanted(d, unit.file))
		return 0;
	if (!is_source(file)) {
		d->skipped(d->context, unit.file, "neither C nor C++: not analysed");
		return 0;
	}
	if (entry_words(d, &words, entry) || words_respond(&words, d->arena, unit.directory)) {
		error_prefix("%s: entry %zu (%s)", d->path, number, file);
		result = -1;
	} else {
		flags_rewrite(&flags, d->arena, words.items, words.count);
		unit.words = words_done(d->arena, &flags);
		if (!is_known(d->list, &unit))
			VEC_PUSH(d->list, unit);
	}
	VEC_FREE(&words);
	VEC_FREE(&flags);
	return result;
}

static const char *database_path(struct arena *arena, const char *given)
{
	struct stat status;

	if (!stat(given, &status) && S_ISDIR(status.st_mode))
		return arena_printf(arena, "%s/compile_commands.json", given);
	return given;
}

static char **real_files(struct arena *arena, char **files)
{
	size_t count = 0;
	char **all, real[PATH_MAX];

	while (files && files[count])
		count++;
	if (!count)
		return NULL;
	all = ARENA_ARRAY(arena, char *, count + 1);
	for (size_t i = 0; i < count; i++)
		all[i] = arena_strdup(arena, realpath(files[i], real) ? real : files[i]);
	return all;
}

static int list_database(struct database *d, const char *given)
{
	json_error_t wrong;
	json_t *root, *entry;
	size_t i;
	int result = 0;

	d->path = database_path(d->arena, given);
	if (access(d->path, R_OK))
		return error_cannot("%s: %s; cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, meson or `bear -- make` write one", d->path,
			strerror(errno));
	root = json_load_file(d->path, 0, &wrong);
	if (!root)
		return error_cannot("%s:%d: %s", d->path, wrong.line, wrong.text);
	if (!json_is_array(root))
		result = error_cannot("%s: no list of compile commands", d->path);
	json_array_foreach(root, i, entry)
		if (!result)
			result = add_entry(d, entry, i);
	json_decref(root);
	return result;
}

int compile_list_make(compile_list *list, struct arena *arena, const struct load_options *options,
		      void (*skipped)(void *context, const char *file, const char *why), void *context)
{
	struct database database = { list, arena, NULL, real_files(arena, options->files), skipped, context };

	if (options->build_dir ? list_database(&database, options->build_dir) : list_files(list, arena, options))
		return -1;
	if (!list->count)
		return error_cannot("%s: nothing to scan", options->build_dir ? database.path : "no files");
	return 0;
}
