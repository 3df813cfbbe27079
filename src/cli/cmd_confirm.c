/*
 * cmd_confirm - phase 2 for chosen or all candidates, whoever found them.
 *
 * What to confirm: ids (or unique beginnings of ids), file:line,file:line, or nothing: all.
 * The words before the program are told from it by what they are: an id is in the store, a
 * pair has a comma and two colons.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/tty.h"
#include "base/vec.h"
#include "cli/campaigning.h"
#include "cli/internal.h"
#include "cli/judge_all.h"
#include "cli/session.h"
#include "race/fingerprint.h"
#include "report/report.h"

/* ---- file:line,file:line --------------------------------------------------------------- */

struct line_word {
	char file[512];
	int line;
};

static bool parse_line(const char *word, size_t length, struct line_word *out)
{
	const char *colon = memrchr(word, ':', length);
	char *end;

	if (!colon || colon == word || (size_t)(colon - word) >= sizeof(out->file))
		return false;
	memcpy(out->file, word, (size_t)(colon - word));
	out->file[colon - word] = 0;
	out->line = (int)strtol(colon + 1, &end, 10);
	return out->line > 0 && end == word + length;
}

static bool parse_pair(const char *word, struct line_word out[2])
{
	const char *comma = strchr(word, ',');

	return comma && parse_line(word, (size_t)(comma - word), &out[0]) &&
	       parse_line(comma + 1, strlen(comma + 1), &out[1]);
}

static bool is_pair(const char *word)
{
	struct line_word lines[2];

	return parse_pair(word, lines);
}

/* Sites of one line and one kind are one side. */
static void side_of(struct arena *arena, const struct line_word *where, const struct sym_site *sites, size_t count,
		    bool write, struct access *access)
{
	struct place *places = ARENA_ARRAY(arena, struct place, count + 1);
	unsigned atomic = ACCESS_ATOMIC; /* if all of them are */

	*access = (struct access){ .file = arena_strdup(arena, where->file), .line = where->line, .places = places };
	for (size_t i = 0; i < count; i++) {
		if (access_is_write(sites[i].flags) != write)
			continue;
		places[access->place_count++] = sites[i].place;
		atomic &= sites[i].flags;
		access->flags = (sites[i].flags & ~(unsigned)ACCESS_ATOMIC) | atomic;
		access->size = sites[i].size;
		access->function = sites[i].function ? sites[i].function : "??";
		access->column = sites[i].column;
		access->ordinal = sites[i].ordinal;
	}
}

static size_t sides_of(struct session *session, const struct line_word *where, struct access sides[2])
{
	struct arena *arena = &session->arena;
	struct sym_site *sites;
	size_t count = confirm_sites_at(&session->confirm, arena, session->program.path, where->file, where->line, &sites);
	size_t found = 0;

	for (int write = 0; write < 2; write++) {
		side_of(arena, where, sites, count, write, &sides[found]);
		found += sides[found].place_count > 0;
	}
	return found;
}

static int add_user_pair(struct session *session, const struct access *a, const struct access *b,
			 struct judge_list *list)
{
	struct candidate candidate = { .rung = RUNG_CLAIMED, .found_by = FINDER_USER, .access = { *a, *b } };
	bool is_new;

	candidate_identify(&candidate);
	if (store_put_candidate(session->store, session->run, &candidate, &is_new))
		return -1;
	judge_add(list, candidate.id);
	return 0;
}

/* Every combination of kinds in which one side writes is a candidate of its own. */
static int add_pair(struct session *session, const char *word, struct judge_list *list)
{
	struct line_word where[2];
	struct access sides[2][2];
	size_t count[2], added = 0;

	parse_pair(word, where);
	for (int i = 0; i < 2; i++) {
		count[i] = sides_of(session, &where[i], sides[i]);
		if (!count[i])
			return error_usage("%s: no %saccess at %s:%d in %s", word,
					   session->confirm.plain ? "" : "instrumented ", where[i].file,
					   where[i].line, session->program.path);
	}
	for (size_t a = 0; a < count[0]; a++)
		for (size_t b = 0; b < count[1]; b++) {
			if (!access_is_write(sides[0][a].flags | sides[1][b].flags))
				continue;
			if (add_user_pair(session, &sides[0][a], &sides[1][b], list))
				return -1;
			added++;
		}
	if (!added)
		return error_usage("%s: both lines only read: two reads never race", word);
	return 0;
}

/* ---- which words are whose ----------------------------------------------------------------- */

/* An id is hex and, unless there is such a file, taken as one: a typing error should be told. */
static bool is_id(const char *word)
{
	size_t length = strlen(word);

	return length < CANDIDATE_ID_SIZE && strspn(word, "0123456789abcdefABCDEF") == length;
}

static int count_words(int argc, char **argv)
{
	int n = 0;

	while (n < argc && (is_pair(argv[n]) || is_id(argv[n])))
		n++;
	return n;
}

