/*
 * inject - make a running process load a library and call functions of it (--pid), by ptrace, one
 * thread, stopped for milliseconds.
 *
 * The thread is taken at a moment when it holds no lock of libc's: in its own code, or waiting in
 * a system call that nobody makes under such a lock (poll, accept, sleep, a condition, read of a pipe ...). A process in
 * which no such moment comes within a few seconds is let go, and the refusal says so.
 *
 * I1  Registers (vectors too) and the stack below the red zone are all that is changed, and put back; a system
 *     call that was interrupted is started again by the kernel.
 */
#ifndef FIND_INJECT_H
#define FIND_INJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Are we in it? One that has ended but was not waited for has ended; one that has called exec is another program. */
enum inject_state { INJECT_INSIDE, INJECT_OUTSIDE, INJECT_ENDED };

struct inject {
	pid_t pid;
	uint64_t dlopen;        /* address in the process */
	uint64_t library;       /* base of ours there; 0: not loaded yet */
	const char *path;       /* of our library */
	uint64_t next_look;     /* ms: at its mappings */
	enum inject_state seen; /* at the last look */
};

/* Look at the process: is it there, may we, is it 64-bit and dynamic, does nobody else trace it? 0; -1 with one clear line. */
int inject_open(struct inject *inject, pid_t pid, const char *library);
/* Load the library. 0 / -1 with a message. */
int inject_load(struct inject *inject);
/* Call function(text) of the library; its result in *result. text NULL: no argument. 0 / -1 with a message. */
int inject_call(struct inject *inject, const char *function, const char *text, int64_t *result);
/* Call deadheat_trace_detach until all is out. mapping: ours; of another's nothing is undone. 0 too if the process ends meanwhile. */
int inject_leave(struct inject *inject, const char *mapping);

/* As of a fifth of a second ago at most. */
enum inject_state inject_state(struct inject *inject);
/* The state in words, now. */
const char *inject_ended(struct inject *inject);

/* A line of /proc/PID/task/TID/status, as a number by base; 0 where there is none. */
unsigned long long inject_status(pid_t pid, pid_t tid, const char *line, int base);
/* Seccomp filters it is under, by the text of /proc/PID/status; strict mode and kernels that do not count are one filter. */
int inject_filters_by(const char *status);
int inject_filters(pid_t pid);
/* A thread for whose line of /proc/PID/task/TID/status, a number by base, yes says so; 0: none. */
int inject_find_thread(pid_t pid, const char *line, int base, bool (*yes)(unsigned long long value));

#endif
