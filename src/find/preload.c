/*
 * preload - see preload.h.
 */
#include "find/preload.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

/* Does it name gcc's AddressSanitizer as a library it needs? The name stands in its string table. */
static bool has_asan(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *bytes;
	bool yes;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || st.st_size <= 0) {
		close(fd);
		return false;
	}
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return false;
	yes = memmem(bytes, (size_t)st.st_size, "libasan.so", 10) != NULL;
	munmap(bytes, (size_t)st.st_size);
	return yes;
}

/* It insists on being first unless it is told that others may be. */
static char **allow_before_asan(char **envp, struct arena *arena)
{
	const char *old = env_get(envp, "ASAN_OPTIONS");

	return env_set(arena, envp, "ASAN_OPTIONS",
		       arena_printf(arena, "%s%sverify_asan_link_order=0", old ? old : "", old && *old ? ":" : ""));
}

char **preload_environment(const struct program *program, struct arena *arena, const struct tracer *tracer)
{
	const char *library = preload_library(arena);
	const char *others = env_get(program->envp, "LD_PRELOAD");
	char **envp;

	if (!library || target_can_preload(library))
		return NULL;
	envp = env_set(arena, program->envp, "LD_PRELOAD",
		       others && *others ? arena_printf(arena, "%s:%s", library, others) : library);
	if (has_asan(program->path))
		envp = allow_before_asan(envp, arena);
	return env_set(arena, envp, TRACE_ENV, tracer->path);
}
