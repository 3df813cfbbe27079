/*
 * process - waiting for children, for file locks and for System V and POSIX queues.
 *
 * Children: waitid can look without reaping (WNOWAIT), so they are a predicate. File locks
 * and System V objects cannot be looked at: they are tried without waiting, again whenever
 * somebody changed one. Only what can neither be looked at nor tried (system, pclose) is
 * done outside, and the order of returns recorded.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/sched/io.h"

/* ---- children ------------------------------------------------------------------------------- */

struct child_wait {
	idtype_t type;
	id_t id;
	int options;
};

static const struct sched_world anything;

static bool child_has_changed(struct sched_thread *thread, void *argument)
{
	const struct child_wait *w = argument;
	siginfo_t info = { 0 };
	long result = rt_syscall(SYS_waitid, w->type, w->id, &info, w->options | WNOHANG | WNOWAIT, NULL);

	(void)thread;
	return result < 0 || info.si_pid != 0;
}

static int wait_for_child(struct child_wait w, bool nowait, uintptr_t pc)
{
	for (;;) {
		switch (sched_wait_world(&anything, NULL, pc, nowait ? NULL : child_has_changed, &w, 0,
					 WAIT_CANCEL | WAIT_SIGNAL)) {
		case WAKE_CANCEL:
			sched_cancel_act();
		case WAKE_SIGNAL:
			if (!sched_self()->restart)
				return EINTR;
			break;
		default:
			return 0;
		}
	}
}

static struct child_wait child_of(pid_t pid, int options)
{
	struct child_wait w = { P_PID, (id_t)pid, WEXITED };

	if (pid == -1)
		w = (struct child_wait){ P_ALL, 0, WEXITED };
	else if (pid <= 0)
		w = (struct child_wait){ P_PGID, (id_t)-pid, WEXITED };
	w.options |= (options & WUNTRACED ? WSTOPPED : 0) | (options & WCONTINUED);
	return w;
}

static pid_t wait_any(pid_t pid, int *status, int options, struct rusage *usage, uintptr_t pc)
{
	int code = wait_for_child(child_of(pid, options), options & WNOHANG, pc);

	return code ? io_fail(code) : REAL(wait4)(pid, status, options, usage);
}

RT_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	if (!sched_self())
		return REAL(wait4)(pid, status, options, usage);
	return wait_any(pid, status, options, usage, RT_CALLER);
}

RT_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	if (!sched_self())
		return REAL(wait3)(status, options, usage);
	return wait_any(-1, status, options, usage, RT_CALLER);
}

RT_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	if (!sched_self())
		return REAL(waitpid)(pid, status, options);
	return wait_any(pid, status, options, NULL, RT_CALLER);
}

RT_EXPORT pid_t wait(int *status)
{
	if (!sched_self())
		return REAL(wait)(status);
	return wait_any(-1, status, 0, NULL, RT_CALLER);
}

RT_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	struct child_wait w = { type, id, options & ~(WNOHANG | WNOWAIT) };
	int code;

	if (!sched_self())
		return REAL(waitid)(type, id, info, options);
	code = wait_for_child(w, options & WNOHANG, RT_CALLER);
	return code ? io_fail(code) : REAL(waitid)(type, id, info, options);
}

/* ---- outside --------------------------------------------------------------------------------- */

/* A call that may block for reasons no predicate sees, made without the turn. */
#define OUTSIDE(type, call) ({ \
	type outside_result; \
	int outside_code; \
	sched_outside_begin(OP_IO, RT_CALLER); \
	outside_result = (call); \
	outside_code = errno; \
	sched_outside_end(); \
	errno = outside_code; \
	outside_result; })

/* ---- what can only be tried ---------------------------------------------------------------- */

static bool would_block(long result)
{
	return result < 0 && (errno == EAGAIN || errno == EACCES || errno == ENOMSG);
}

/*
 * try (an expression, made with the turn) until it works, fails for good, or time or a
 * handler ends the waiting. A success may let somebody else's try work.
 */
#define TRY(object, deadline_ns, nowait, try) ({ \
	uint64_t try_seen; \
	long try_result; \
	int try_code = 0; \
	sched_step(OP_IO, object, RT_CALLER, NULL, NULL); \
	do { \
		try_seen = io_changes; \
		try_result = (try); \
	} while (would_block(try_result) && !(nowait) && \
		 !(try_code = io_wait_for_change(try_seen, deadline_ns, RT_CALLER))); \
	io_changes += try_result >= 0; \
	try_code ? io_fail(try_code) : try_result; })

RT_EXPORT int flock(int fd, int operation)
{
	if (!sched_self())
		return REAL(flock)(fd, operation);
	return (int)TRY(io_object(fd), 0, operation & LOCK_NB, REAL(flock)(fd, operation | LOCK_NB));
}

RT_EXPORT int lockf(int fd, int command, off_t size)
{
	if (!sched_self())
		return REAL(lockf)(fd, command, size);
	return (int)TRY(io_object(fd), 0, command != F_LOCK, REAL(lockf)(fd, command == F_LOCK ? F_TLOCK : command, size));
}

RT_EXPORT int system(const char *command)
{
	if (!sched_self())
		return REAL(system)(command);
	return OUTSIDE(int, REAL(system)(command));
}

RT_EXPORT int pclose(FILE *stream)
{
	if (!sched_self())
		return REAL(pclose)(stream);
	return OUTSIDE(int, REAL(pclose)(stream));
}

/* ---- System V ---------------------------------------------------------------------------------- */

