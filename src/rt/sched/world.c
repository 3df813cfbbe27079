/*
 * world - waiting for what is outside the process, while the others run.
 *
 * A thread that waits for a pipe, a socket, a child or a signal announces OP_IO with a
 * predicate that asks the kernel without waiting. Whoever decides evaluates it, so the
 * order in which such calls go on is a decision like any other and stands in the schedule.
 * Only when nobody at all is enabled does the deciding thread itself sleep in the kernel,
 * over everything anybody waits for (sched_io_idle).
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "rt/sched/io.h"

/* What can only be looked at again is looked at this often: cheap, and short against a trial. */
#define LOOK_AGAIN_MS 1u
#define IDLE_FDS 256

extern bool sched_timer_was_set; /* kill.c */

enum sched_wake sched_wait_world(const struct sched_world *world, struct sched_object *object, uintptr_t pc,
				 sched_ready *ready, void *argument, uint64_t deadline_ns, unsigned flags)
{
	struct sched_thread *self = sched_self();
	const struct sched_world *outer = self->world;
	enum sched_wake wake;

	self->world = world;
	wake = sched_wait(OP_IO, object, pc, ready, argument, deadline_ns, flags);
	self->world = outer;
	return wake;
}

/* Copy what one thread waits for; false if it must be looked at again. */
static bool gather(const struct sched_world *world, struct pollfd *fds, uint32_t *count)
{
	if (!world->count || *count + world->count > IDLE_FDS)
		return false;
	for (uint32_t i = 0; i < world->count; i++)
		fds[(*count)++] = world->fds[i];
	return true;
}

/* Could somebody end this wait who is neither a thread, nor a child, nor a timer of ours? */
static bool is_open(const struct sched_world *world)
{
	for (uint32_t i = 0; i < world->count; i++)
		if (!channel_is_inner(world->fds[i].fd))
			return !world->signals;
	return !world->count && !world->signals;
}

bool world_has_children(void)
{
	siginfo_t info;

	return rt_syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT, NULL) != -ECHILD;
}

/* *again: something can only be looked at. */
static bool world_may_answer(struct pollfd *fds, uint32_t *count, bool *again)
{
	bool waits = false, open = false;

	for (uint32_t i = 0; i < sched_thread_count(); i++) {
		const struct sched_thread *thread = sched_thread_at(i);

		if (!thread->alive || !thread->world)
			continue;
		waits = true;
		open |= is_open(thread->world);
		*again |= !gather(thread->world, fds, count);
	}
	return open || sched_timer_was_set || (waits && world_has_children());
}

bool sched_io_idle(uint64_t limit_ms)
{
	struct pollfd fds[IDLE_FDS];
	uint32_t count = 0;
	bool again = sched_timer_was_set;

	if (!world_may_answer(fds, &count, &again))
		return false;
	if (again && limit_ms > LOOK_AGAIN_MS)
		limit_ms = LOOK_AGAIN_MS;
	if (limit_ms > 1000)
		limit_ms = 1000;
	rt_count(WIRE_OUTSIDE);
	rt_syscall(SYS_poll, fds, count, (int)limit_ms);
	io_changes += again;
	return true;
}

/* ---- what can only be tried ---------------------------------------------------------------- */

uint64_t io_changes;

static bool has_changed(struct sched_thread *thread, void *argument)
{
	(void)thread;
	return io_changes != *(const uint64_t *)argument;
}

int io_wait_for_change(uint64_t seen, uint64_t deadline_ns, uintptr_t pc)
{
	static const struct sched_world anything;

	switch (sched_wait_world(&anything, NULL, pc, has_changed, &seen, deadline_ns, WAIT_CANCEL | WAIT_SIGNAL)) {
	case WAKE_CANCEL:
		sched_cancel_act();
	case WAKE_SIGNAL:
		return EINTR;
	case WAKE_TIMEOUT:
		return EAGAIN;
	default:
		return 0;
	}
}

/* ---- one file number --------------------------------------------------------------------- */

