/*
 * cmd_hunt - the whole line in one command: detect, confirm every candidate, fuzz, report.
 *
 * Given source files it compiles them first, with deadheat-cc, into the store's folder, and scans
 * them too: what scan claims is tried as well, and the overall verdict may be a proof.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/spawn.h"
#include "base/vec.h"
#include "cli/internal.h"
#include "cli/hunt_plain.h"
#include "cli/hunt_scan.h"
#include "cli/judge_all.h"
#include "cli/session.h"
#include "find/detect/detect.h"
#include "report/report.h"

static const char *format = "text", *rule = "hybrid", *schedule = "native";
static int fail_on = RUNG_CONFIRMED;
#define SCHEDULES 50
#define DETECT_MS (10 * 60 * 1000) /* a run of the program as it is; one that hangs must not hang us */
#define EXPLORE_RUNS 6
#define EXPLORE_MS 2000 /* of work per run, and of the program's own */
#define SLOWER 5        /* at most so many times that on the clock: the machine is busy, or the program waits */
#define ONLY_IF_HARMLESS UINT64_MAX
static uint64_t runs = 5, schedules = ONLY_IF_HARMLESS;

/* ---- FILE.c... ---------------------------------------------------------------------------- */

static const char *suffix_of(const char *word)
{
	const char *dot = strrchr(word, '.');

	return dot && !strchr(dot, '/') ? dot : "";
}

