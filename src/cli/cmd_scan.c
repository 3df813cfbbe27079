/*
 * cmd_scan - the static front end: claims for whole programs without running them, and proofs
 * where there are any. What is claimed goes into the store for confirm.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/tty.h"
#include "cli/internal.h"
#include "cli/scanning.h"

static const char *build_dir, *explain, *summary, *cache, *format = "text";
static struct option_list without, models, entries;
static bool likely, kernel, no_cache;
static uint64_t jobs, top = 50;
static int fail_on = RUNG_CONFIRMED;

static int without_bits(uint32_t *bits)
{
	*bits = 0;
	for (size_t i = 0; i < without.count; i++) {
		int bit = scan_exclusion(without.items[i]);

		if (bit < 0)
			return -1;
		*bits |= 1u << bit;
	}
	return 0;
}

static int check(const struct load_options *load)
{
	if (build_dir && load->files[0])
		return error_usage("scan: either -p %s or files, not both", build_dir);
	if (!build_dir && !load->files[0])
		return error_usage("scan: what? deadheat scan FILE.c..., or -p FOLDER with a compile_commands.json in it");
	if (cache && no_cache)
		return error_usage("scan: either --cache or --no-cache");
	if (strcmp(format, "none") && !report_format(format))
		return error_usage("--format: '%s' is not one of %s none", format, report_format_names());
	for (char **file = load->files; *file; file++)
		if (!scanning_is_input(*file))
			return error_usage("scan: %s is neither a source file nor bitcode (.c .cc .cpp .cxx .i .bc .ll); for a build, "
					   "-p FOLDER", *file);
	return 0;
}

static int prepare(struct arena *arena, int argc, char **argv, struct scan_options *options)
{
	*options = (struct scan_options){
		.models = models.items, .model_count = models.count, .likely = likely,
		.load = { .build_dir = build_dir, .cache = cache, .jobs = (unsigned)jobs },
		.analyse = { .jobs = (unsigned)jobs, .kernel = kernel, .entries = entries.count ? entries.items : NULL },
	};
	scanning_split(arena, argc, argv, &options->load);
	if (check(&options->load) || without_bits(&options->analyse.without))
		return -1;
	scanning_defaults(arena, options);
	if (no_cache)
		options->load.cache = NULL;
	return 0;
}

/* ---- the store ------------------------------------------------------------------------------- */

struct keeping {
	struct store *store;
	int64_t run;
	size_t fresh;
};

static int keep_candidate(void *context, const struct candidate *candidate)
{
	struct keeping *keeping = context;
	bool is_new = false;
	int result = store_put_candidate(keeping->store, keeping->run, candidate, &is_new);

	keeping->fresh += is_new;
	return result;
}

static void keep_counter(void *context, const char *name, uint64_t value)
{
	struct keeping *keeping = context;

	store_put_counter(keeping->store, keeping->run, name, value);
}

static int keep(const struct scan *scan)
{
	struct keeping keeping = { .store = store_open(cli_store, true) };
	struct find_sink sink = { .candidate = keep_candidate, .counter = keep_counter, .context = &keeping };
	int result = -1;

	if (keeping.store && !store_begin_run(keeping.store, "scan", 0, &keeping.run)) {
		result = scan_put(scan, &sink);
		if (store_end_run(keeping.store, keeping.run, "exit 0"))
			result = -1;
	}
	store_close(keeping.store);
	if (!result && scan->claim_count)
		cli_say("%zu of %zu candidate%s new in %s", keeping.fresh, scan->claim_count, scan->claim_count == 1 ? "" : "s",
			cli_store_shown());
	return result;
}

/* ---- what is printed ---------------------------------------------------------------------------- */

static int print_formatted(const struct scan *scan, struct arena *arena)
{
	struct report report;

	if (scanning_report(scan, arena, &report))
		return -1;
	return report_format(format)(&report, stdout);
}

static int print(const struct scan *scan, struct arena *arena)
{
	if (!strcmp(format, "none"))
		return 0;
	if (strcmp(format, "text"))
		return print_formatted(scan, arena);
	scan_print(scan, stdout, top);
	return 0;
}

static int print_summary(struct arena *arena, const struct scan_options *options)
{
	struct models *known = models_load(options->models, options->model_count);
	struct load_result loaded = { 0 };
	struct strbuf text = STRBUF_INIT;
	int result = -1;

	if (known && !load_program(&loaded, arena, &options->load)) {
		result = analyse_summary(&text, &loaded.program, known, &options->analyse, summary);
		load_free(&loaded);
	}
	progress_clear();
	if (!result)
		fputs(text.buf, stdout);
	strbuf_release(&text);
	models_free(known);
	return result ? cli_fail() : EXIT_CLEAN;
}

