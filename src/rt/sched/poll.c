/*
 * poll - poll, select, epoll: already questions about readiness, asked here as predicates.
 *
 * A timeout is a virtual deadline. With nothing to watch they are ways to sleep. A mask
 * given along (ppoll, pselect, epoll_pwait) is really set while the thread waits.
 */
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>

#include "rt/sched/io.h"
#include "rt/sched/signals.h"

/* Wait under mask (NULL: as it is). 0 ready or timed out; EINTR. Cancellation acts in here. */
static int wait_masked(const struct sched_world *world, struct sched_object *object, sched_ready *ready,
		       void *argument, uint64_t deadline_ns, const sigset_t *mask, uintptr_t pc)
{
	struct sched_thread *self = sched_self();
	uint32_t taken = self->signals_taken;
	enum sched_wake wake = WAKE_SIGNAL;
	uint64_t old;

	if (mask)
		signal_swap_mask(self, mask, &old);
	if (taken == self->signals_taken)
		wake = sched_wait_world(world, object, pc, ready, argument, deadline_ns, WAIT_CANCEL | WAIT_SIGNAL);
	if (mask)
		signal_swap_mask(self, (const sigset_t *)&old, &(uint64_t){ 0 });
	if (wake == WAKE_CANCEL)
		sched_cancel_act();
	return wake == WAKE_SIGNAL ? EINTR : 0;
}

/* ---- poll ------------------------------------------------------------------------------------ */

static bool any_is_ready(struct sched_thread *thread, void *argument)
{
	const struct sched_world *world = argument;

	(void)thread;
	return rt_syscall(SYS_poll, world->fds, world->count, 0) != 0;
}

/* deadline 0: wait for ever; expired: only look. */
static int poll_all(struct pollfd *fds, nfds_t count, bool look, uint64_t deadline_ns, const sigset_t *mask,
		    uintptr_t pc)
{
	struct sched_world world = { fds, (uint32_t)count, !count };
	struct sched_object *object = count ? io_object(fds[0].fd) : NULL;
	sched_ready *ready = look ? NULL : count ? any_is_ready : sched_never;
	int code = wait_masked(&world, object, ready, &world, deadline_ns, mask, pc);
	int result;

	if (code)
		return io_fail(code);
	result = io_agree_poll(fds, (uint32_t)count, REAL(poll)(fds, count, 0));
	for (nfds_t i = 0; i < count && result > 0; i++)
		if (fds[i].revents & POLLIN)
			channel_receive(fds[i].fd);
	return result;
}

RT_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	if (!sched_self())
		return REAL(poll)(fds, count, timeout_ms);
	return poll_all(fds, count, timeout_ms == 0, timeout_ms > 0 ? io_deadline_ms(timeout_ms) : 0, NULL, RT_CALLER);
}

static bool is_zero(const struct timespec *time)
{
	return time && !time->tv_sec && !time->tv_nsec;
}

RT_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	if (!sched_self())
		return REAL(ppoll)(fds, count, timeout, mask);
	if (timeout && (sched_bad_time(timeout) || timeout->tv_sec < 0))
		return io_fail(EINVAL);
	return poll_all(fds, count, is_zero(timeout), is_zero(timeout) ? 0 : io_deadline(timeout), mask, RT_CALLER);
}

/* ---- select ---------------------------------------------------------------------------------- */

struct select_wait {
	int count;
	const fd_set *set[3]; /* read, write, except; NULL */
};

static size_t set_words(int count)
{
	return ((size_t)count + NFDBITS - 1) / NFDBITS;
}

static void copy_set(fd_set *to, const fd_set *from, int count)
{
	for (size_t i = 0; i < set_words(count); i++)
		to->fds_bits[i] = from->fds_bits[i];
}

/* Ask with copies: the program's sets are its own until the call returns. */
static long select_ask(const struct select_wait *w, fd_set copy[3])
{
	struct timeval none = { 0, 0 };
	fd_set *set[3];

	for (int i = 0; i < 3; i++) {
		set[i] = w->set[i] ? &copy[i] : NULL;
		if (set[i])
			copy_set(set[i], w->set[i], w->count);
	}
	return rt_syscall(SYS_select, w->count, set[0], set[1], set[2], &none);
}

static bool select_is_ready(struct sched_thread *thread, void *argument)
{
	fd_set copy[3];

	(void)thread;
	return select_ask(argument, copy) != 0;
}

#define SELECT_FDS 64

