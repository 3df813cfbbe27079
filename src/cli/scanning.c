/* scanning - see scanning.h. */
#include "cli/scanning.h"

#include <string.h>

#include "base/tty.h"
#include "cli/internal.h"

bool scanning_is_input(const char *word)
{
	static const char *const suffixes[] = { ".c", ".cc", ".cpp", ".cxx", ".C", ".c++", ".bc", ".ll", ".i", ".ii" };
	const char *dot = strrchr(word, '.');

	for (size_t i = 0; *word != '-' && dot && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (!strcmp(dot, suffixes[i]))
			return true;
	return false;
}

/* Words that take the next one with them. */
static bool takes_next(const char *word)
{
	static const char *const words[] = { "-I", "-D", "-U", "-L", "-l", "-include", "-isystem", "-iquote", "-idirafter", "-x", "-o", "-target" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

/* -lm, -Wl,..., -L..., -o: nothing is linked. */
static bool is_for_linker(const char *word)
{
	return !strncmp(word, "-l", 2) || !strncmp(word, "-L", 2) || !strncmp(word, "-Wl,", 4) || !strcmp(word, "-o") || !strcmp(word, "-pthread");
}

static void take_option(struct load_options *load, size_t *args, char **argv, int argc, int *at)
{
	bool wanted = !is_for_linker(argv[*at]), two = takes_next(argv[*at]) && *at + 1 < argc;

	if (wanted)
		load->compiler_args[(*args)++] = argv[*at];
	*at += two;
	if (wanted && two)
		load->compiler_args[(*args)++] = argv[*at];
}

void scanning_split(struct arena *arena, int argc, char **argv, struct load_options *load)
{
	size_t files = 0, args = 0;
	bool after = false;

	load->files = ARENA_ARRAY(arena, char *, (size_t)argc + 1);
	load->compiler_args = ARENA_ARRAY(arena, char *, (size_t)argc + 1);
	for (int i = 0; i < argc; i++) {
		if (!after && !strcmp(argv[i], "--"))
			after = true;
		else if (!after && *argv[i] != '-')
			load->files[files++] = argv[i];
		else
			take_option(load, &args, argv, argc, &i);
	}
}

static void show_progress(const char *phase, size_t done, size_t all, const char *what)
{
	if (all)
		progress_show("scan: %s %zu of %zu%s%s", phase, done, all, what ? ": " : "", what ? what : "");
	else
		progress_show("scan: %s", phase);
}

static void say_skipped(const char *file, const char *why)
{
	progress_clear();
	cli_say("%s left out: %s", file, why);
}

void scanning_defaults(struct arena *arena, struct scan_options *options)
{
	options->progress = show_progress;
	options->skipped = say_skipped;
	if (!options->load.cache)
		options->load.cache = arena_printf(arena, "%s/cache", strstr(cli_store, "://") ? STORE_DEFAULT : cli_store);
}

void scanning_say(const struct scan *scan)
{
	const struct load_result *l = &scan->loaded;
	const struct scan_result *r = &scan->result;

	progress_clear();
	cli_say("scan: %zu file%s (%zu from the cache), %llu lines, %zu functions, %zu thread entries; %zu pairs considered",
		l->unit_count, l->unit_count == 1 ? "" : "s", l->cached_count, (unsigned long long)l->lines, r->function_count,
		r->thread_count, r->considered_pairs);
}

void scanning_assumptions(const struct scan *scan, struct report *report)
{
	const struct scan_result *r = &scan->result;

	report->assumptions = ARENA_ARRAY(report->arena, struct report_assumption, r->assumption_count + 1);
	report->assumption_count = r->assumption_count;
	for (size_t i = 0; i < r->assumption_count; i++) {
		const struct scan_assumption *a = &r->assumptions[i];

		report->assumptions[i] = (struct report_assumption){
			.kind = scan_assumption_name(a->kind), .text = a->text, .file = a->file, .line = a->line,
			.count = a->count, .sound = a->sound,
		};
	}
}

/* ---- a report without a store --------------------------------------------------------------- */

struct gather {
	struct arena *arena;
	struct store_findings *findings;
};

static int gather_candidate(void *context, const struct candidate *candidate)
{
	struct gather *gather = context;

	gather->findings->candidates[gather->findings->candidate_count++] = *candidate;
	return 0;
}

static void gather_counter(void *context, const char *name, uint64_t value)
{
	struct gather *gather = context;
	struct store_findings *f = gather->findings;

	f->counters[f->counter_count].name = arena_strdup(gather->arena, name);
	f->counters[f->counter_count++].value = value;
}

int scanning_report(const struct scan *scan, struct arena *arena, struct report *report)
{
	struct gather gather = { .arena = arena, .findings = &report->findings };
	struct find_sink sink = { .candidate = gather_candidate, .counter = gather_counter, .context = &gather };

	*report = (struct report){ .store = cli_store_shown(), .command = cli_command, .arena = arena };
	report->verdict = scan->result.race_free && !scan->result.pair_count ? VERDICT_RACE_FREE : VERDICT_UNDECIDED;
	report->findings.candidates = ARENA_ARRAY(arena, struct candidate, scan->claim_count + 1);
	report->findings.counters = arena_alloc(arena, 64 * sizeof(*report->findings.counters));
	scanning_assumptions(scan, report);
	return scan_put(scan, &sink);
}
