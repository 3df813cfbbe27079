/*
 * doctor_try - the whole line once: a race of two threads is built, found and shown.
 *
 * Everything the single checks cannot know (a seccomp profile, a broken compiler, a loader
 * that does not find the runtime) shows here. A folder of its own, removed afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "cli/doctor.h"

static const char program[] =
	"#include <pthread.h>\n"
	"static int n;\n"
	"static void *inc(void *x) { n++; return x; }\n"
	"int main(void)\n"
	"{\n"
	"	pthread_t t;\n"
	"	if (pthread_create(&t, 0, inc, 0)) return 1;\n"
	"	n++;\n"
	"	return pthread_join(t, 0);\n"
	"}\n";

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	return remove(path);
}

/* Exit status of ourselves with these words, what it says kept in a file. */
static int run_self(struct arena *arena, const char *folder, char *const *argv)
{
	struct spawn spawn = SPAWN_INIT;
	int log = open(arena_printf(arena, "%s/log", folder), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), status = -1;

	spawn.path = "/proc/self/exe";
	spawn.argv = argv;
	spawn.out = spawn.err = log;
	if (log < 0 || spawn_run(&spawn, &status))
		return -1;
	close(log);
	return spawn_exit_code(status);
}

static const char *last_line(struct arena *arena, const char *folder)
{
	struct strbuf text = STRBUF_INIT;
	const char *line = "nothing was said";

	if (!strbuf_read_file(&text, arena_printf(arena, "%s/log", folder)) && text.len) {
		char *end = text.buf + text.len - 1;

		if (*end == '\n')
			*end = 0;
		end = strrchr(text.buf, '\n');
		line = arena_strdup(arena, end ? end + 1 : text.buf);
	}
	strbuf_release(&text);
	return line;
}

static struct diagnosis try_in(struct arena *arena, const char *folder)
{
	struct strbuf source = STRBUF_INIT;
	char *file = arena_printf(arena, "%s/race.c", folder), *store = arena_printf(arena, "%s/store", folder);
	char *hunt[] = { "deadheat", "hunt", "--quiet", "--format", "none", "--store", store, file, NULL };
	int status;

	strbuf_puts(&source, program);
	status = strbuf_replace_file(&source, file) ? -1 : run_self(arena, folder, hunt);
	strbuf_release(&source);
	if (status == EXIT_FOUND)
		return GOOD("was built, found and shown");
	if (status == EXIT_CLEAN)
		return BAD("run the tests: make test", "was built but not found in it");
	return BAD("run: deadheat hunt on a program of yours, it says more", "could not be hunted (status %d): %s", status,
		   last_line(arena, folder));
}

struct diagnosis doctor_try(struct arena *arena)
{
	const char *where = getenv("TMPDIR");
	char *folder = arena_printf(arena, "%s/deadheat-doctor.XXXXXX", where && *where ? where : "/tmp");
	struct diagnosis result;

	if (!mkdtemp(folder))
		return LESS("export TMPDIR=a folder you may write", "%s cannot be made: %s; not tried", folder, strerror(errno));
	result = try_in(arena, folder);
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return result;
}
