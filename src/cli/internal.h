/*
 * internal - what main.c, help.c and the commands share beyond cli.h.
 */
#ifndef CLI_INTERNAL_H
#define CLI_INTERNAL_H

#include <stdio.h>

#include "cli/cli.h"

/* The list of commands, to stdout when asked for, to stderr when nothing was said. */
void help_overview(FILE *out);
/* Warn of DEADHEAT_* variables nobody reads: a typing error would otherwise be silent. */
void environment_warn(char **envp);

#endif
