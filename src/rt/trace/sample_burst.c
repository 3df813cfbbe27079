/*
 * sample_burst - after a sample, the next few instructions one by one: the trap flag, a SIGTRAP
 * each. A tick comes 250 times a second at most, and costs a tenth of what the budget allows;
 * what is left buys steps, over branches and calls where the extension cannot go, and each is
 * a sample of its own.
 *
 * A thread that steps while SIGTRAP is blocked, or without our handler, is killed by the kernel.
 * Both take a system call to bring about, so:
 * I1  A burst begins only where SIGTRAP is not blocked, and ends before a syscall instruction,
 *     an int, a pushf (the flag would be saved with the flags), and at the border of the module
 *     it began in: libc, where masks change, is never stepped through, and neither are we.
 * I2  The program's own disposition of SIGTRAP is kept here and gets whatever is not ours.
 * I3  A trap of the flag with no burst under way (flags restored from who knows where) clears it.
 */
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "rt/trace/sampler.h"

#define TRAP_FLAG 0x100
#define TAKE_EVERY 4 /* steps on a straight line: the extension knows the way between */

static bool ready;
static struct sigaction program_action; /* what the program wants of SIGTRAP */

static void set_flag(ucontext_t *context, bool on)
{
	if (on)
		context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	else
		context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

/* ---- where ---------------------------------------------------------------------------- */

static bool starts_with(const char *name, const char *start)
{
	return !rt_strncmp(name, start, rt_strlen(start));
}

static bool is_left_out(const struct trace_module *m)
{
	const char *name = m->path;

	for (const char *p = m->path; *p; p++)
		if (*p == '/')
			name = p + 1;
	return m->own || !*name || starts_with(name, "libc.so") || starts_with(name, "libc-") || starts_with(name, "ld-") ||
	       starts_with(name, "libpthread") || starts_with(name, "linux-vdso") || starts_with(name, "libjemalloc") ||
	       starts_with(name, "libtcmalloc");
}

static bool is_last(const uint8_t *ip)
{
	return (ip[0] == 0x0f && ip[1] == 0x05) || ip[0] == 0xcd || ip[0] == 0xcc || ip[0] == 0x9c || ip[0] == 0x9d ||
	       (ip[0] == 0x0f && ip[1] == 0x34);
}

static bool may_step(const uint64_t *keep, const ucontext_t *context)
{
	uintptr_t ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];

	return ip >= keep[KEEP_LOW] && ip < keep[KEEP_HIGH] && !is_last((const uint8_t *)ip);
}

/* ---- the burst ----------------------------------------------------------------------------- */

void burst_begin(struct trace_thread *self, void *context, unsigned steps)
{
	ucontext_t *uc = context;
	uint64_t *keep = sampler_keep(self);
	uintptr_t ip = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
	const struct trace_module *m;

	if (!ready || !steps || uc->uc_sigmask.__val[0] & 1ull << (SIGTRAP - 1))
		return;
	if (ip < keep[KEEP_LOW] || ip >= keep[KEEP_HIGH]) {
		m = trace_module_of(ip);
		if (!m || is_left_out(m))
			return;
		keep[KEEP_LOW] = m->low;
		keep[KEEP_HIGH] = m->high;
	}
	if (!may_step(keep, uc))
		return;
	keep[KEEP_STEPS] = steps;
	keep[KEEP_LAST] = ip;
	set_flag(uc, true);
}

/* A jump was taken, or the line is long enough. */
static bool is_worth_it(uint64_t *keep, uint64_t ip)
{
	uint64_t last = keep[KEEP_LAST];

	keep[KEEP_LAST] = ip;
	return ip - last > 15 || keep[KEEP_STEPS] % TAKE_EVERY == 0;
}

static void on_step(struct trace_thread *self, ucontext_t *context)
{
	uint64_t *keep = sampler_keep(self);

	if (!keep[KEEP_STEPS] || !may_step(keep, context)) {
		keep[KEEP_STEPS] = 0;
		set_flag(context, false);
		return;
	}
	keep[KEEP_STEPS]--;
	if (is_worth_it(keep, (uint64_t)context->uc_mcontext.gregs[REG_RIP]) && trace_enter(self)) {
		sampler_take(self, context, TRACE_STEPPED);
		trace_leave(self);
	}
	sampler_account_step();
	if (!keep[KEEP_STEPS])
		set_flag(context, false);
}

/* ---- SIGTRAP ----------------------------------------------------------------------------------- */

static void chain(int signal, siginfo_t *info, void *context)
{
	struct sigaction fall_back = { .sa_handler = SIG_DFL };

	if (program_action.sa_flags & SA_SIGINFO) {
		program_action.sa_sigaction(signal, info, context);
	} else if (program_action.sa_handler == SIG_DFL) {
		trace_sigaction(SIGTRAP, &fall_back, NULL);
		rt_syscall(SYS_tgkill, rt_syscall(SYS_getpid), rt_syscall(SYS_gettid), SIGTRAP);
	} else if (program_action.sa_handler != SIG_IGN) {
		program_action.sa_handler(signal);
	}
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	struct trace_thread *self = trace_self_quick();

	if (info->si_code != TRAP_TRACE) {
		chain(signal, info, context);
		return;
	}
	if (self && trace_header)
		on_step(self, context);
	else
		set_flag(context, false);
}

bool burst_sigaction(const struct sigaction *action, struct sigaction *old)
{
	if (!ready)
		return false;
	if (old)
		*old = program_action;
	if (action)
		program_action = *action;
	return true;
}

static bool is_traced(void)
{
	char text[512];
	long file = rt_syscall(SYS_openat, -100, "/proc/self/status", 0, 0), n;

	if (file < 0)
		return false;
	n = rt_syscall(SYS_read, file, text, sizeof(text) - 1);
	rt_syscall(SYS_close, file);
	text[n > 0 ? n : 0] = 0;
	for (const char *p = text; *p; p++)
		if (starts_with(p, "TracerPid:\t"))
			return p[11] != '0';
	return false;
}

/* Under a debugger every step would be its own: no bursts there. */
void burst_start(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };

	if (is_traced() || !trace_sigaction(SIGTRAP, NULL, &program_action))
		return;
	ready = trace_sigaction(SIGTRAP, &action, NULL);
}

void burst_stop(void)
{
	ready = false;
}

static bool any_steps(void)
{
	for (struct trace_thread *t = trace_threads(); t; t = t->next)
		if (!t->ended && __atomic_load_n(&sampler_keep(t)[KEEP_STEPS], __ATOMIC_RELAXED))
			return true;
	return false;
}

/* The program's own disposition back, once nobody steps any more: a step without our handler kills. */
void burst_restore(void)
{
	for (int i = 0; any_steps() && i < 100000; i++)
		rt_syscall(SYS_sched_yield);
	if (!any_steps())
		trace_sigaction(SIGTRAP, &program_action, NULL);
}
