/*
 * process - fork, exit and exec: the ends and doublings of the process.
 *
 * fork: the child has the caller's thread only, and runs inert: what the parent's engine knows
 * is not true there, and the wire has one writer. vfork is fork: its child would run in our
 * memory. exit and return from main are heard by the handler of rt/init.c, after all others;
 * _exit, _Exit, quick_exit and abort run none, so they say it themselves. A signal that kills
 * says nothing, and need not: all that was found is on the wire.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "rt/abi/tell.h"

/*
 * Around every fork, also those inside libc (daemon, forkpty). Handlers nest: ours is
 * registered first, so it runs innermost, and no handler of the program meets our locks held.
 */
static void before_fork(void)
{
	rt_fork_before();
}

static void after_fork_parent(void)
{
	rt_fork_after(false);
	if (rt_wire)
		rt_count(WIRE_CHILDREN);
}

static void after_fork_child(void)
{
	rt_fork_after(true);
	if (rt_wire)
		TELL(rt_on_fork_child());
	rt_turn_fork_child();
	rt_wire_leave();
}

RT_EXPORT pid_t fork(void)
{
	if (rt_wire)
		rt_point(OP_FORK, NULL, RT_CALLER);
	return REAL(fork)();
}

extern pid_t vfork(void) RT_EXPORT __attribute__((alias("fork"), copy(fork)));
extern pid_t __fork(void) RT_EXPORT __attribute__((alias("fork"), copy(fork)));

RT_EXPORT void _exit(int status)
{
	rt_finish(status);
	REAL(_exit)(status);
	__builtin_unreachable();
}

RT_EXPORT void _Exit(int status)
{
	rt_finish(status);
	REAL(_Exit)(status);
	__builtin_unreachable();
}

/*
 * quick_exit ends by the _exit that libc knows: heard by a handler that runs after all others.
 */
static int quick_status;

static void quick_end(void *nothing)
{
	rt_finish(quick_status);
}

RT_EXPORT void quick_exit(int status)
{
	quick_status = status;
	REAL(quick_exit)(status);
	__builtin_unreachable();
}

/* A handler of the program may still come back by longjmp; then it goes on. */
RT_EXPORT void abort(void)
{
	struct sigaction now;

	if (rt_wire)
		rt_turn_abort(RT_CALLER);
	if (rt_wire && (sigaction(SIGABRT, NULL, &now) || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN))
		rt_finish(128 + SIGABRT);
	REAL(abort)();
	__builtin_unreachable();
}

/* libc's own names behind pthread_atfork and at_quick_exit; no library: never taken back. */
extern int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *library);
extern int __cxa_at_quick_exit(void (*handler)(void *), void *library);

/*
 * After rt/init.c's constructor, which may stay inside the fork server: its trials are forks
 * that keep the wire. Before the program's.
 */
__attribute__((constructor)) static void process_start(void)
{
	__register_atfork(before_fork, after_fork_parent, after_fork_child, NULL);
	__cxa_at_quick_exit(quick_end, NULL);
}
