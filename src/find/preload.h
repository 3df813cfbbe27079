/*
 * preload - a program nobody built for us, started with rt/trace in it.
 */
#ifndef FIND_PRELOAD_H
#define FIND_PRELOAD_H

#include "find/target.h"
#include "wire/tracer.h"

/* 0 if rt/trace can be preloaded; -1 with one line: static, setuid, 32-bit. */
int preload_check(const struct program *program);

/* The program's environment with rt/trace first in LD_PRELOAD and the mapping named. NULL with a message. */
char **preload_environment(const struct program *program, struct arena *arena, const struct tracer *tracer);

/* Path of the library; NULL with a message if it is not where deadheat is. */
const char *preload_library(struct arena *arena);

#endif