static bool is_cxx(const char *word)
{
	static const char *const suffixes[] = { ".cc", ".cpp", ".cxx", ".C", ".c++" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (!strcmp(suffix_of(word), suffixes[i]))
			return true;
	return false;
}

static bool is_source(const char *word)
{
	return !strcmp(suffix_of(word), ".c") || is_cxx(word);
}

/* A store on a server has no folder for programs. */
static const char *local_folder(void)
{
	return strstr(cli_store, "://") ? STORE_DEFAULT : cli_store;
}

static const char *program_name(struct arena *arena, const char *source)
{
	const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;

	return arena_printf(arena, "%s/bin/%.*s", local_folder(), (int)(suffix_of(name) - name), name);
}

static int make_folders(struct arena *arena)
{
	const char *bin = arena_printf(arena, "%s/bin", local_folder());

	if ((mkdir(local_folder(), 0777) && errno != EEXIST) || (mkdir(bin, 0777) && errno != EEXIST))
		return error_cannot("cannot make the folder %s: %s", bin, strerror(errno));
	return 0;
}

static int compile(struct arena *arena, char **words, int count, const char *program)
{
	char **argv = ARENA_ARRAY(arena, char *, (size_t)count + 8);
	struct spawn spawn = SPAWN_INIT;
	bool cxx = false;
	int n = 0, status;

	for (int i = 0; i < count; i++)
		cxx |= is_cxx(words[i]);
	argv[n++] = cxx ? "deadheat-c++" : "deadheat-cc";
	argv[n++] = "-g";
	argv[n++] = "-pthread";
	argv[n++] = "-o";
	argv[n++] = arena_strdup(arena, program);
	for (int i = 0; i < count; i++)
		argv[n++] = words[i];
	spawn.path = "/proc/self/exe";
	spawn.argv = argv;
	cli_say("compiling %s", program);
	if (spawn_run(&spawn, &status))
		return -1;
	return status ? error_usage("%s could not be compiled", words[0]) : 0;
}

/* Replace FILE.c... [-- ARG...] by the program and its arguments. */
static int build_if_source(struct arena *arena, int argc, char **argv, char ***out)
{
	int count = 0;

	*out = argv;
	if (!is_source(argv[0]))
		return 0;
	while (count < argc && strcmp(argv[count], "--"))
		count++;
	*out = ARENA_ARRAY(arena, char *, (size_t)(argc - count) + 2);
	(*out)[0] = arena_strdup(arena, program_name(arena, argv[0]));
	for (int i = count + 1; i < argc; i++)
		(*out)[i - count] = argv[i];
	if (make_folders(arena))
		return -1;
	return compile(arena, argv, count, (*out)[0]);
}

/* ---- phase 1 -------------------------------------------------------------------------------- */

struct catch {
	struct session *session;
	struct judge_list found;
	unsigned pairs, cycles;
};

static int catch_candidate(void *context, const struct candidate *candidate)
{
	struct catch *catch = context;
	bool is_new;

	judge_add(&catch->found, candidate->id);
	catch->pairs++;
	return store_put_candidate(catch->session->store, catch->session->run, candidate, &is_new);
}

static int catch_deadlock(void *context, const struct deadlock *deadlock)
{
	struct catch *catch = context;
	bool is_new;

	judge_add(&catch->found, deadlock->id);
	catch->cycles++;
	return store_put_deadlock(catch->session->store, catch->session->run, deadlock, &is_new);
}

static void catch_counter(void *context, const char *name, uint64_t value)
{
	struct catch *catch = context;

	store_put_counter(catch->session->store, catch->session->run, name, value);
}

static void catch_note(void *context, const char *line)
{
	cli_say("%s", line);
}

static void catch_nothing(void *context, const char *line)
{
}

static int detect(struct catch *catch)
{
	struct session *session = catch->session;
	struct detect_options options = detect_defaults;
	struct find_sink sink = { catch_candidate, catch_deadlock, catch_counter, catch_note, catch };
	struct detect_result result = { 0 };

	options.runs = (unsigned)runs;
	options.rule = rule;
	options.schedule = schedule;
	options.seed = trial_options.seed;
	options.timeout_ms = trial_options.wall_ms ? trial_options.wall_ms : DETECT_MS;
	cli_say("detect: %s", session->program.path);
	if (detect_run(&session->program, &options, session->sym, &sink, &session->arena, &result))
		return -1;
	cli_say("detect: %zu suspected in %u run%s, it ended with %s", catch->found.ids.count, result.runs,
		result.runs == 1 ? "" : "s", result.ended ? result.ended : "nothing");
	return 0;
}

/* One that really happened there may lack the place of a lock; it cannot be aimed at. */
static int catch_explored_deadlock(void *context, const struct deadlock *deadlock)
{
	for (size_t i = 0; i < deadlock->edge_count; i++)
		if (!deadlock->edges[i].held_at.module || !deadlock->edges[i].wait_at.module ||
		    !*deadlock->edges[i].held_at.module || !*deadlock->edges[i].wait_at.module)
			return 0;
	return catch_deadlock(context, deadlock);
}

/* What detect's runs cost. The work says whether a program is short, the clock only how busy the machine is. */
struct cost {
	uint64_t work_ms, clock_ms;
};

static struct cost cost_so_far(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (struct cost){ (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
			      (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000, monotonic_ms() };
}

static bool ends_soon(const struct cost *cost)
{
	return cost->work_ms <= EXPLORE_MS && cost->clock_ms <= SLOWER * EXPLORE_MS;
}

static uint64_t explore_limit(const struct cost *cost)
{
	uint64_t slower = cost->clock_ms / (cost->work_ms > 50 ? cost->work_ms : 50);

	return EXPLORE_MS * (slower < 1 ? 1 : slower < SLOWER ? slower : SLOWER);
}

/*
 * What the machine's own schedule never led to: a few short runs under random ones. Only for
 * programs that end soon; their output was seen already.
 */
static int explore(struct catch *catch, const struct cost *native)
{
	struct session *session = catch->session;
	struct detect_options options = detect_defaults;
	struct find_sink sink = { catch_candidate, catch_explored_deadlock, catch_counter, catch_nothing, catch };
	struct detect_result result = { 0 };
	size_t before = catch->found.ids.count;

	if (!ends_soon(native) || !strcmp(schedule, "random"))
		return 0;
	options.runs = EXPLORE_RUNS;
	options.rule = rule;
	options.schedule = "random";
	options.seed = trial_options.seed;
	options.timeout_ms = explore_limit(native);
	options.all_runs = options.mute = true;
	options.cut_runs = 2; /* it spins where no schedule reaches it: the others would too */
	if (detect_run(&session->program, &options, session->sym, &sink, &session->arena, &result))
		return -1;
	if (catch->found.ids.count > before)
		cli_say("detect: %zu more in %u runs under random schedules", catch->found.ids.count - before, result.runs);
	return 0;
}

/* Not instrumented: looked at from outside. */
static int look(struct catch *catch)
{
	struct find_sink sink = { catch_candidate, catch_explored_deadlock, catch_counter, catch_note, catch };

	if (hunt_plain(catch->session, &sink, trial_options.wall_ms ? trial_options.wall_ms : DETECT_MS))
		return -1;
	cli_say("%zu found in all", catch->found.ids.count);
	return 0;
}

/* ---- the line ---------------------------------------------------------------------------------- */

static int print_report(struct session *session, const struct hunt_claims *claims)
{
	struct report report;
	report_printer *print = strcmp(format, "none") ? report_format(format) : NULL;

	if (report_build(&report, &session->arena, session->store, session->sym) || cli_use_baseline(&report))
		return cli_fail();
	report.command = cli_command;
	hunt_settle_verdict(claims, &report);
	cli_say_expired(session->store);
	if (print && print(&report, stdout))
		return cli_fail();
	return report_reaches(&report, (enum rung)fail_on) ? EXIT_FOUND : EXIT_CLEAN;
}

/*
 * Order, atomicity and deadlock bugs need no racing pair: a few schedules without one. Not
 * after harm was shown, unless asked for: it would only be shown once more, less clearly.
 */
static unsigned schedules_wanted(const struct judge_count *count)
{
	if (schedules == ONLY_IF_HARMLESS)
		return count->harmful ? 0 : SCHEDULES;
	return (unsigned)schedules;
}

static int fuzz(struct session *session, unsigned trials)
{
	struct confirm_options *options = &session->confirm.options, aimed = *options;
	struct confirm_result found;
	int result;

	options->policy = "mix";
	options->trials = trials;
	result = confirm_fuzz(&session->confirm, &found);
	*options = aimed;
	if (!result)
		cli_say("fuzz: %u of %u schedules without a pair failed", found.hits, found.trials);
	return result;
}

static int hunt(struct session *session, struct hunt_claims *claims)
{
	struct catch catch = { .session = session, .found = { .found = true } };
	struct judge_count count = { 0 };
	struct cost before, native;
	int result = session_confirm(session) || hunt_put_claims(claims, session) ? -1 : 0;

	before = cost_so_far();
	if (!result)
		result = session->is_plain ? look(&catch) : detect(&catch);
	native = cost_so_far();
	native.work_ms -= before.work_ms;
	native.clock_ms -= before.clock_ms;
	if (!result && !session->is_plain)
		result = explore(&catch, &native);
	if (!result && catch.found.ids.count) {
		cli_say("confirm: at most %llu trials each", (unsigned long long)trial_options.trials);
		result = judge_all(session, &catch.found, cli_quiet ? NULL : stderr, &count);
	}
	if (!result)
		result = hunt_judge_claims(claims, session, &catch.found, &count);
	if (!result && schedules_wanted(&count))
		result = fuzz(session, schedules_wanted(&count));
	judge_free(&catch.found);
	confirm_close(&session->confirm);
	return result ? cli_fail() : print_report(session, claims);
}

static int check_format(void)
{
	if (!strcmp(format, "none") || report_format(format))
		return 0;
	return error_usage("--format: '%s' is not one of %s none", format, report_format_names());
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arena arena = ARENA_INIT;
	struct session session = { 0 };
	struct hunt_claims claims = { 0 };
	char **program;
	int status;

	if (!argc || check_format()) {
		if (!argc)
			error_usage("hunt: which program? deadheat hunt [--] PROG [ARG...]");
		return cli_fail();
	}
	if (build_if_source(&arena, argc, argv, &program) || session_open(&session, "hunt", program, 0)) {
		status = cli_fail();
	} else {
		if (is_source(argv[0]))
			hunt_scan(&claims, &session, argc, argv);
		status = hunt(&session, &claims);
	}
	scan_free(&claims.scan);
	session_close(&session, status == EXIT_OWN_FAILURE ? "failed" : "exit 0");
	arena_free(&arena);
	return status;
}

static struct option options[] = {
	{ "format", 'f', OPTION_STRING, &format, "NAME", "how to print the report: text, json, none, ... (default text)", NULL, 0, 0 },
	{ "fail-on", 0, OPTION_RUNG, &fail_on, "RUNG", "exit status 66 from this rung on (default confirmed)",
	  "claimed|suspected|caught|confirmed|harmful|never", 0, 0 },
	{ "runs", 'n', OPTION_NUMBER, &runs, "N", "detect: runs at most, until one brings nothing new (default 5)", NULL, 1, 1000 },
	{ "rule", 0, OPTION_CHOICE, &rule, "RULE", "detect: which pairs are suspected (default hybrid)", "hybrid|hb", 0, 0 },
	{ "schedule", 0, OPTION_CHOICE, &schedule, "HOW", "detect: as the machine has it, or random by seed (default native)",
	  "native|random", 0, 0 },
	{ "schedules", 0, OPTION_NUMBER, &schedules, "N", "fuzz: schedules without a pair (default 50 if nothing harmful was shown, else 0)", NULL, 0, 1000000000 },
	OPTION_TRIALS("confirm: trials for each candidate (default 100)"), OPTION_SEED, OPTION_JOBS, OPTION_FILL,
	OPTION_DEPTH, OPTION_EXHAUST("make all trials, also when both orders have been seen"), OPTION_TIMEOUT,
	OPTION_STEPS, OPTION_COMPARE, OPTION_SPURIOUS, OPTION_NO_PIN, OPTION_NO_SHRINK, OPTION_SHOW_OUTPUT,
	OPTION_STDIN, OPTION_SUPPRESSIONS, OPTION_STORE, OPTION_QUIET, OPTION_END,
};

const struct command command_hunt = {
	.name = "hunt",
	.arguments = "[--] PROG [ARG...] | FILE.c... [-- ARG...]",
	.summary = "find the races of a program and show them: detect, confirm, report",
	.text = "Runs the program (built with deadheat-cc, or not) as it is and looks for pairs of accesses that\n"
		"may race and locks that may deadlock; then makes the threads of each meet, many times, tries some\n"
		"schedules without a pair (many bugs are no races), and prints what was confirmed, what it did,\n"
		"and how to see it again. `deadheat PROG` is short for it.\n"
		"Given source files, compiles them first (words before -- go to the compiler), scans them too, and\n"
		"gives the overall verdict: race-free if scan proved it and nothing was shown.\n"
		"Exit status 66 if something reached --fail-on.",
	.options = options,
	.stops_at_program = true,
	.run = run,
};
