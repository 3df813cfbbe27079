/*
 * target - the program under test: what it is, can we run it, start it.
 */
#ifndef FIND_TARGET_H
#define FIND_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "race/candidate.h"

/* A program with everything needed to start it again on another day. */
struct program {
	const char *path;       /* absolute, found by PATH if it had no slash */
	char **argv;            /* NULL terminated */
	char **envp;            /* NULL terminated: the environment of the run */
	const char *cwd;
	char build_id[BUILD_ID_HEX_MAX];
};

enum instrumentation {
	INSTRUMENTED_DEADHEAT, /* needs libdeadheat_rt.so */
	INSTRUMENTED_TSAN,     /* needs libtsan.so.2: a gcc TSan build made without us */
	INSTRUMENTED_SCRIPT,   /* starts with #!: whatever it starts decides */
	INSTRUMENTED_NOT,
	INSTRUMENTED_STATIC_TSAN, /* clang's runtime linked in */
};

struct target_info {
	enum instrumentation instrumentation;
	bool by_library;        /* the program itself needs nothing of ours, a library of it does */
	bool has_asan;          /* AddressSanitizer, as a library (asan) or linked in (asan empty) */
	char asan[64];
	bool is_static;
	bool is_setuid;
};

/* Find, stat and read the program's ELF header. 0, or -1 with one clear line. */
int program_from_argv(struct program *program, struct arena *arena, char **argv);

/*
 * Look at the file (and the libraries it needs, for an uninstrumented main program with
 * instrumented libraries). 0, or -1 with one clear line saying what to do.
 */
int target_inspect(const struct program *program, struct target_info *info);

/* Is the file a program, not a library? Silent: false for what cannot be read. */
bool target_is_program(const char *path);

/* -1 with the line a user needs unless the program can run under our runtimes. */
int target_require_instrumented(const struct program *program);

/* The same for what can do without instrumentation; *plain: there is none. */
int target_require(const struct program *program, bool *plain);

/* "<libdir>/detect" etc.: where the runtime lives, next to the binary or installed. */
const char *target_runtime_dir(struct arena *arena, const char *runtime);

/* LD_PRELOAD is a list with spaces and colons between: -1 with a message where they are in the path itself. */
int target_can_preload(const char *library);

/*
 * The program's environment for a run under a runtime: the loader finds ours first
 * (LD_LIBRARY_PATH; LD_PRELOAD too where only libraries are instrumented, since libc would
 * come before them), and the runtime finds the wire. NULL with a message.
 */
char **target_environment(const struct program *program, struct arena *arena, const char *runtime, const char *wire);

#endif
