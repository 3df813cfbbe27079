/* cmd_cc - deadheat cc and deadheat c++: become the compiler. See cc.h for how. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cc.h"
#include "cli/cli.h"

static int refuse(const struct cc_line *line)
{
	if (!line->has_input)
		return 0;
	if (line->bits)
		return error_usage("%s: only 64-bit x86 programs can be watched", line->bits);
	if (line->sanitizer && line->compiles && !line->uninstrumented)
		return error_usage("-fsanitize=%s cannot be combined with the thread instrumentation: build without it",
				   line->sanitizer);
	if (line->is_static && cc_links(line) && !line->relocatable)
		return error_usage("%s: the runtime is a shared library, so a static program cannot be watched: "
				   "link without %s", line->is_static, line->is_static);
	return 0;
}

static int prepare(struct cc_line *line, int argc, char **argv)
{
	if (cc_expand(line, argc, argv))
		return -1;
	cc_read(line);
	if (refuse(line) || cc_compiler(line))
		return -1;
	return cc_rewrite(line);
}

/* Returns only when it cannot become the compiler. */
static int run(bool cxx, int argc, char **argv)
{
	struct arena arena = ARENA_INIT;
	struct cc_line line = { .arena = &arena, .cxx = cxx };

	if (!prepare(&line, argc, argv)) {
		execv(line.compiler, line.out.items);
		error_cannot("cannot start %s: %s", line.compiler, strerror(errno));
	}
	error_prefix("%s", cxx ? "c++" : "cc");
	cc_free(&line);
	arena_free(&arena);
	return cli_fail();
}

static int run_cc(const struct command *command, int argc, char **argv)
{
	return run(false, argc, argv);
}

static int run_cxx(const struct command *command, int argc, char **argv)
{
	return run(true, argc, argv);
}

#define TEXT \
	"Takes every option of the compiler it stands for and passes on its exit status. What is\n" \
	"compiled gets access instrumentation, what is linked gets our runtime, which does nothing\n" \
	"until deadheat starts the program. Optimisers remove accesses before they can be seen: what does\n" \
	"so is switched off at -O1, -O2, -O3, -Os and -Ofast with gcc; without a level it is -Og.\n" \
	"\n" \
	"  --with gcc|clang        which compiler (default gcc); DEADHEAT_CC=NAME names any other\n" \
	"  --keep-optimisation     switch nothing off, and set no level\n" \
	"\n" \
	"Use it as CC=deadheat-cc CXX=deadheat-c++ with make, CMake and configure."

const struct command command_cc = {
	.name = "cc",
	.arguments = "COMPILER-ARGUMENTS...",
	.summary = "compile and link C with access instrumentation; same as deadheat-cc",
	.text = TEXT,
	.run = run_cc,
};

const struct command command_cxx = {
	.name = "c++",
	.arguments = "COMPILER-ARGUMENTS...",
	.summary = "compile and link C++ with access instrumentation; same as deadheat-c++",
	.text = TEXT,
	.run = run_cxx,
};