static int add_id(struct session *session, const char *word, struct judge_list *list)
{
	char id[CANDIDATE_ID_SIZE];
	int found = store_resolve(session->store, word, id);

	if (found < 0)
		return -1;
	if (!found)
		return error_usage("%s is no finding in %s (deadheat list shows them)", word, cli_store_shown());
	judge_add(list, id);
	return 0;
}

static int add_words(struct session *session, int count, char **words, struct judge_list *list)
{
	for (int i = 0; i < count; i++)
		if (is_pair(words[i]) ? add_pair(session, words[i], list) : add_id(session, words[i], list))
			return -1;
	return 0;
}

/* --policy pct and --fill pct say the same: trials are directed at the pair in any case. */
static void settle_policy(void)
{
	if (strcmp(trial_options.policy, "pair"))
		trial_options.fill = trial_options.policy;
	trial_options.policy = "pair";
}

/* ---- --format ------------------------------------------------------------------------------ */

/* What was asked for by name; none: everything. */
static struct judge_list asked;

static void note_asked(const struct judge_list *list)
{
	for (size_t i = 0; !list->all && i < list->ids.count; i++)
		judge_add(&asked, list->ids.items[i].id);
}

static int print_asked(void)
{
	struct arena arena = ARENA_INIT;
	const char **ids = ARENA_ARRAY(&arena, const char *, asked.ids.count + 1);
	int result;

	for (size_t i = 0; i < asked.ids.count; i++)
		ids[i] = asked.ids.items[i].id;
	result = cli_print_format(asked.ids.count ? ids : NULL, asked.ids.count);
	arena_free(&arena);
	judge_free(&asked);
	return result;
}

/* ---- alone or together ---------------------------------------------------------------------- */

static struct campaigning campaigning;
static uint64_t top;

/* A store others reach too is worked at through leases; all trials whatever comes, and a look at them, are for one. */
static bool is_shared(void)
{
	return store_is_shared(cli_store) && !trial_options.exhaust && !trial_options.show_output;
}

static int nothing_to_confirm(void)
{
	cli_say("nothing to confirm in %s; deadheat detect PROG looks for candidates", cli_store_shown());
	return EXIT_CLEAN;
}

static int confirm_together(struct session *session, struct judge_list *list)
{
	struct campaigning together = { .order.name = campaigning_name(session, list) };
	int exists = together.order.name ? campaigning_exists(together.order.name) : -1;

	if (exists >= 0 && !list->ids.count)
		return nothing_to_confirm();
	if (exists < 0 || (!exists && campaigning_begin(&together, session, list)))
		return cli_fail();
	return campaigning_run(&together, exists);
}

static int confirm_alone(struct session *session, struct judge_list *list)
{
	struct judge_count done = { 0 };

	if (judge_all(session, list, cli_lines(), &done))
		return cli_fail();
	if (!done.judged)
		return nothing_to_confirm();
	return done.confirmed ? EXIT_FOUND : EXIT_CLEAN;
}

static int confirm(struct session *session, int count, char **words)
{
	struct judge_list list = { .all = !count, .top = top };
	int status;

	if (session_confirm(session) || add_words(session, count, words, &list))
		status = cli_fail();
	else {
		note_asked(&list);
		status = is_shared() ? confirm_together(session, &list) : confirm_alone(session, &list);
	}
	judge_free(&list);
	return status;
}

/* ---- a campaign by name ---------------------------------------------------------------------- */

static int create_campaign(int count, char **words, char **argv)
{
	struct session session;
	struct judge_list list = { .all = !count, .top = top };
	int result = session_open(&session, "campaign", argv, 0);

	if (!result)
		result = session_confirm(&session) || add_words(&session, count, words, &list) ||
			 campaigning_begin(&campaigning, &session, &list) ? -1 : 0;
	judge_free(&list);
	session_close(&session, result ? "failed" : "exit 0");
	return result;
}

static int run_campaign(int count, char **words, char **argv)
{
	int exists = campaigning_exists(campaigning.order.name);

	if (exists < 0 || (!exists && create_campaign(count, words, argv)))
		return cli_fail();
	return campaigning_run(&campaigning, exists);
}

/* ---- which program ------------------------------------------------------------------------------- */


static int confirm_in(int64_t program, int count, char **words, char **argv)
{
	struct session session;
	int status;

	if (session_open(&session, "confirm", argv, program))
		status = cli_fail();
	else
		status = confirm(&session, count, words);
	session_close(&session, status == EXIT_OWN_FAILURE ? "failed" : "exit 0");
	return status;
}

/* The program a named finding was seen in; 0: the newest. */
static int program_of(struct store *store, const char *word, int64_t *program)
{
	char id[CANDIDATE_ID_SIZE];
	int found = store_resolve(store, word, id);

	*program = 0;
	return found < 0 || (found && store_program_of(store, id, program) < 0) ? -1 : 0;
}

