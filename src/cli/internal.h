/*
 * internal - what main.c, help.c and the commands share beyond cli.h.
 */
#ifndef CLI_INTERNAL_H
#define CLI_INTERNAL_H

#include <stdio.h>

#include "cli/cli.h"
#include "find/detect/detect.h"
#include "report/report.h"
#include "store/store.h"

/* The list of commands, to stdout when asked for, to stderr when nothing was said. */
void help_overview(FILE *out);
/* The man page of one command, of deadheat itself (scdoc's language); the completions. */
void manual_command(const struct command *command);
void manual_overview(void);
void completion_print(void);
void completion_zsh(void);
/* Warn of DEADHEAT_* variables nobody reads: a typing error would otherwise be silent. */
void environment_warn(char **envp);

/* The program of `COMMAND [--] PROG [ARG...]`, found and fit for our runtimes. 0 / -1. */
int cli_program(struct program *program, struct arena *arena, int argc, char **argv);
/* Its line in the store; *id for later stages. */
int cli_put_program(struct store *store, const struct program *program, int64_t *id);

/*
 * detect with the store behind the sink. Without a store (it could not be opened) findings
 * are only kept in memory, in the arena, for printing.
 */
struct detecting {
	struct arena *arena;
	struct store *store;      /* NULL: none */
	struct sym *sym;
	int64_t program_id;
	/* results */
	int64_t run;
	size_t found, fresh;      /* ids of this run; of these, new in the store */
	bool store_failed;        /* a put failed on the way: the message was said */
	struct detect_result result;
	struct store_findings findings; /* what this run found */
};
/*
 * Any front end with the store behind the sink: work puts candidates into it, and sets
 * detecting->result.ended. stage names the run.
 */
typedef int finding_work(void *context, const struct find_sink *sink);
int finding_run(struct detecting *detecting, const char *stage, finding_work *work, void *context);
int detecting_run(struct detecting *detecting, const struct program *program, const struct detect_options *options);
/* What this run found, on stdout: one line each, or in full with --format or when no store keeps it. */
int detecting_print(const struct detecting *detecting);
/* Open (or make) the store and put the program there; a program without a path is not known yet. 0 / -1. */
int detecting_open_store(struct detecting *detecting, const struct program *program);
/* "1%", "0.5%", "2": parts in a million, 0.1% to 50%; 0 if it is nothing of the kind. */
unsigned cli_parse_share(const char *text);
/* "./prog: exit 0 after 2 runs; 2 pairs suspected ..." and what got lost, on stderr. */
void detecting_say(const struct detecting *detecting, const struct program *program);

/* A store opened for reading and a report on it. */
struct reading {
	struct arena arena;
	struct store *store;
	struct sym *sym;
	struct report report;
};
int reading_open(struct reading *reading);
/* Its parts, for hunt: the file of --suppressions; a word about those past their date; the baseline. */
int cli_use_suppressions(struct store *store);
void cli_say_expired(const struct store *store);
int cli_use_baseline(struct report *report);
/* STORE/baseline. */
const char *baseline_default(struct arena *arena);
void reading_close(struct reading *reading);
/* Where a command's own lines go: with --format to stderr, or (NULL) nowhere. */
FILE *cli_lines(void);
/* A report: a line each, or with --format in full. */
int cli_print_list(const struct report *report);
/* With --format: the findings of the store in full, these or (ids NULL) all; 0 / -1. */
int cli_print_format(const char *const *ids, size_t count);

#endif
