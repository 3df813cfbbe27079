/*
 * print - the front end of scan by itself, for front.t; the product has no command for it.
 *
 *     print FILE.ir                                a lowered unit as text
 *     print load [-p DIR] [-c CACHE] [-j N] [FILES] [-- ARGS]
 *                                                  counts, skipped units, the program's symbols
 *     print bitcode -p DIR -o OUT [-j N] [-n N]     for benches: N units taken evenly, one .bc each in OUT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/spawn.h"
#include "find/scan/analyse.h"
#include "find/scan/compile.h"
#include "find/scan/load.h"
#include "find/scan/scan.h"

static int print_unit(const char *path)
{
	struct strbuf out = STRBUF_INIT;
	struct ir_unit unit;

	if (ir_open(&unit, path)) {
		fprintf(stderr, "%s\n", error_message());
		return 1;
	}
	ir_print(&out, &unit);
	fputs(out.buf, stdout);
	strbuf_release(&out);
	ir_close(&unit);
	return 0;
}

static void skipped(void *context, const char *file, const char *why)
{
	(void)context;
	printf("skipped %s: %s\n", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, why);
}

static const char *place(const struct ir_unit *u, const char *what)
{
	const char *source = ir_string(u, u->header->source), *slash = strrchr(source, '/');

	(void)what;
	return slash ? slash + 1 : source;
}

static void print_symbols(const struct linked *l)
{
	for (uint32_t i = 0; i < l->function_count; i++) {
		const struct ir_unit *u = linked_unit(l, l->functions[i]);

		printf("function %s %s\n", ir_string(u, linked_function(l, i)->name), l->functions[i].external ? "-" : place(u, ""));
	}
	for (uint32_t i = 0; i < l->global_count; i++) {
		const struct ir_unit *u = linked_unit(l, l->globals[i]);

		printf("global %s %s\n", ir_string(u, linked_global(l, i)->name), l->globals[i].external ? "-" : place(u, ""));
	}
	printf("types %zu duplicates %zu\n", l->type_count, l->duplicate_count);
}

static int print_program(char **argv)
{
	struct load_options options = { .skipped = skipped };
	struct arena arena = ARENA_INIT;
	struct load_result result;
	bool quiet = getenv("QUIET") != NULL;
	int status;

	for (; *argv && **argv == '-' && strcmp(*argv, "--"); argv += 2) {
		if (!strcmp(*argv, "-p"))
			options.build_dir = argv[1];
		else if (!strcmp(*argv, "-c"))
			options.cache = argv[1];
		else if (!strcmp(*argv, "-j"))
			options.jobs = (unsigned)atoi(argv[1]);
	}
	options.files = argv;
	for (; *argv; argv++)
		if (!strcmp(*argv, "--")) {
			*argv = NULL;
			options.compiler_args = argv + 1;
			break;
		}
	status = load_program(&result, &arena, &options);
	if (status) {
		fprintf(stderr, "%s\n", error_message());
		status = error_status();
	} else {
		printf("units %zu skipped %zu cached %zu compiled %zu lowered %zu lines %" PRIu64 " instructions %" PRIu64 "\n",
			result.unit_count, result.skipped_count, result.cached_count, result.compiled_count, result.lowered_count,
			result.lines, result.instructions);
		if (!quiet)
			print_symbols(&result.program);
	}
	load_free(&result);
	arena_free(&arena);
	return status;
}

/* ---- bitcode by itself ------------------------------------------------------------------------------ */

struct bitcode {
	compile_list list;
	const char *out;
	size_t step;
	atomic_size_t next, made;
};

static void make_bitcode(const struct bitcode *b, struct compile_unit *unit, size_t i)
{
	struct arena arena = ARENA_INIT;
	char *path = arena_printf(&arena, "%s/%05zu.bc", b->out, i), *beside = arena_printf(&arena, "%s.new", path);
	struct spawn spawn = SPAWN_INIT;
	word_list line = { 0 };
	int status = 1;

	VEC_PUSH(&line, "/usr/bin/clang-19");
	for (char **word = unit->words; *word; word++)
		VEC_PUSH(&line, *word);
	for (const char *const *flag = flags_bitcode; *flag; flag++)
		VEC_PUSH(&line, arena_strdup(&arena, *flag));
	VEC_PUSH(&line, "-o");
	VEC_PUSH(&line, beside);
	VEC_PUSH(&line, NULL);
	spawn.path = line.items[0];
	spawn.argv = line.items;
	spawn.cwd = unit->directory;
	if (access(path, R_OK) && (spawn_run(&spawn, &status) || status || rename(beside, path)))
		fprintf(stderr, "%s: not compiled\n", unit->file);
	VEC_FREE(&line);
	arena_free(&arena);
}

