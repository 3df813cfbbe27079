/*
 * load_unit - see load_unit.h.
 *
 *     source ──clang──► tmp.bc ──lower──► tmp.ir ──rename──► KEY2.ir ──map──► unit
 *                └► tmp.d ────────────────────────► KEY1.deps
 *
 * A dead lower (LLVM aborts on some broken files) is a reason like any other.
 */
#include "find/scan/load_unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"

#define TRIES_MAX 6 /* rounds of taking out what clang does not know */
#define CLOCK_LAG 10000000 /* ns: dates of files are taken from a clock that ticks every 1 to 10 ms */

/* ---- tools ------------------------------------------------------------------------------------------- */

static char *find_program(struct arena *arena, const char *name)
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

/* bin/deadheat has it in ../lib/deadheat, built or installed; a test program lies one folder deeper. */
static char *find_lower(struct arena *arena)
{
	static const char *const places[] = { "..", "../.." };
	char self[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n < 0 ? 0 : n] = 0;
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		char *path = arena_printf(arena, "%.*s/%s/lib/deadheat/lower", (int)(slash - self), self, places[i]);

		if (!access(path, X_OK))
			return path;
	}
	return NULL;
}

/* Which program exactly: a new one of the same name makes other units. */
static void mix_program(struct cache_key *key, const char *path)
{
	char real[PATH_MAX];
	struct stat status;

	if (!path || !realpath(path, real) || stat(real, &status))
		return;
	cache_mix_text(key, real);
	cache_mix(key, &status.st_size, sizeof(status.st_size));
	cache_mix(key, &status.st_mtim, sizeof(status.st_mtim));
}

int load_tools_find(struct load_tools *tools, struct arena *arena)
{
	const char *wanted = getenv("DEADHEAT_SCAN_CC");
	uint32_t version = IR_VERSION;

	tools->compiler = find_program(arena, wanted && *wanted ? wanted : "clang-19");
	tools->lower = find_lower(arena);
	if (wanted && *wanted && !tools->compiler)
		return error_cannot("DEADHEAT_SCAN_CC: there is no program %s", wanted);
	if (!tools->lower)
		return error_cannot("lib/deadheat/lower is missing: install deadheat again");
	tools->version = (struct cache_key){ 0 };
	cache_mix(&tools->version, &version, sizeof(version));
	mix_program(&tools->version, tools->lower);
	mix_program(&tools->version, tools->compiler);
	return 0;
}

/* ---- running a program ---------------------------------------------------------------------------------- */