/* The same as poll would ask, for sched_io_idle; with too many it looks again instead. */
static uint32_t select_fds(const struct select_wait *w, struct pollfd *fds)
{
	static const short events[3] = { POLLIN, POLLOUT, POLLPRI };
	uint32_t n = 0;

	for (int fd = 0; fd < w->count; fd++)
		for (int i = 0; i < 3; i++)
			if (w->set[i] && FD_ISSET(fd, w->set[i])) {
				if (n == SELECT_FDS)
					return 0;
				fds[n++] = (struct pollfd){ .fd = fd, .events = events[i] };
			}
	return n;
}

static int select_all(int count, fd_set *set[3], const struct timespec *timeout, const sigset_t *mask, uintptr_t pc)
{
	struct select_wait w = { count, { set[0], set[1], set[2] } };
	struct pollfd fds[SELECT_FDS];
	struct sched_world world = { .fds = fds, .signals = !set[0] && !set[1] && !set[2] };
	fd_set copy[3];
	long result;
	int code;

	if (count < 0 || count > FD_SETSIZE || (timeout && (timeout->tv_sec < 0 || sched_bad_time(timeout))))
		return io_fail(EINVAL);
	world.count = select_fds(&w, fds);
	code = wait_masked(&world, world.count ? io_object(fds[0].fd) : NULL, is_zero(timeout) ? NULL : select_is_ready,
			   &w, is_zero(timeout) ? 0 : io_deadline(timeout), mask, pc);
	if (code)
		return io_fail(code);
	result = select_ask(&w, copy);
	if (result < 0)
		return io_fail((int)-result);
	for (int i = 0; i < 3; i++)
		if (set[i])
			copy_set(set[i], &copy[i], count);
	for (int fd = 0; fd < count && result && set[0]; fd++)
		if (FD_ISSET(fd, set[0]))
			channel_receive(fd);
	return (int)result;
}

RT_EXPORT int select(int count, fd_set *restrict read, fd_set *restrict write, fd_set *restrict except,
		     struct timeval *restrict timeout)
{
	fd_set *set[3] = { read, write, except };
	struct timespec time;
	int result;

	if (!sched_self())
		return REAL(select)(count, read, write, except, timeout);
	if (timeout)
		time = (struct timespec){ timeout->tv_sec + timeout->tv_usec / 1000000, timeout->tv_usec % 1000000 * 1000 };
	result = select_all(count, set, timeout ? &time : NULL, NULL, RT_CALLER);
	if (timeout && result == 0)
		*timeout = (struct timeval){ 0, 0 };
	return result;
}

RT_EXPORT int pselect(int count, fd_set *restrict read, fd_set *restrict write, fd_set *restrict except,
		      const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	fd_set *set[3] = { read, write, except };

	if (!sched_self())
		return REAL(pselect)(count, read, write, except, timeout, mask);
	return select_all(count, set, timeout, mask, RT_CALLER);
}

/* ---- epoll ------------------------------------------------------------------------------------ */

/* An epoll file is itself readable when one of its files is ready. */
static int epoll_all(int fd, struct epoll_event *events, int most, bool look, uint64_t deadline_ns,
		     const sigset_t *mask, uintptr_t pc)
{
	struct pollfd poll = { .fd = fd, .events = POLLIN };
	struct sched_world world = { .fds = &poll, .count = 1 };
	int code = wait_masked(&world, io_object(fd), look ? NULL : any_is_ready, &world, deadline_ns, mask, pc);
	int result;

	if (code)
		return io_fail(code);
	result = REAL(epoll_wait)(fd, events, most, 0);
	if (result > 0)
		channel_receive(fd);
	return result;
}

RT_EXPORT int epoll_wait(int fd, struct epoll_event *events, int most, int timeout_ms)
{
	if (!sched_self())
		return REAL(epoll_wait)(fd, events, most, timeout_ms);
	return epoll_all(fd, events, most, timeout_ms == 0, timeout_ms > 0 ? io_deadline_ms(timeout_ms) : 0, NULL,
			 RT_CALLER);
}

RT_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout_ms, const sigset_t *mask)
{
	if (!sched_self())
		return REAL(epoll_pwait)(fd, events, most, timeout_ms, mask);
	return epoll_all(fd, events, most, timeout_ms == 0, timeout_ms > 0 ? io_deadline_ms(timeout_ms) : 0, mask,
			 RT_CALLER);
}

RT_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int most, const struct timespec *timeout,
			   const sigset_t *mask)
{
	if (!sched_self())
		return REAL(epoll_pwait2)(fd, events, most, timeout, mask);
	return epoll_all(fd, events, most, is_zero(timeout), is_zero(timeout) ? 0 : io_deadline(timeout), mask, RT_CALLER);
}
