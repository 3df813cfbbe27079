/*
 * sigwait - threads that wait for signals: sigwait, sigwaitinfo, sigtimedwait, pause, sigsuspend.
 *
 * Two places can hold a signal: signals_pending of the thread (the program sent it) and the
 * kernel's queue of the process (the world did, or every thread blocks it). A signalfd of
 * the set, polled by whoever decides, sees the latter without taking it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/sched/signals.h"

struct signal_wait {
	uint64_t set;
	struct pollfd poll;
};

/* Our own file numbers stay out of the program's way: up here. */
#define HIGH_FD 900

static int open_signalfd(uint64_t set)
{
	long fd = rt_syscall(SYS_signalfd4, -1, &set, sizeof(set), O_CLOEXEC | O_NONBLOCK);
	long high = fd < 0 ? fd : rt_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_FD);

	if (high < 0)
		return (int)fd;
	rt_syscall(SYS_close, fd);
	return (int)high;
}

static bool has_arrived(struct sched_thread *thread, void *argument)
{
	struct signal_wait *w = argument;

	return (thread->signals_pending & w->set) || rt_syscall(SYS_poll, &w->poll, 1, 0) > 0;
}

/* Having the turn. 0: it was not there after all. */
static int take(struct sched_thread *self, const struct signal_wait *w, siginfo_t *info)
{
	uint64_t pending = self->signals_pending & w->set;
	struct timespec none = { 0, 0 };
	long sig;

	if (pending) {
		signal_take(self, __builtin_ctzll(pending) + 1, info);
		return info->si_signo;
	}
	sig = rt_syscall(SYS_rt_sigtimedwait, &w->set, info, &none, sizeof(w->set));
	return sig > 0 ? (int)sig : 0;
}

/* Negative: -errno. */
static int wait_for(const sigset_t *set, siginfo_t *info, uint64_t deadline_ns, unsigned flags, uintptr_t pc)
{
	struct sched_thread *self = sched_self();
	struct signal_wait w = { .set = set->__val[0], .poll = { .events = POLLIN } };
	const struct sched_world world = { &w.poll, 1, true };
	int result = 0;

	w.poll.fd = open_signalfd(w.set);
	while (!result) {
		switch (sched_wait_world(&world, NULL, pc, has_arrived, &w, deadline_ns, flags)) {
		case WAKE_READY: result = take(self, &w, info); break;
		case WAKE_TIMEOUT: result = -EAGAIN; break;
		case WAKE_SIGNAL: result = -EINTR; break;
		case WAKE_CANCEL: result = -ECANCELED; break;
		}
	}
	if (w.poll.fd >= 0)
		rt_syscall(SYS_close, w.poll.fd);
	if (result == -ECANCELED)
		sched_cancel_act();
	return result;
}

static int failed(int code)
{
	errno = code;
	return -1;
}

RT_EXPORT int sigwait(const sigset_t *set, int *sig)
{
	siginfo_t info;
	int result;

	if (!sched_self())
		return REAL(sigwait)(set, sig);
	result = wait_for(set, &info, 0, WAIT_CANCEL, RT_CALLER);
	*sig = result;
	return 0;
}

RT_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	siginfo_t local;
	int result;

	if (!sched_self())
		return REAL(sigwaitinfo)(set, info);
	result = wait_for(set, info ? info : &local, 0, WAIT_CANCEL | WAIT_SIGNAL, RT_CALLER);
	return result > 0 ? result : failed(-result);
}

RT_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
	siginfo_t local;
	uint64_t deadline_ns = 0;
	int result;

	if (!sched_self())
		return REAL(sigtimedwait)(set, info, time);
	if (time && sched_bad_time(time))
		return failed(EINVAL);
	if (time)
		deadline_ns = sched_now() + (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec + 1;
	result = wait_for(set, info ? info : &local, deadline_ns, WAIT_CANCEL | WAIT_SIGNAL, RT_CALLER);
	return result > 0 ? result : failed(-result);
}

/* Until a handler has run. */
static int wait_for_handler(uintptr_t pc)
{
	static const struct sched_world signals = { .signals = true };

	if (sched_wait_world(&signals, NULL, pc, sched_never, NULL, 0, WAIT_CANCEL | WAIT_SIGNAL) == WAKE_CANCEL)
		return ECANCELED;
	return EINTR;
}

RT_EXPORT int pause(void)
{
	if (!sched_self())
		return REAL(pause)();
	if (wait_for_handler(RT_CALLER) == ECANCELED)
		sched_cancel_act();
	return failed(EINTR);
}

RT_EXPORT int sigsuspend(const sigset_t *set)
{
	struct sched_thread *self = sched_self();
	uint32_t taken;
	uint64_t old;
	int why = EINTR;

	if (!self)
		return REAL(sigsuspend)(set);
	taken = self->signals_taken;
	signal_swap_mask(self, set, &old);
	if (taken == self->signals_taken)
		why = wait_for_handler(RT_CALLER);
	signal_swap_mask(self, (const sigset_t *)&old, &(uint64_t){ 0 });
	if (why == ECANCELED)
		sched_cancel_act();
	return failed(EINTR);
}
