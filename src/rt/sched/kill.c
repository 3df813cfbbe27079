/*
 * kill - the ways a program sends signals to itself, and the timers that make the kernel do it.
 *
 * Signals to other processes go straight through. Timers stay real (a trial with an alarm
 * waits for it like for any answer of the world); that one was set is noted, because such a
 * trial can only be repeated as far as time repeats.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "rt/sched/signals.h"

static siginfo_t info_of(int sig, int code)
{
	siginfo_t info = { .si_signo = sig, .si_code = code };

	info.si_pid = (pid_t)rt_syscall(SYS_getpid);
	info.si_uid = (uid_t)rt_syscall(SYS_getuid);
	return info;
}

static int failed(int code)
{
	if (code)
		errno = code;
	return code ? -1 : 0;
}

/* Under --pin the program may know itself by another number. */
static bool is_us(pid_t pid)
{
	return pid > 0 && (pid == (pid_t)rt_syscall(SYS_getpid) || pid == getpid());
}

RT_EXPORT int pthread_kill(pthread_t handle, int sig)
{
	struct sched_thread *target;
	siginfo_t info;

	if (!sched_self())
		return REAL(pthread_kill)(handle, sig);
	target = sched_thread_by_handle(handle);
	if (!target)
		return REAL(pthread_kill)(handle, sig);
	info = info_of(sig, SI_TKILL);
	return signal_thread(target, &info, RT_CALLER);
}

RT_EXPORT int pthread_sigqueue(pthread_t handle, int sig, const union sigval value)
{
	struct sched_thread *target;
	siginfo_t info;

	if (!sched_self())
		return REAL(pthread_sigqueue)(handle, sig, value);
	target = sched_thread_by_handle(handle);
	if (!target)
		return REAL(pthread_sigqueue)(handle, sig, value);
	info = info_of(sig, SI_QUEUE);
	info.si_value = value;
	return signal_thread(target, &info, RT_CALLER);
}

RT_EXPORT int raise(int sig)
{
	struct sched_thread *self = sched_self();
	siginfo_t info;

	if (!self)
		return REAL(raise)(sig);
	info = info_of(sig, SI_TKILL);
	return failed(signal_thread(self, &info, RT_CALLER));
}

RT_EXPORT int kill(pid_t pid, int sig)
{
	siginfo_t info;

	if (!sched_self() || !is_us(pid))
		return REAL(kill)(pid, sig);
	info = info_of(sig, SI_USER);
	return failed(signal_process(&info, RT_CALLER));
}

RT_EXPORT int sigqueue(pid_t pid, int sig, const union sigval value)
{
	siginfo_t info;

	if (!sched_self() || !is_us(pid))
		return REAL(sigqueue)(pid, sig, value);
	info = info_of(sig, SI_QUEUE);
	info.si_value = value;
	return failed(signal_process(&info, RT_CALLER));
}

/* ---- timers ---------------------------------------------------------------------------- */

/* Set once, for good: sched_io_idle then waits for a signal where it would see a deadlock. */
bool sched_timer_was_set;

static void timer_set(const char *name, uintptr_t pc)
{
	sched_step(OP_SIGNAL, NULL, pc, NULL, NULL);
	if (!sched_timer_was_set)
		rt_note("%s: a real timer runs, its signal comes when the wall clock says so", name);
	sched_timer_was_set = true;
}

RT_EXPORT unsigned alarm(unsigned seconds)
{
	if (sched_self() && seconds)
		timer_set("alarm", RT_CALLER);
	return REAL(alarm)(seconds);
}

RT_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *new, struct itimerval *old)
{
	if (sched_self() && new && (new->it_value.tv_sec || new->it_value.tv_usec))
		timer_set("setitimer", RT_CALLER);
	return REAL(setitimer)(which, new, old);
}

RT_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	if (sched_self() && new && (new->it_value.tv_sec || new->it_value.tv_nsec))
		timer_set("timer_settime", RT_CALLER);
	return REAL(timer_settime)(timer, flags, new, old);
}