RT_EXPORT ssize_t msgrcv(int queue, void *message, size_t size, long type, int flags)
{
	if (!sched_self())
		return REAL(msgrcv)(queue, message, size, type, flags);
	return TRY(NULL, 0, flags & IPC_NOWAIT, REAL(msgrcv)(queue, message, size, type, flags | IPC_NOWAIT));
}

RT_EXPORT int msgsnd(int queue, const void *message, size_t size, int flags)
{
	if (!sched_self())
		return REAL(msgsnd)(queue, message, size, flags);
	return (int)TRY(NULL, 0, flags & IPC_NOWAIT, REAL(msgsnd)(queue, message, size, flags | IPC_NOWAIT));
}

#define SEM_OPS 512 /* the kernel's own limit is 500 */

static int semop_try(int set, const struct sembuf *operations, size_t count)
{
	struct sembuf copy[SEM_OPS];

	if (count > SEM_OPS)
		return io_fail(E2BIG);
	for (size_t i = 0; i < count; i++) {
		copy[i] = operations[i];
		copy[i].sem_flg |= IPC_NOWAIT;
	}
	return REAL(semop)(set, copy, count);
}

static bool semop_nowait(const struct sembuf *operations, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (operations[i].sem_flg & IPC_NOWAIT)
			return true;
	return false;
}

RT_EXPORT int semop(int set, struct sembuf *operations, size_t count)
{
	if (!sched_self())
		return REAL(semop)(set, operations, count);
	return (int)TRY(NULL, 0, semop_nowait(operations, count), semop_try(set, operations, count));
}

RT_EXPORT int semtimedop(int set, struct sembuf *operations, size_t count, const struct timespec *timeout)
{
	if (!sched_self())
		return REAL(semtimedop)(set, operations, count, timeout);
	return (int)TRY(NULL, io_deadline(timeout), semop_nowait(operations, count), semop_try(set, operations, count));
}

/* ---- POSIX queues: file numbers on Linux, so poll knows ----------------------------------------- */

static int queue_wait(mqd_t queue, short events, const struct timespec *until, uintptr_t pc)
{
	if (io_is_nonblocking(queue))
		return io_wait(queue, events, true, pc);
	if (until && sched_bad_time(until))
		return EINVAL;
	return io_wait_until(queue, events, until ? sched_deadline_from(until, CLOCK_REALTIME) : 0, pc);
}

RT_EXPORT ssize_t mq_timedreceive(mqd_t queue, char *restrict bytes, size_t size, unsigned *restrict priority,
				  const struct timespec *restrict until)
{
	int code;

	if (!sched_self())
		return REAL(mq_timedreceive)(queue, bytes, size, priority, until);
	code = queue_wait(queue, POLLIN, until, RT_CALLER);
	return code ? io_fail(code) : REAL(mq_receive)(queue, bytes, size, priority);
}

RT_EXPORT ssize_t mq_receive(mqd_t queue, char *bytes, size_t size, unsigned *priority)
{
	int code;

	if (!sched_self())
		return REAL(mq_receive)(queue, bytes, size, priority);
	code = queue_wait(queue, POLLIN, NULL, RT_CALLER);
	return code ? io_fail(code) : REAL(mq_receive)(queue, bytes, size, priority);
}

RT_EXPORT int mq_timedsend(mqd_t queue, const char *bytes, size_t size, unsigned priority,
			   const struct timespec *until)
{
	int code;

	if (!sched_self())
		return REAL(mq_timedsend)(queue, bytes, size, priority, until);
	code = queue_wait(queue, POLLOUT, until, RT_CALLER);
	return code ? io_fail(code) : REAL(mq_send)(queue, bytes, size, priority);
}

RT_EXPORT int mq_send(mqd_t queue, const char *bytes, size_t size, unsigned priority)
{
	int code;

	if (!sched_self())
		return REAL(mq_send)(queue, bytes, size, priority);
	code = queue_wait(queue, POLLOUT, NULL, RT_CALLER);
	return code ? io_fail(code) : REAL(mq_send)(queue, bytes, size, priority);
}

/* ---- locks by fcntl ---------------------------------------------------------------------------- */

static bool waits(int command)
{
	return command == F_SETLKW || command == F_OFD_SETLKW;
}

static bool locks(int command)
{
	return waits(command) || command == F_SETLK || command == F_OFD_SETLK;
}

static int without_waiting(int command)
{
	return command == F_SETLKW ? F_SETLK : command == F_OFD_SETLKW ? F_OFD_SETLK : command;
}

static int duplicated(int fd, int command, int result)
{
	if (rt_wire && result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
		channel_copied(fd, result);
	return result;
}

RT_EXPORT int fcntl(int fd, int command, ...)
{
	va_list list;
	void *argument;

	va_start(list, command);
	argument = va_arg(list, void *);
	va_end(list);
	if (!sched_self() || !locks(command))
		return duplicated(fd, command, REAL(fcntl)(fd, command, argument));
	return (int)TRY(io_object(fd), 0, !waits(command), REAL(fcntl)(fd, without_waiting(command), argument));
}

RT_EXPORT int fcntl64(int fd, int command, ...)
{
	va_list list;
	void *argument;

	va_start(list, command);
	argument = va_arg(list, void *);
	va_end(list);
	if (!sched_self() || !locks(command))
		return duplicated(fd, command, REAL(fcntl64)(fd, command, argument));
	return (int)TRY(io_object(fd), 0, !waits(command), REAL(fcntl64)(fd, without_waiting(command), argument));
}
