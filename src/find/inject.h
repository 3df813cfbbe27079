/*
 * inject - make a running process load a library and call functions of it (--pid), by ptrace, one
 * thread, stopped for milliseconds.
 *
 * The thread is taken at a moment when it holds no lock of libc's: in its own code, or waiting in
 * a system call that nobody makes under such a lock (poll, read, accept, sleep ...). A process in
 * which no such moment comes within a few seconds is let go, and the refusal says so.
 *
 * I1  Registers (vectors too) and the stack below the red zone are all that is changed, and put back; a system
 *     call that was interrupted is started again by the kernel.
 */
#ifndef FIND_INJECT_H
#define FIND_INJECT_H

#include <stdint.h>
#include <sys/types.h>

struct inject {
	pid_t pid;
	uint64_t dlopen;        /* address in the process */
	uint64_t library;       /* base of ours there; 0: not loaded yet */
	const char *path;       /* of our library */
};

/* Look at the process: is it there, may we, is it 64-bit and dynamic? 0; -1 with one clear line. */
int inject_open(struct inject *inject, pid_t pid, const char *library);
/* Load the library. 0 / -1 with a message. */
int inject_load(struct inject *inject);
/* Call function(text) of the library; its result in *result. text NULL: no argument. 0 / -1 with a message. */
int inject_call(struct inject *inject, const char *function, const char *text, int64_t *result);

#endif