static int finish(const struct scan *scan, struct arena *arena)
{
	int trouble = 0;

	scanning_say(scan);
	if (explain)
		return scan_explain(scan, stdout, explain) ? cli_fail() : EXIT_CLEAN;
	if (keep(scan))
		trouble = cli_fail();
	if (print(scan, arena))
		trouble = cli_fail();
	if (trouble)
		return trouble;
	return scan->claim_count && fail_on <= RUNG_CLAIMED ? EXIT_FOUND : EXIT_CLEAN;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arena arena = ARENA_INIT;
	struct scan_options options;
	struct scan scan = { 0 };
	int status;

	if (prepare(&arena, argc, argv, &options))
		status = cli_fail();
	else if (summary)
		status = print_summary(&arena, &options);
	else if (scan_run(&scan, &arena, &options))
		status = cli_fail();
	else
		status = finish(&scan, &arena);
	scan_free(&scan);
	arena_free(&arena);
	return status;
}

static struct option options[] = {
	{ "build", 'p', OPTION_STRING, &build_dir, "FOLDER", "what this build compiles: its compile_commands.json", NULL, 0, 0 },
	{ "without", 0, OPTION_LIST, &without, "NAME", "switch an exclusion off: locks, threads, fresh, ... (again for more)", NULL, 0, 0 },
	{ "likely", 0, OPTION_FLAG, &likely, NULL, "leave out what the paper's four filters call unlikely", NULL, 0, 0 },
	{ "top", 0, OPTION_NUMBER, &top, "N", "print the first N candidates, 0 all (default 50)", NULL, 0, 0 },
	{ "explain", 0, OPTION_STRING, &explain, "ID", "all that is believed of one candidate", NULL, 0, 0 },
	{ "summary", 0, OPTION_STRING, &summary, "FUNCTION", "what is believed of a function: locks taken and released, accesses", NULL, 0, 0 },
	{ "model", 0, OPTION_LIST, &models, "FILE", "more models of functions that are not scanned (again for more)", NULL, 0, 0 },
	{ "entry", 0, OPTION_LIST, &entries, "NAME", "this function is a thread too (again for more)", NULL, 0, 0 },
	{ "kernel", 0, OPTION_FLAG, &kernel, NULL, "no main: handlers and exported functions are threads", NULL, 0, 0 },
	{ "jobs", 'j', OPTION_NUMBER, &jobs, "J", "compilers and analyses side by side (default: one a core)", NULL, 1, 1024 },
	{ "cache", 0, OPTION_STRING, &cache, "FOLDER", "where compiled units are kept (default STORE/cache)", NULL, 0, 0 },
	{ "no-cache", 0, OPTION_FLAG, &no_cache, NULL, "keep nothing", NULL, 0, 0 },
	{ "format", 'f', OPTION_STRING, &format, "NAME", "how to print: text, json, ..., none (default text)", NULL, 0, 0 },
	{ "fail-on", 0, OPTION_RUNG, &fail_on, "RUNG", "exit status 66 from this rung on (default confirmed; scan only claims)",
	  "claimed|suspected|caught|confirmed|harmful|never", 0, 0 },
	OPTION_STORE, OPTION_QUIET, OPTION_END,
};

const struct command command_scan = {
	.name = "scan",
	.arguments = "FILE... [-- COMPILER-ARG...] | -p FOLDER",
	.summary = "claim pairs that may race without running the program, or prove that there are none",
	.text = "Reads C and C++ sources (by clang, with the arguments behind --), bitcode, or all that a build\n"
		"compiles, and summarises every function: locks taken and released, memory accessed under which\n"
		"locks. Two accesses of threads that may run in parallel, to what may be the same object, one a\n"
		"write, with no lock in common, are claimed unless a named exclusion shows that they cannot\n"
		"meet; --without NAME switches one off. Claims go into the store for `deadheat confirm`.\n"
		"The verdict is race-free only if no pair is left and no unsafe step was taken; every assumption\n"
		"is listed with its place. Functions that are not scanned are described by models (see\n"
		"docs/lock-models.md); --model adds a project's own.",
	.options = options,
	.keeps_dashes = true,
	.run = run,
};