static void *bitcode_work(void *argument)
{
	struct bitcode *b = argument;
	size_t i;

	while ((i = atomic_fetch_add(&b->next, b->step)) < b->list.count)
		if (b->list.items[i].words)
			make_bitcode(b, &b->list.items[i], i);
	return NULL;
}

static int print_bitcode(char **argv)
{
	struct load_options options = { 0 };
	struct bitcode b = { .step = 1 };
	struct arena arena = ARENA_INIT;
	size_t wanted = 0, jobs = 2;
	pthread_t threads[16];

	for (; *argv && argv[1]; argv += 2) {
		if (!strcmp(*argv, "-p"))
			options.build_dir = argv[1];
		else if (!strcmp(*argv, "-o"))
			b.out = realpath(argv[1], NULL);
		else if (!strcmp(*argv, "-n"))
			wanted = (size_t)atoi(argv[1]);
		else if (!strcmp(*argv, "-j"))
			jobs = (size_t)atoi(argv[1]) % 17;
	}
	if (!b.out || compile_list_make(&b.list, &arena, &options, skipped, NULL)) {
		fprintf(stderr, "%s\n", b.out ? error_message() : "no folder for -o");
		return 1;
	}
	if (wanted && wanted < b.list.count)
		b.step = b.list.count / wanted;
	for (size_t i = 0; i < jobs; i++)
		pthread_create(&threads[i], NULL, bitcode_work, &b);
	for (size_t i = 0; i < jobs; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* -v: where the time goes. */
static void on_progress(void *context, const char *phase, size_t done, size_t all)
{
	fprintf(stderr, "%8.2f s  %s %zu of %zu\n", cpu_seconds(), phase, done, all);
}

/* How often each kind of step was taken on trust; limits one by one. */
static void print_assumed(const struct scan_result *result, enum assumption_kind kind)
{
	size_t texts[2] = { 0, 0 }, places[2] = { 0, 0 };

	for (size_t i = 0; i < result->assumption_count; i++) {
		const struct scan_assumption *a = &result->assumptions[i];

		if (a->kind != kind)
			continue;
		texts[a->sound]++;
		places[a->sound] += a->count;
		if (kind == ASSUME_BUDGET)
			printf("budget %s (%zu, first %s:%d)\n", a->text, a->count, a->file, a->line);
	}
	printf("assumed %s: unsafe %zu at %zu places, safe %zu at %zu\n", scan_assumption_name(kind), texts[0], places[0], texts[1], places[1]);
}

/* The analysis on units already lowered: "analyse [-k] [-j N] FILES". For benches, until they use the command. */
static int print_analysis(char **argv)
{
	struct load_options load = { .skipped = skipped };
	struct analyse_options options = { 0 };
	struct arena arena = ARENA_INIT;
	struct models *models = models_load(NULL, 0);
	struct load_result program;
	struct scan_result result;

	for (; *argv && **argv == '-'; argv++) {
		options.kernel |= !strcmp(*argv, "-k");
		if (!strcmp(*argv, "-v"))
			options.progress = on_progress;
		if (!strcmp(*argv, "-j"))
			load.jobs = options.jobs = (unsigned)atoi(*++argv);
		if (!strcmp(*argv, "-c"))
			load.cache = *++argv;
		if (!strcmp(*argv, "-p"))
			load.build_dir = *++argv;
	}
	load.files = argv;
	if (!models || load_program(&program, &arena, &load) || analyse(&result, &arena, &program.program, models, &options)) {
		fprintf(stderr, "%s\n", error_message());
		return error_status();
	}
	printf("units %zu lines %" PRIu64 " instructions %" PRIu64 " functions %zu summarised %zu accesses %zu threads %zu considered %zu pairs %zu assumptions %zu%s\n",
		program.unit_count, program.lines, program.instructions, result.function_count, result.summarised_count,
		result.access_count, result.thread_count, result.considered_pairs, result.pair_count, result.assumption_count,
		result.race_free ? " race-free" : "");
	for (size_t i = 0; i < EXCLUSION_COUNT; i++)
		printf("excluded %zu %" PRIu64 "\n", i, result.excluded[i]);
	for (int kind = 0; kind < ASSUMPTION_KIND_COUNT; kind++)
		print_assumed(&result, (enum assumption_kind)kind);
	load_free(&program);
	models_free(models);
	arena_free(&arena);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "load"))
		return print_program(argv + 2);
	if (argc > 2 && !strcmp(argv[1], "analyse"))
		return print_analysis(argv + 2);
	if (argc > 2 && !strcmp(argv[1], "bitcode"))
		return print_bitcode(argv + 2);
	if (argc == 2)
		return print_unit(argv[1]);
	fprintf(stderr, "usage: print FILE.ir | print load ...\n");
	return 2;
}
