/*
 * preload - see preload.h.
 */
#include "find/preload.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"

#define LIBRARY "libdeadheat_trace.so"

static bool is_32_bit(const char *path)
{
	unsigned char ident[EI_NIDENT] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool yes;

	if (fd < 0)
		return false;
	yes = read(fd, ident, sizeof(ident)) == sizeof(ident) && !memcmp(ident, ELFMAG, SELFMAG) &&
	      ident[EI_CLASS] == ELFCLASS32;
	close(fd);
	return yes;
}

int preload_check(const struct program *program)
{
	struct target_info info;

	if (is_32_bit(program->path))
		return error_cannot("%s is a 32-bit program; deadheat traces 64-bit ones only", program->path);
	if (target_inspect(program, &info))
		return -1;
	if (info.is_static)
		return error_cannot("%s is statically linked: nothing can be preloaded into it. Link it dynamically (without -static)",
				    program->path);
	if (info.is_setuid)
		return error_cannot("%s is setuid or has capabilities: the loader ignores LD_PRELOAD there. Run a copy without them",
				    program->path);
	return 0;
}

const char *preload_library(struct arena *arena)
{
	const char *folder = target_runtime_dir(arena, "trace");
	const char *path;

	if (!folder)
		return NULL;
	path = arena_printf(arena, "%s/" LIBRARY, folder);
	if (access(path, R_OK)) {
		error("%s is missing: run make, or install deadheat anew", path);
		return NULL;
	}
	return path;
}

char **preload_environment(const struct program *program, struct arena *arena, const struct tracer *tracer)
{
	const char *library = preload_library(arena);
	const char *others = env_get(program->envp, "LD_PRELOAD");
	char **envp;

	if (!library)
		return NULL;
	envp = env_set(arena, program->envp, "LD_PRELOAD",
		       others && *others ? arena_printf(arena, "%s:%s", library, others) : library);
	return env_set(arena, envp, TRACE_ENV, tracer->path);
}
