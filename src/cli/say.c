/* say - the options every command has, and the two ways to speak on stderr. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/tty.h"
#include "cli/cli.h"
#include "store/store.h"

const char *cli_store = STORE_DEFAULT;
bool cli_quiet;
const char *cli_command = "deadheat";

const char *cli_store_shown(void)
{
	static const char *of;
	static char *shown;

	if (of != cli_store) {
		free(shown);
		shown = store_hide_password(strdup(of = cli_store));
	}
	return shown;
}

int cli_fail(void)
{
	progress_clear();
	fflush(stdout);
	fprintf(stderr, "deadheat: %s\n", error_message());
	return error_status();
}

void cli_say(const char *format, ...)
{
	va_list args;

	if (cli_quiet)
		return;
	progress_clear();
	fputs("deadheat: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}
