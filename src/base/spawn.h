/*
 * spawn - start a program, wait for it, name how it ended.
 *
 * The child dies with us (PR_SET_PDEATHSIG, SIGKILL): a killed host leaves nothing behind.
 * The signal is sent when the *thread* that called spawn_start() ends, so call it from a
 * thread that outlives the child. Nothing but async-signal-safe calls happens between
 * fork and exec: spawning from a host with threads is fine.
 */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"

struct spawn {
	const char *path;      /* as execve wants it */
	char *const *argv;     /* NULL terminated */
	char *const *envp;     /* NULL: ours */
	const char *cwd;       /* NULL: stay here */
	int in, out, err;      /* file numbers to become 0, 1, 2; SPAWN_SAME: inherited */
	const int *keep;       /* files the child inherits, though close-on-exec, same numbers */
	size_t keep_count;
	bool own_group;        /* a process group of its own: a whole tree can be killed */
	bool outlives;         /* do not die with us */
};

#define SPAWN_SAME (-1)
#define SPAWN_INIT { .in = SPAWN_SAME, .out = SPAWN_SAME, .err = SPAWN_SAME }

/* 0 once the program is really executing; -1 with a message when execve failed. */
int spawn_start(const struct spawn *spawn, pid_t *pid);

/*
 * Wait at most timeout_ms (-1: for ever). 1: it ended, *status as of waitpid; 0: it still
 * runs when the time is over or a signal came in between (errno EINTR then, else 0).
 */
int spawn_wait(pid_t pid, int timeout_ms, int *status);

/* Start and wait for the end. 0 / -1 with a message. */
int spawn_run(const struct spawn *spawn, int *status);

/* "exit 3", "SIGSEGV", "signal 42": the words of struct outcome. In arena. */
const char *spawn_status_name(struct arena *arena, int status);
/* What a shell would exit with: the status, or 128 + signal. */
int spawn_exit_code(int status);
/* "SIGSEGV" without an arena; "signal 42" for one without a name (static buffer). */
const char *signal_name(int signal);

/* A copy of envp with name=value set (value NULL: taken out). Array and new string in arena. */
char **env_set(struct arena *arena, char *const *envp, const char *name, const char *value);
/* Like getenv, in envp. */
const char *env_get(char *const *envp, const char *name);

/* Milliseconds of CLOCK_MONOTONIC. */
uint64_t monotonic_ms(void);

#endif