/* No program named: each finding with the program it was seen in. */
static int confirm_remembered(int count, char **words)
{
	struct arena arena = ARENA_INIT;
	struct store *store = store_open(cli_store, false);
	int64_t one = 0, *programs = &one;
	size_t program_count = 1;
	int result = store ? 0 : -1, status = EXIT_CLEAN;

	if (!result && count && !is_pair(words[0]))
		result = program_of(store, words[0], &one);
	else if (!result && !count)
		result = store_programs(store, &arena, &programs, &program_count);
	store_close(store);
	if (result)
		status = cli_fail();
	for (size_t i = 0; !result && i < program_count && (status == EXIT_CLEAN || status == EXIT_FOUND); i++) {
		int next = confirm_in(programs[i], count, words, NULL);

		status = next == EXIT_CLEAN ? status : next;
	}
	if (!result && !program_count)
		status = nothing_to_confirm();
	arena_free(&arena);
	return status;
}

/* A word that is nothing at all is more likely a mistyped id than a program. */
static bool is_nothing(char **argv)
{
	struct arena arena = ARENA_INIT;
	struct program program;
	bool nothing = !strchr(*argv, '/') && access(*argv, F_OK) && program_from_argv(&program, &arena, argv);

	arena_free(&arena);
	return nothing;
}

static int check_campaign(void)
{
	if (!campaigning.order.name && (campaigning.order.trials || campaigning.order.ms || campaigning.detach))
		return error_usage("confirm: --budget, --time and --detach are for a campaign: name it with --campaign");
	return 0;
}

static int confirm_words(int argc, char **argv)
{
	int words = count_words(argc, argv);

	if (campaigning.order.name)
		return run_campaign(words, argv, argv + words);
	if (words == argc)
		return confirm_remembered(words, argv);
	if (is_nothing(argv + words)) {
		error_usage("'%s' is neither the id of a finding (deadheat list shows them), a pair FILE:LINE,FILE:LINE nor a program",
			    argv[words]);
		return cli_fail();
	}
	return confirm_in(0, words, argv, argv + words);
}

static int run(const struct command *command, int argc, char **argv)
{
	int status;

	settle_policy();
	if (check_campaign())
		return cli_fail();
	status = confirm_words(argc, argv);
	if ((status == EXIT_CLEAN || status == EXIT_FOUND) && print_asked())
		return cli_fail();
	return status;
}

static struct option options[] = {
	{ "campaign", 'c', OPTION_STRING, &campaigning.order.name, "NAME", "begin, or go on with, a campaign that workers can share", NULL, 0, 0 },
	{ "budget", 0, OPTION_NUMBER, &campaigning.order.trials, "N", "campaign: trials for all candidates together (default: --trials for each)", NULL, 1, 1000000000000 },
	{ "time", 0, OPTION_DURATION, &campaigning.order.ms, "TIME", "campaign: time of all workers together, 10m, 8h", NULL, 0, 0 },
	{ "detach", 0, OPTION_FLAG, &campaigning.detach, NULL, "campaign: leave it to workers (deadheat work)", NULL, 0, 0 },
	{ "top", 0, OPTION_NUMBER, &top, "N", "without ids: only the N likeliest (what was seen in a run, then claims by rank)", NULL, 1, 1000000000 },
	OPTION_TRIALS("trials for each candidate (default 100)"), OPTION_SEED, OPTION_JOBS,
	OPTION_POLICY("pair|random|pct|pos|surw", "who makes the choices the pair leaves free (default random)"),
	OPTION_DEPTH, OPTION_EXHAUST("make all trials, also when both orders have been seen"),
	OPTION_TIMEOUT, OPTION_STEPS, OPTION_COMPARE, OPTION_SPURIOUS, OPTION_NO_PIN, OPTION_NO_SHRINK,
	OPTION_SHOW_OUTPUT, OPTION_STDIN, OPTION_FORMAT, OPTION_SUPPRESSIONS, OPTION_STORE, OPTION_QUIET, OPTION_END,
};

const struct command command_confirm = {
	.name = "confirm",
	.arguments = "[ID | FILE:LINE,FILE:LINE]... [-- PROG [ARG...]]",
	.summary = "make the two threads of a candidate meet, and see what comes of it",
	.text = "Each trial is one run of the program with one thread at a time, directed at the pair: a\n"
		"thread that comes to its access waits there until another stands before the conflicting one.\n"
		"That confirms the race; a coin decides who goes first, and how the run ends is tallied per\n"
		"order. Without ids all candidates of the store are tried, those seen in a run first, then\n"
		"claims of a scan in the order of their rank; without PROG the program each was seen in is run.\n"
		"A search ends when both orders were seen and one did harm, or after 50 trials more; a pair\n"
		"that never meets gets all its trials.\n"
		"With --campaign the trials are shared: other processes, also on other machines, take part with\n"
		"`deadheat work`, and the same command goes on after Ctrl-C, a crash or a reboot. Its budget goes\n"
		"to candidates never met first, then to those met one way round, then to those without harm.\n"
		"With a store on a server every confirm is such a campaign, unless --exhaust or --show-output.\n"
		"Exit status 66 if something was confirmed.",
	.options = options,
	.run = run,
};