/* Standard error goes to a file and comes back as text. 0 / -1: it could not even be started. */
static int run(struct arena *arena, const char *path, char **argv, const char *directory, const char *errors, int *status,
	       struct strbuf *said)
{
	extern char **environ;
	struct spawn spawn = SPAWN_INIT;
	int fd = open(errors, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int result = -1;

	spawn.path = path;
	/* A compiler behind ccache: we have a cache of our own, and its may hold another folder's file names. */
	spawn.envp = env_set(arena, environ, "CCACHE_DISABLE", "1");
	spawn.argv = argv;
	spawn.cwd = directory;
	spawn.in = spawn.out = null;
	spawn.err = fd;
	if (fd < 0 || null < 0)
		error_cannot("cannot write %s: %s", errors, strerror(errno));
	else
		result = spawn_run(&spawn, status);
	if (fd >= 0)
		close(fd);
	if (null >= 0)
		close(null);
	strbuf_reset(said);
	if (!result)
		strbuf_read_file(said, errors);
	unlink(errors);
	return result;
}

/* The first line that says what is wrong. */
static char *first_error(struct arena *arena, const char *said, const char *otherwise)
{
	const char *at = strstr(said, "error: ");

	if (!at)
		return arena_strdup(arena, otherwise);
	at += strlen("error: ");
	return arena_printf(arena, "%.*s", (int)strcspn(at, "\n"), at);
}

/* ---- clang ------------------------------------------------------------------------------------------------ */

/* Temporary files of one unit. */
struct files {
	char *bitcode, *deps, *errors, *unit;
};

static char **compiler_line(struct arena *arena, const struct load_tools *tools, char **words, const struct files *files)
{
	char *output[] = { "-MD", "-MF", files->deps, "-MT", "x", "-o", files->bitcode, NULL };
	word_list line = { 0 };
	char **argv;

	VEC_PUSH(&line, arena_strdup(arena, tools->compiler));
	for (; *words; words++)
		VEC_PUSH(&line, *words);
	for (const char *const *flag = flags_bitcode; *flag; flag++)
		VEC_PUSH(&line, arena_strdup(arena, *flag));
	for (char **word = output; *word; word++)
		VEC_PUSH(&line, *word);
	VEC_PUSH(&line, NULL);
	argv = arena_copy(arena, line.items, line.count * sizeof(*line.items));
	VEC_FREE(&line);
	return argv;
}

static char **copy_words(struct arena *arena, char **words)
{
	size_t count = 0;

	while (words[count])
		count++;
	return arena_copy(arena, words, (count + 1) * sizeof(*words));
}

static int compile(struct load_made *made, struct arena *arena, const struct load_tools *tools, const struct compile_unit *unit,
		   const struct files *files)
{
	char **words = copy_words(arena, unit->words);
	struct strbuf said = STRBUF_INIT;
	int status = 0, result = -1;

	if (!tools->compiler) {
		made->why = arena_strdup(arena, "clang-19 is not installed (another one is named by DEADHEAT_SCAN_CC)");
		return -1;
	}
	for (int i = 0; i < TRIES_MAX; i++) {
		if (run(arena, tools->compiler, compiler_line(arena, tools, words, files), unit->directory, files->errors, &status,
			&said)) {
			made->why = arena_strdup(arena, error_message());
			break;
		}
		result = status ? -1 : 0;
		if (!status || !flags_drop_unknown(words, said.buf))
			break;
	}
	if (status) {
		made->why = first_error(arena, said.buf, "it does not compile");
		made->message = arena_strdup(arena, said.buf);
	}
	made->compiled = !result;
	strbuf_release(&said);
	return result;
}

/* ---- lower --------------------------------------------------------------------------------------------------- */

/* lower's line begins with the file's name, which whoever prints it says anyway. */
static char *lower_reason(struct arena *arena, const char *said, const char *input, int status)
{
	size_t length = strlen(input);

	if (WIFSIGNALED(status))
		return arena_printf(arena, "LLVM gave up on it (%s)", signal_name(WTERMSIG(status)));
	if (!strncmp(said, input, length) && said[length] == ':')
		said += length + 2;
	return arena_printf(arena, "%.*s", (int)strcspn(said, "\n"), said);
}

static int lower(struct load_made *made, struct arena *arena, const struct load_tools *tools, const char *input,
		 const struct files *files, const char *path)
{
	char *argv[] = { arena_strdup(arena, tools->lower), arena_strdup(arena, input), files->unit, NULL };
	struct strbuf said = STRBUF_INIT;
	int status = 0, result = -1;

	if (run(arena, tools->lower, argv, NULL, files->errors, &status, &said))
		made->why = arena_strdup(arena, error_message());
	else if (status)
		made->why = lower_reason(arena, said.buf, input, status);
	else if (rename(files->unit, path))
		made->why = arena_printf(arena, "cannot write %s: %s", path, strerror(errno));
	else
		result = 0;
	made->lowered = !result;
	strbuf_release(&said);
	return result;
}

/* ---- dependencies ---------------------------------------------------------------------------------------- */

/* A make rule "x: a.c b\ c.h \<newline> d.h" as absolute names, one a line. */
static void read_deps(struct strbuf *out, struct arena *arena, const char *directory, const char *path)
{
	struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;
	const char *at;

	strbuf_read_file(&text, path);
	at = strchr(text.buf, ':');
	at = at ? at + 1 : "";
	for (;;) {
		while (*at == ' ' || *at == '\n' || (*at == '\\' && at[1] == '\n'))
			at++;
		if (!*at)
			break;
		strbuf_reset(&name);
		for (; *at && *at != ' ' && *at != '\n' && !(*at == '\\' && at[1] == '\n'); at++) {
			if ((*at == '\\' && (at[1] == ' ' || at[1] == '#')) || (*at == '$' && at[1] == '$'))
				at++;
			strbuf_putc(&name, *at);
		}
		strbuf_printf(out, "%s\n", path_join(arena, directory, name.buf));
	}
	strbuf_release(&text);
	strbuf_release(&name);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The key of a compile just made, from what it read; false: a file changed meanwhile, or is gone. */
static bool key_of_compile(struct cache_key *key, struct arena *arena, const struct load_tools *tools,
			   const struct compile_unit *unit, const struct files *files, int64_t started)
{
	struct strbuf names = STRBUF_INIT;
	struct cache_key first = *key;
	int64_t changed = 0;
	bool good = true;

	read_deps(&names, arena, unit->directory, files->deps);
	for (char *line = names.buf, *end; good && (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		good = !cache_mix_file(tools->cache, key, line, &changed);
		*end = '\n';
	}
	good = good && changed < started - CLOCK_LAG;
	if (good)
		cache_list(tools->cache, first, &names);
	strbuf_release(&names);
	return good;
}

/* ---- one unit ------------------------------------------------------------------------------------------------ */

static int key_begin(struct cache_key *key, const struct load_tools *tools, const struct compile_unit *unit)
{
	*key = tools->version;
	if (unit->words) {
		cache_mix_text(key, unit->directory);
		for (char **word = unit->words; *word; word++)
			cache_mix_text(key, *word);
	}
	return cache_mix_file(tools->cache, key, unit->file, NULL);
}

static bool open_cached(struct load_made *made, const char *path)
{
	if (access(path, R_OK))
		return false;
	if (ir_open(&made->unit, path)) {
		unlink(path); /* damaged: make it again */
		return false;
	}
	cache_touch(path);
	made->cached = made->good = true;
	return true;
}

static void open_made(struct load_made *made, struct arena *arena, const char *path)
{
	if (ir_open(&made->unit, path))
		made->why = arena_strdup(arena, error_message());
	else
		made->good = true;
}

static struct files files_begin(struct arena *arena, struct cache *cache)
{
	return (struct files){ cache_temporary(cache, arena, "bc"), cache_temporary(cache, arena, "d"),
		cache_temporary(cache, arena, "err"), cache_temporary(cache, arena, "ir") };
}

static void files_end(const struct files *files)
{
	unlink(files->bitcode);
	unlink(files->deps);
	unlink(files->errors);
	unlink(files->unit);
}

static void make_from_source(struct load_made *made, struct arena *arena, const struct load_tools *tools,
			     const struct compile_unit *unit, struct cache_key key)
{
	struct files files = files_begin(arena, tools->cache);
	struct cache_key listed = key;
	int64_t started = now_ns();
	bool keep;

	if (cache_mix_listed(tools->cache, &listed, NULL) && open_cached(made, cache_unit(tools->cache, arena, listed)))
		return;
	if (!compile(made, arena, tools, unit, &files)) {
		const char *path;

		keep = key_of_compile(&key, arena, tools, unit, &files, started);
		path = keep ? cache_unit(tools->cache, arena, key) : cache_temporary(tools->cache, arena, "ir");
		if (!lower(made, arena, tools, files.bitcode, &files, path))
			open_made(made, arena, path);
		if (!keep)
			unlink(path);
	}
	files_end(&files);
}

static void make_from_bitcode(struct load_made *made, struct arena *arena, const struct load_tools *tools,
			      const struct compile_unit *unit, struct cache_key key)
{
	struct files files = files_begin(arena, tools->cache);
	const char *path = cache_unit(tools->cache, arena, key);

	if (open_cached(made, path))
		return;
	if (!lower(made, arena, tools, unit->file, &files, path))
		open_made(made, arena, path);
	files_end(&files);
}

void load_unit_make(struct load_made *made, struct arena *arena, const struct load_tools *tools, const struct compile_unit *unit)
{
	struct cache_key key;

	*made = (struct load_made){ 0 };
	if (key_begin(&key, tools, unit))
		made->why = arena_strdup(arena, "cannot be read");
	else if (unit->words)
		make_from_source(made, arena, tools, unit, key);
	else
		make_from_bitcode(made, arena, tools, unit, key);
}
