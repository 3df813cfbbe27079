/*
 * main - argv in, exit code out: which command is meant, then run it.
 *
 * Called as deadheat-cc or deadheat-c++ we are that compiler and nothing else: no option
 * of ours, no remark on stderr. A first word that is no command but a program (it has a
 * slash, or PATH knows it) is hunted.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "base/tty.h"
#include "cli/internal.h"

static int run_command(const struct command *command, int argc, char **argv)
{
	extern char **environ;

	if (!command->options) /* a compiler: every word is its own business */
		return command->run(command, argc, argv);
	switch (options_parse(command, &argc, argv)) {
	case 0:
		progress_quiet = cli_quiet;
		environment_warn(environ);
		return command->run(command, argc, argv);
	case 1:
		return EXIT_CLEAN;
	default:
		error_prefix("%s", command->name);
		return cli_fail();
	}
}

static int unknown_command(const char *word)
{
	struct nearest near = { .word = word };
	size_t count;
	const struct command *const *all = command_all(&count);

	for (size_t i = 0; i < count; i++)
		nearest_consider(&near, all[i]->name);
	nearest_consider(&near, "help");
	if (near.best)
		error_usage("'%s' is neither a command nor a program; did you mean '%s'?", word, near.best);
	else
		error_usage("'%s' is neither a command nor a program; `deadheat --help` lists the commands", word);
	return cli_fail();
}

static int run_completion(const char *shell)
{
	if (!shell || !strcmp(shell, "bash"))
		completion_print();
	else if (!strcmp(shell, "zsh"))
		completion_zsh();
	else if (error_usage("help: --completion: '%s' is not one of bash, zsh", shell))
		return cli_fail();
	return EXIT_CLEAN;
}

/* help [--man] [COMMAND], help --completion [bash|zsh] */
static int run_help(int argc, char **argv)
{
	bool manual = argc && !strcmp(argv[0], "--man");
	const struct command *command;

	if (argc && !strcmp(argv[0], "--completion"))
		return run_completion(argv[1]);
	if (argc == manual) {
		if (manual)
			manual_overview();
		else
			help_overview(stdout);
		return EXIT_CLEAN;
	}
	command = command_find(argv[manual]);
	if (!command)
		return unknown_command(argv[manual]);
	if (manual)
		manual_command(command);
	else
		command_help(command);
	return EXIT_CLEAN;
}

static bool in_path(const char *word)
{
	const char *path = getenv("PATH");
	struct strbuf file = STRBUF_INIT;
	bool found = false;

	while (!found && path && *path) {
		size_t length = strcspn(path, ":");

		strbuf_reset(&file);
		strbuf_printf(&file, "%.*s/%s", (int)length, path, word);
		found = !access(file.buf, X_OK);
		path += length + (path[length] == ':');
	}
	strbuf_release(&file);
	return found;
}

/* ./prog, prog in PATH, or a source file to compile and hunt. */
static bool is_program(const char *word)
{
	return strchr(word, '/') || !access(word, F_OK) || in_path(word);
}

static int dispatch(int argc, char **argv)
{
	const char *word = argv[0];
	const struct command *command = command_find(word), *hunt = command_find("hunt");

	if (command)
		return run_command(command, argc - 1, argv + 1);
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("deadheat %s\n", DEADHEAT_VERSION);
		return EXIT_CLEAN;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
		return run_help(argc - 1, argv + 1);
	if (hunt && (!strcmp(word, "--") || (*word != '-' && is_program(word))))
		return run_command(hunt, argc, argv);
	if (*word == '-') {
		error_usage("%s: unknown option before a command; options go behind the command's name", word);
		return cli_fail();
	}
	return unknown_command(word);
}

static int flush_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "deadheat: cannot write the output: %m\n");
	return EXIT_OWN_FAILURE;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int main(int argc, char **argv)
{
	const char *name = argc ? base_name(argv[0]) : "deadheat";

	if (argc && strchr(argv[0], '/'))
		cli_command = argv[0];
	if (!strcmp(name, "deadheat-cc"))
		return run_command(command_find("cc"), argc - 1, argv + 1);
	if (!strcmp(name, "deadheat-c++"))
		return run_command(command_find("c++"), argc - 1, argv + 1);
	if (argc < 2) {
		help_overview(stderr);
		return EXIT_USAGE;
	}
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error message, not a death */
	return flush_output(dispatch(argc - 1, argv + 1));
}
