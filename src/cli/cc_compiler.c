/*
 * cc_compiler - which compiler a line goes to: --with, then DEADHEAT_CC, then gcc. For C++
 * the C compiler's name is turned into its sibling's (gcc-12 to g++-12), and back.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cc.h"

static char *find_in_path(struct arena *arena, const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : arena_strdup(arena, name);
	while (path && *path) {
		size_t length = strcspn(path, ":");
		char *file = arena_printf(arena, "%.*s/%s", (int)length, path, name);

		if (!access(file, X_OK))
			return file;
		path += length + (path[length] == ':');
	}
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* old in the file name of path becomes new; NULL if it is not there. */
static char *rename_part(struct arena *arena, const char *path, const char *old, const char *new)
{
	const char *at = strstr(base_name(path), old);

	if (!at)
		return NULL;
	return arena_printf(arena, "%.*s%s%s", (int)(at - path), path, new, at + strlen(old));
}

/* The sibling for the language, or the name itself. */
static const char *for_language(struct cc_line *line, const char *name)
{
	static const struct { const char *c, *cxx; } siblings[] = {
		{ "clang", "clang++" }, { "gcc", "g++" }, { "cc", "c++" },
	};
	const char *base = base_name(name);

	for (size_t i = 0; i < sizeof(siblings) / sizeof(siblings[0]); i++) {
		const char *c = siblings[i].c, *cxx = siblings[i].cxx;

		if (strstr(base, cxx))
			return line->cxx ? name : rename_part(line->arena, name, cxx, c);
		if (strstr(base, c))
			return line->cxx ? rename_part(line->arena, name, c, cxx) : name;
	}
	return name;
}

/* By the name; a plain "cc" by what it leads to. */
static int know_family(struct cc_line *line, const char *name)
{
	char real[PATH_MAX];
	const char *names[2] = { base_name(name), realpath(line->compiler, real) ? base_name(real) : "" };

	if (!strncmp(names[1], "deadheat", 8))
		return error_usage("DEADHEAT_CC=%s names deadheat itself; name gcc or clang", name);
	for (int i = 0; i < 2; i++) {
		if (strstr(names[i], "clang")) {
			line->family = CC_CLANG;
			return 0;
		}
		if (strstr(names[i], "gcc") || strstr(names[i], "g++")) {
			line->family = CC_GCC;
			return 0;
		}
	}
	return error_usage("DEADHEAT_CC=%s is neither gcc nor clang by its name", name);
}

static int use_clang(struct cc_line *line)
{
	line->family = CC_CLANG;
	line->compiler = find_in_path(line->arena, line->cxx ? "clang++-19" : "clang-19");
	if (!line->compiler)
		line->compiler = find_in_path(line->arena, line->cxx ? "clang++" : "clang");
	return line->compiler ? 0 : error_cannot("there is no clang in PATH: install clang-19, or use --with gcc");
}

static int use_gcc(struct cc_line *line)
{
	const char *name = line->cxx ? "g++" : "gcc";

	line->family = CC_GCC;
	line->compiler = find_in_path(line->arena, name);
	return line->compiler ? 0 : error_cannot("there is no %s in PATH: install it, or use --with clang", name);
}

static int use_named(struct cc_line *line, const char *name)
{
	const char *sibling = for_language(line, name);

	line->compiler = find_in_path(line->arena, sibling);
	if (!line->compiler)
		return error_cannot("DEADHEAT_CC=%s: there is no compiler %s", name, sibling);
	return know_family(line, sibling);
}

int cc_compiler(struct cc_line *line)
{
	const char *named = getenv("DEADHEAT_CC");

	if (line->with && !strcmp(line->with, "clang"))
		return use_clang(line);
	if (line->with && !strcmp(line->with, "gcc"))
		return use_gcc(line);
	if (line->with)
		return error_usage("--with: '%s' is not one of gcc, clang", line->with);
	if (named && *named)
		return use_named(line, named);
	return use_gcc(line);
}
