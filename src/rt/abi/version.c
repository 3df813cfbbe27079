/*
 * version - names of libc with several versions that a program linked to libtsan refers to
 * without one. Undefined here, such a reference would bind to the oldest: sched_getaffinity
 * without a size, realpath that takes no NULL. Each forwards to the default version.
 *
 * The list: names libtsan.so.2 defines (so its users' references have no version) for which
 * libc.so.6 has two that differ, less those defined elsewhere for their own sake (memcpy,
 * pthread_cond_*, quick_exit). tests/native/versions.t computes it anew. Weak: a
 * runtime may know more about one of them.
 */
#include <glob.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>

#include "rt/rt.h"

#define FORWARD RT_EXPORT __attribute__((weak))

FORWARD FILE *fmemopen(void *buffer, size_t size, const char *mode)
{
	return REAL(fmemopen)(buffer, size, mode);
}

FORWARD int glob(const char *restrict pattern, int flags, int (*failed)(const char *, int), glob_t *restrict found)
{
	return REAL(glob)(pattern, flags, failed, found);
}

FORWARD int glob64(const char *restrict pattern, int flags, int (*failed)(const char *, int),
		   glob64_t *restrict found)
{
	return REAL(glob64)(pattern, flags, failed, found);
}

FORWARD int posix_spawn(pid_t *restrict child, const char *restrict path,
			const posix_spawn_file_actions_t *restrict actions,
			const posix_spawnattr_t *restrict attributes, char *const arguments[restrict],
			char *const environment[restrict])
{
	return REAL(posix_spawn)(child, path, actions, attributes, arguments, environment);
}

FORWARD int posix_spawnp(pid_t *child, const char *file, const posix_spawn_file_actions_t *actions,
			 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
	return REAL(posix_spawnp)(child, file, actions, attributes, arguments, environment);
}

FORWARD int pthread_attr_getaffinity_np(const pthread_attr_t *attributes, size_t size, cpu_set_t *set)
{
	return REAL(pthread_attr_getaffinity_np)(attributes, size, set);
}

FORWARD int pthread_kill(pthread_t thread, int signal)
{
	return REAL(pthread_kill)(thread, signal);
}

FORWARD char *realpath(const char *restrict path, char *restrict to)
{
	return REAL(realpath)(path, to);
}

FORWARD int regexec(const regex_t *restrict compiled, const char *restrict text, size_t count,
		    regmatch_t matches[_REGEX_NELTS(count)], int flags)
{
	return REAL(regexec)(compiled, text, count, matches, flags);
}

FORWARD int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set)
{
	return REAL(sched_getaffinity)(thread, size, set);
}