static bool fd_is_ready(struct sched_thread *thread, void *argument)
{
	(void)thread;
	return rt_syscall(SYS_poll, argument, 1, 0) != 0;
}

/* By number: ordinals need nothing more, and two numbers of one file do no harm. */
struct sched_object *io_object(int fd)
{
	return sched_object((const void *)(uintptr_t)(fd + 1), OBJECT_FD);
}

bool io_is_nonblocking(int fd)
{
	long flags = rt_syscall(SYS_fcntl, fd, F_GETFL);

	return flags < 0 || (flags & O_NONBLOCK);
}

bool io_is_ready(int fd, short events)
{
	struct pollfd poll = { .fd = fd, .events = events };

	return fd_is_ready(NULL, &poll) || io_is_nonblocking(fd);
}

int io_fail(int code)
{
	errno = code;
	return -1;
}

static uint64_t socket_deadline(int fd, short events)
{
	struct timeval time = { 0, 0 };
	socklen_t size = sizeof(time);
	int option = events & POLLOUT ? SO_SNDTIMEO : SO_RCVTIMEO;

	if (rt_syscall(SYS_getsockopt, fd, SOL_SOCKET, option, &time, &size) || (!time.tv_sec && !time.tv_usec))
		return 0;
	return sched_now() + (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

int io_wait_until(int fd, short events, uint64_t deadline_ns, uintptr_t pc)
{
	struct pollfd poll = { .fd = fd, .events = events };
	const struct sched_world world = { .fds = &poll, .count = 1 };

	for (;;) {
		switch (sched_wait_world(&world, io_object(fd), pc, fd_is_ready, &poll, deadline_ns,
					 WAIT_CANCEL | WAIT_SIGNAL)) {
		case WAKE_READY:
			return 0;
		case WAKE_TIMEOUT:
			return ETIMEDOUT;
		case WAKE_CANCEL:
			sched_cancel_act();
		case WAKE_SIGNAL:
			if (!sched_self()->restart)
				return EINTR;
		}
	}
}

int io_wait(int fd, short events, bool nowait, uintptr_t pc)
{
	struct pollfd poll = { .fd = fd, .events = events };
	int code;

	if (nowait || io_is_nonblocking(fd)) {
		sched_step(OP_IO, io_object(fd), pc, NULL, NULL);
		if (sched_cancel_due(sched_self()))
			sched_cancel_act();
		return 0;
	}
	code = io_wait_until(fd, events, fd_is_ready(NULL, &poll) ? 0 : socket_deadline(fd, events), pc);
	return code == ETIMEDOUT ? EAGAIN : code;
}

uint64_t io_deadline(const struct timespec *timeout)
{
	if (!timeout)
		return 0;
	return sched_now() + (uint64_t)timeout->tv_sec * 1000000000u + (uint64_t)timeout->tv_nsec + 1;
}

uint64_t io_deadline_ms(int timeout_ms)
{
	return timeout_ms < 0 ? 0 : sched_now() + (uint64_t)timeout_ms * 1000000u + 1;
}

/* ---- the program's bytes ------------------------------------------------------------------ */

size_t io_available(int fd, size_t most)
{
	int bytes = 0;

	if (rt_syscall(SYS_ioctl, fd, FIONREAD, &bytes) || bytes < 0)
		return most;
	return (size_t)bytes < most ? (size_t)bytes : most;
}

void io_touch(const void *bytes, size_t size, unsigned flags, uintptr_t pc)
{
	if (!size)
		return;
	rt_turn_access(bytes, size, flags | ACCESS_RANGE, pc);
	TELL(rt_on_access(bytes, size, flags | ACCESS_RANGE, pc));
}

void io_touch_vector(const struct iovec *vector, int count, size_t size, unsigned flags, uintptr_t pc)
{
	for (int i = 0; i < count && size; i++) {
		size_t part = vector[i].iov_len < size ? vector[i].iov_len : size;

		io_touch(vector[i].iov_base, part, flags, pc);
		size -= part;
	}
}
