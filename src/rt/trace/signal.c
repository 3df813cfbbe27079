/*
 * signal - dispositions and masks, as far as a part needs one signal for itself.
 *
 * A part's sigaction hook answers for the signals it owns; all others go to libc. Programs
 * block everything in their worker threads as a matter of habit: the parts' signals stay
 * unblocked (trace_keep), or those threads would never be looked at. sigwait of a full set
 * must not swallow them either. What the program reads back may thus lack our signal, which
 * it did not know of.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include "rt/trace/trace.h"

uint64_t trace_keep;

void trace_keep_signal(int signal)
{
	trace_keep |= 1ull << (signal - 1);
}

static bool part_answers(int signal, const struct sigaction *action, struct sigaction *old, int *result)
{
	for (int i = 0; trace_header && i < TRACE_PARTS; i++)
		if (trace_parts[i] && (trace_parts[i]->mode & trace_header->mode) && trace_parts[i]->sigaction &&
		    trace_parts[i]->sigaction(signal, action, old, result))
			return true;
	return false;
}

/* Our signals out of a mask the program gives; the kernel's part of a sigset_t is its first word. */
static const sigset_t *kept(const sigset_t *set, sigset_t *copy)
{
	if (!set || !trace_keep)
		return set;
	*copy = *set;
	copy->__val[0] &= ~trace_keep;
	return copy;
}

RT_EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction copy;
	int result;

	if (part_answers(signal, action, old, &result))
		return result;
	if (action && trace_keep) {
		copy = *action;
		copy.sa_mask.__val[0] &= ~trace_keep;
		action = &copy;
	}
	return REAL(sigaction)(signal, action, old);
}

RT_EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, old = { .sa_handler = SIG_DFL };
	int result;

	if (!part_answers(number, &action, &old, &result))
		return REAL(signal)(number, handler);
	return result ? SIG_ERR : old.sa_handler;
}

RT_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;

	return REAL(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : kept(set, &copy), old);
}

RT_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t copy;

	return REAL(sigprocmask)(how, how == SIG_UNBLOCK ? set : kept(set, &copy), old);
}

RT_EXPORT int sigwait(const sigset_t *set, int *number)
{
	sigset_t copy;

	return REAL(sigwait)(kept(set, &copy), number);
}

RT_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	sigset_t copy;

	return REAL(sigwaitinfo)(kept(set, &copy), info);
}

RT_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	sigset_t copy;

	return REAL(sigtimedwait)(kept(set, &copy), info, timeout);
}
