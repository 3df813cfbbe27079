/*
 * doctor_watch - what watching an unmodified program needs of the kernel (DESIGN 9, 10): hardware
 * samples, hardware watchpoints that signal, one byte written into text, another process traced.
 *
 * Each is tried in a child: a watchpoint or a tracer must not stay behind, and a SIGTRAP that
 * nobody expects ends only the child.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/doctor.h"

/* What the child leaves as its exit status: 0 works, 255 no sign of it, else errno. */
#define NO_SIGN 255

static int in_child(int (*attempt)(void))
{
	pid_t child = fork();
	int status = -1;

	if (child < 0)
		return errno;
	if (!child)
		_exit(attempt());
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : NO_SIGN;
}

static const char *why(int code)
{
	return code == NO_SIGN ? "nothing comes of it" : strerror(code);
}

/* ---- hardware samples ---------------------------------------------------------------------- */

static int open_samples(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = PERF_COUNT_HW_CPU_CYCLES,
					.sample_period = 1000000, .sample_type = PERF_SAMPLE_IP, .precise_ip = 1,
					.exclude_kernel = 1, .exclude_hv = 1, .disabled = 1 };

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) < 0 ? errno : 0;
}

/* None is no fault: many virtual machines have none, and a timer takes their place. */
struct diagnosis doctor_samples(struct arena *arena)
{
	int code = in_child(open_samples);

	if (code)
		return GOOD("no precise hardware samples (%s): a CPU-time timer takes their place", why(code));
	return GOOD("the processor can sample precisely");
}

/* ---- watchpoints ----------------------------------------------------------------------------- */

static volatile long watched;
static volatile sig_atomic_t trapped;

static void on_trap(int signal)
{
	trapped = 1;
}

static int watch(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = HW_BREAKPOINT_RW,
					.bp_addr = (uintptr_t)&watched, .bp_len = HW_BREAKPOINT_LEN_8, .sample_period = 1,
					.inherit = 1, .inherit_thread = 1, .remove_on_exec = 1, .sigtrap = 1,
					.exclude_kernel = 1, .exclude_hv = 1 };

	signal(SIGTRAP, on_trap);
	if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) < 0)
		return errno;
	watched = 1;
	return trapped ? 0 : NO_SIGN;
}

struct diagnosis doctor_watchpoints(struct arena *arena)
{
	int code = in_child(watch);

	if (code)
		return LESS("sysctl kernel.perf_event_paranoid=2, Linux 5.13 or later (docker run --cap-add=PERFMON)",
			    "no hardware watchpoints (%s): unmodified programs are watched by comparing values only", why(code));
	return GOOD("an access to watched bytes raises SIGTRAP");
}

/* ---- one byte of text --------------------------------------------------------------------------- */

/* Its own first byte over itself: what an int3 and taking it back need. */
static int write_text(void)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	const void *text = (const void *)write_text;

	if (fd < 0 || pwrite(fd, text, 1, (off_t)(uintptr_t)text) != 1)
		return errno ? errno : NO_SIGN;
	return 0;
}

struct diagnosis doctor_text(struct arena *arena)
{
	int code = in_child(write_text);

	if (code)
		return LESS("allow writing /proc/self/mem (kernel option proc_mem.force_override=always)",
			    "code cannot be changed through /proc/self/mem (%s): no breakpoints in unmodified programs", why(code));
	return GOOD("one byte of code can be changed in place");
}

/* ---- another process ------------------------------------------------------------------------------ */

/* The one traced is no child of the one who traces: what yama's ptrace_scope 1 forbids. */
static int trace_other(void)
{
	pid_t other = fork(), tracer;
	int status = NO_SIGN << 8, code;

	if (!other)
		for (;;)
			pause();
	tracer = fork();
	if (!tracer)
		_exit(ptrace(PTRACE_SEIZE, other, NULL, NULL) ? errno : 0);
	if (tracer > 0)
		waitpid(tracer, &status, 0);
	code = WIFEXITED(status) ? WEXITSTATUS(status) : NO_SIGN;
	kill(other, SIGKILL);
	return code;
}

struct diagnosis doctor_attach(struct arena *arena)
{
	int code = in_child(trace_other);

	if (code)
		return LESS("sysctl kernel.yama.ptrace_scope=0, or as root (docker run --cap-add=SYS_PTRACE)",
			    "a process that runs already may not be traced (%s): programs must be started by deadheat", why(code));
	return GOOD("a process that runs already can be traced");
}
