/*
 * cli - argv in, exit code out. One cmd_NAME.c per command, one table of options each;
 * -h, man pages and completion are printed from the tables.
 *
 * How to add a command: write cmd_NAME.c with a `const struct command command_NAME`, add
 * it to the list in commands.def. Its options are rows: no code parses argv elsewhere.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exit_status {
	EXIT_CLEAN = 0,      /* nothing at or above --fail-on */
	EXIT_OWN_FAILURE = 1,
	EXIT_USAGE = 2,
	EXIT_CANNOT = 3,     /* cannot work here; the line says why */
	EXIT_FOUND = 66,
};

enum option_type {
	OPTION_FLAG,     /* bool */
	OPTION_STRING,   /* const char * */
	OPTION_NUMBER,   /* uint64_t, decimal or 0x; min..max checked */
	OPTION_DURATION, /* uint64_t milliseconds: 500ms, 10s, 2m, 1h; plain = seconds */
	OPTION_CHOICE,   /* const char *, one of the words in `choices` ("a|b|c") */
	OPTION_RUNG,     /* int: enum rung by name; "never" is RUNG_COUNT */
	OPTION_LIST,     /* struct option_list: may be said again and again */
};

#define OPTION_LIST_MAX 64
struct option_list {
	const char *items[OPTION_LIST_MAX + 1]; /* NULL terminated */
	size_t count;
};

struct option {
	const char *name;     /* "trials": --trials */
	char letter;          /* 't': -t; 0 none */
	enum option_type type;
	void *value;          /* where it goes; holds the default beforehand */
	const char *argument; /* "N" in help */
	const char *help;     /* one line, starts lower case, no full stop */
	const char *choices;
	uint64_t min, max;    /* OPTION_NUMBER; max 0 = no bound */
};

struct command {
	const char *name;
	const char *arguments; /* "[--] PROG [ARG...]" */
	const char *summary;   /* one line for the list of commands */
	const char *text;      /* paragraphs for -h and the man page */
	struct option *options; /* ends with a NULL name; NULL: argv is not ours to read (cc) */
	bool stops_at_program; /* the first non-option ends the options: the rest is PROG's */
	bool keeps_dashes;     /* the word -- stays in argv: what follows it is another thing than what precedes it */
	/* Options are parsed already: argv = what is left, NULL terminated. Returns the exit status. */
	int (*run)(const struct command *command, int argc, char **argv);
};

/*
 * Fill in the options. Left-over arguments move to the front of argv; *argc counts them.
 * 0; -1 usage error with a message that names the option (nearest match offered); 1 help
 * was printed.
 */
int options_parse(const struct command *command, int *argc, char **argv);
void command_help(const struct command *command);
const struct command *command_find(const char *name);
const struct command *const *command_all(size_t *count);

/* Print "deadheat: <error_message()>" and give the exit status that goes with it. */
int cli_fail(void);
/* A line on stderr unless --quiet. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Options every command has; rows for the tables. */
extern const char *cli_store;   /* --store */
const char *cli_store_shown(void); /* the same for people: without a password */
extern bool cli_quiet;          /* --quiet */
extern const char *cli_command; /* how we were called, for lines to copy: a path, or "deadheat" */
extern const char *cli_format;   /* --format of those that print a line a finding; NULL: that */
extern const char *cli_suppressions; /* --suppressions: one more file, NULL none */
extern const char *cli_baseline; /* --baseline: NULL the store's own if there is one, "" none */
#define OPTION_FORMAT { "format", 'f', OPTION_CHOICE, &cli_format, "NAME", "findings in full, in this format (default: a line each)", "text|json|sarif|junit|tsan|github|html", 0, 0 }
#define OPTION_SUPPRESSIONS { "suppressions", 0, OPTION_STRING, &cli_suppressions, "FILE", "more suppressions; TSan's files are understood", NULL, 0, 0 }
#define OPTION_BASELINE { "baseline", 0, OPTION_STRING, &cli_baseline, "FILE", "what was known before (default .deadheat/baseline)", NULL, 0, 0 }
#define OPTION_STORE { "store", 0, OPTION_STRING, &cli_store, "PATH|URL", "where findings are kept (default .deadheat)", NULL, 0, 0 }
#define OPTION_QUIET { "quiet", 'q', OPTION_FLAG, &cli_quiet, NULL, "no progress and no remarks on stderr", NULL, 0, 0 }
#define OPTION_END { NULL, 0, OPTION_FLAG, NULL, NULL, NULL, NULL, 0, 0 }

#endif
