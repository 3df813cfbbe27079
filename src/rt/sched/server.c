/*
 * server - the fork server: trials start from here, before main, with everything loaded.
 *
 *     host                     server (this process)              trial (a child)
 *       <------- READY --------  stops in the constructor
 *       plan, empty log
 *       ---------- RUN ------->  sites resolved, fork ---------->  leaves server_loop, main runs
 *       <------- STARTED ------                                    writes to the wire
 *                                wait, or kill at wall_ms  <-----  ends
 *                                patch what it visited
 *       <------- ENDED --------
 *
 * I1  A trial is the leader of its own process group and dies with the server; what is
 *     left of the group after it is killed, and so is what left the group (daemons): the
 *     server is their reaper. So nothing survives a trial.
 * I2  The text is patched here, between trials, with a single thread: every trial after
 *     the first runs at full speed. Sites of the next pair are restored first.
 * I3  Nothing a trial does can change what the next one sees: all else is copy on write.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/sched/turn.h"

static void say(enum wire_control_kind kind, int value)
{
	struct wire_control message = { kind, value };

	rt_syscall(SYS_sendto, rt_control, &message, sizeof(message), MSG_NOSIGNAL, NULL, 0);
}

/* True: run a trial. The host going away reads as quit. */
static bool hear(void)
{
	struct wire_control message;
	long size;

	do
		size = rt_syscall(SYS_recvfrom, rt_control, &message, sizeof(message), 0, NULL, NULL);
	while (size == -EINTR);
	return size == sizeof(message) && message.kind == WIRE_CTL_RUN;
}

static void die_with_parent(long parent)
{
	rt_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (rt_syscall(SYS_getppid) != parent)
		rt_exit_now(1);
}

static void child_begin(long server)
{
	rt_syscall(SYS_setpgid, 0, 0);
	die_with_parent(server);
	rt_syscall(SYS_close, rt_control);
	rt_control = -1;
}

/* ---- waiting ------------------------------------------------------------------------------- */

static void end_by_wall_clock(long child)
{
	rt_count(WIRE_WATCHDOG);
	rt_syscall(SYS_kill, -child, SIGKILL);
	sched_step_count = rt_wire->steps_used;
	sched.hash = rt_wire->step_hash;
	sched.ended = false;
	sched_write_end(WIRE_END_WATCHDOG, 0);
}

/* Until the child is gone or the time is up; the host going away ends both. */
static void watch(long child)
{
	long file = rt_syscall(SYS_pidfd_open, child, 0);
	struct pollfd fds[2] = { { (int)file, POLLIN, 0 }, { rt_control, POLLIN, 0 } };
	struct timespec limit = { (time_t)(rt_plan->wall_ms / 1000), (long)(rt_plan->wall_ms % 1000) * 1000000 };
	long ready;

	if (file < 0)
		return;
	do
		ready = rt_syscall(SYS_ppoll, fds, 2, rt_plan->wall_ms ? &limit : NULL, NULL, 0);
	while (ready == -EINTR);
	rt_syscall(SYS_close, file);
	if (ready == 0)
		end_by_wall_clock(child);
	else if (!(fds[0].revents & POLLIN))
		rt_syscall(SYS_kill, -child, SIGKILL);
}

/* Kill the processes named in "12 34 56 ", our children; false: nothing is to be read there. */
static bool kill_listed(void)
{
	char list[512];
	long fd = rt_syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/children", O_RDONLY | O_CLOEXEC, 0);
	long size = fd < 0 ? 0 : rt_syscall(SYS_read, fd, list, sizeof(list));
	long pid = 0;

	if (fd >= 0)
		rt_syscall(SYS_close, fd);
	for (long i = 0; i < size; i++) {
		if (list[i] >= '0' && list[i] <= '9') {
			pid = pid * 10 + list[i] - '0';
		} else if (pid) {
			rt_syscall(SYS_kill, pid, SIGKILL);
			pid = 0;
		}
	}
	return size > 0;
}

/* Orphans of the trial that left its group have come to us. */
static void reap_orphans(void)
{
	long got;

	while ((got = rt_syscall(SYS_wait4, -1, NULL, WNOHANG, NULL)) >= 0)
		if (got == 0 && (!kill_listed() || rt_syscall(SYS_wait4, -1, NULL, 0, NULL) < 0))
			break;
}

static int wait_for(long child)
{
	int status = 0;
	long got;

	watch(child);
	do
		got = rt_syscall(SYS_wait4, child, &status, 0, NULL);
	while (got == -EINTR);
	rt_syscall(SYS_kill, -child, SIGKILL); /* children it left behind */
	reap_orphans();
	return status;
}

/* ---- between trials -------------------------------------------------------------------------- */

static void patch_visited(void)
{
	const char *log = (const char *)rt_wire + rt_wire->log_offset;
	uint64_t end = rt_wire->log_reserved < rt_wire->log_size ? rt_wire->log_reserved : rt_wire->log_size;

	for (uint64_t at = 0; at + sizeof(struct wire_record) <= end;) {
		const struct wire_record *record = (const void *)(log + at);
		const struct wire_ev_visited *visited = (const void *)record;

		if (!record->size)
			break;
		if (record->type == WIRE_EV_VISITED)
			rt_patch_nop_known((uintptr_t)visited->site);
		at += record->size;
	}
}

static void serve(long child)
{
	int status;

	rt_syscall(SYS_setpgid, child, child);
	say(WIRE_CTL_STARTED, (int)child);
	status = wait_for(child);
	if (!rt_plan_flag(WIRE_NO_PATCH))
		patch_visited();
	say(WIRE_CTL_ENDED, status);
}

void server_loop(void)
{
	long server = rt_syscall(SYS_getpid), child;

	rt_syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	say(WIRE_CTL_READY, (int)server);
	while (hear()) {
		rt_modules_again();
		pair_start();
		child = REAL(fork)();
		if (child == 0) {
			child_begin(server);
			return;
		}
		if (child < 0)
			say(WIRE_CTL_ENDED, -1);
		else
			serve(child);
	}
	rt_exit_now(0);
}
