/*
 * sample_burst - after a sample, the next few instructions one by one: the trap flag, a SIGTRAP
 * each. A tick comes 250 times a second at most, and costs a tenth of what the budget allows;
 * what is left buys steps, over branches and calls where the extension cannot go, and each is
 * a sample of its own.
 *
 * Half of the samples of a busy server fall into libc, where no steps are made, and a step into it ends a
 * burst. Both go on at the next way out of a wrapper of ours (malloc and its kin, locks): the flag is set
 * there, and the few instructions to our return are passed without a record. So what a program does
 * first with a block it was given, or behind a lock, is seen: a lazily created object is published there.
 *
 * A thread that steps while SIGTRAP is blocked, or without our handler, is killed by the kernel.
 * Both take a system call to bring about, so:
 * I1  A burst begins only where SIGTRAP is not blocked (the mask is asked for on the way out of a wrapper), and ends before a syscall instruction,
 *     an int, a pushf (the flag would be saved with the flags), and at the border of the module
 *     it began in: libc, where masks change, is never stepped through, and of us only what is behind the last system call.
 * I2  The program's own disposition of SIGTRAP is kept here and gets whatever is not ours.
 * I3  A trap of the flag with no burst under way (flags restored from who knows where) clears it.
 * I4  Who is about to step says so first (KEEP_STEPS, KEEP_RETURN) and then asks whether it may; who takes the handler away
 *     (a detach) forbids it first and then looks who has said so. One of them sees the other. One of the two is set from before
 *     the first step until the flag is cleared.
 */
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "rt/trace/sampler.h"

#define TRAP_FLAG 0x100
#define TAKE_EVERY 4 /* steps on a straight line: the extension knows the way between */
#define TRIES 4      /* steps to learn the price of one; 11 us each in a virtual machine */

static bool ready;
static uintptr_t own_low, own_high;
static struct sigaction program_action; /* what the program wants of SIGTRAP */
static bool installed;                  /* our handler is in its place */

static void set_flag(ucontext_t *context, bool on)
{
	if (on)
		context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	else
		context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

/* ---- where ---------------------------------------------------------------------------- */

/* While a debugger is attached the host says no: every step would be the debugger's. */
static bool may_begin(void)
{
	return __atomic_load_n(&ready, __ATOMIC_SEQ_CST) && !(__atomic_load_n(&trace_header->flags, __ATOMIC_RELAXED) & TRACE_NO_STEPS);
}

/* I4 */
static bool announce(uint64_t *slot, uint64_t steps)
{
	__atomic_store_n(slot, steps, __ATOMIC_SEQ_CST);
	if (likely(may_begin()))
		return true;
	__atomic_store_n(slot, 0, __ATOMIC_RELEASE);
	return false;
}

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

static bool is_in_module(uint64_t *keep, uintptr_t ip)
{
	const struct trace_module *m;

	if (ip >= keep[KEEP_LOW] && ip < keep[KEEP_HIGH])
		return true;
	m = trace_module_of(ip);
	if (!m || is_left_out(m))
		return false;
	keep[KEEP_LOW] = m->low;
	keep[KEEP_HIGH] = m->high;
	return true;
}

void burst_begin(struct trace_thread *self, void *context, unsigned steps)
{
	ucontext_t *uc = context;
	uint64_t *keep = sampler_keep(self);
	uintptr_t ip = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];

	if (!ready || !steps || uc->uc_sigmask.__val[0] & 1ull << (SIGTRAP - 1))
		return;
	if (!is_in_module(keep, ip)) {
		burst_later(self, steps);
		return;
	}
	if (!may_step(keep, uc) || !announce(&keep[KEEP_STEPS], steps))
		return;
	keep[KEEP_LAST] = ip;
	set_flag(uc, true);
}

void burst_later(struct trace_thread *self, unsigned steps)
{
	if (!ready)
		return;
	self->resume = steps;
	trace_told_refresh(self);
}

static bool is_trap_blocked(void)
{
	uint64_t mask = 0;

	return rt_syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask)) < 0 || mask & 1ull << (SIGTRAP - 1);
}

RT_NOINLINE bool burst_resume(struct trace_thread *self)
{
	uint32_t steps = self->resume;

	self->resume = 0;
	if (!ready || !trace_active() || is_trap_blocked())
		return false;
	return announce(&sampler_keep(self)[KEEP_RETURN], steps);
}

/*
 * Of every tick the next LOOK allocations are looked at; the first that is due is followed: the 1st, 2nd, 4th, 8th ...
 * of its call. So calls that are made once in a thousand requests are followed as often as hot ones,
 * and whoever allocates publishes: pointers to lazily created objects are written just there.
 */
#define LOOK 64
#define CALLS 128 /* direct-mapped; one that is displaced begins anew */

struct burst_call {
	uintptr_t pc;
	uint64_t count;
};

void burst_look_begin(struct trace_thread *self, bool may)
{
	if (!self->calls)
		self->calls = rt_arena(CALLS * sizeof(*self->calls));
	self->look = may && ready && self->calls ? LOOK : 0;
	trace_told_refresh(self);
}

RT_NOINLINE void burst_look(struct trace_thread *self, uintptr_t pc)
{
	struct burst_call *call = &self->calls[pc * 0x9e3779b97f4a7c15ull >> 57];

	if (call->pc != pc)
		*call = (struct burst_call){ .pc = pc };
	call->count++;
	self->look--;
	if (call->count & (call->count - 1))
		return;
	self->look = 0;
	if (self->resume < BURST_LOOK_STEPS)
		self->resume = BURST_LOOK_STEPS;
}
_Static_assert(CALLS == 1u << (64 - 57), "the shift picks a call");

/* On the way out: are we there yet? What is left of the steps then is the burst. */
static void on_return(struct trace_thread *self, ucontext_t *context)
{
	uint64_t *keep = sampler_keep(self), left = keep[KEEP_RETURN] - 1;
	uintptr_t ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	bool inside = ip >= own_low && ip < own_high;

	sampler_account_step(self);
	if (inside && left) {
		keep[KEEP_RETURN] = left;
		return;
	}
	set_flag(context, false);
	if (!inside && left && is_in_module(keep, ip) && may_step(keep, context) && announce(&keep[KEEP_STEPS], left)) {
		if (trace_enter(self)) {
			sampler_take(self, context, TRACE_STEPPED);
			trace_leave(self);
		}
		keep[KEEP_LAST] = ip;
		set_flag(context, true);
	}
	__atomic_store_n(&keep[KEEP_RETURN], 0, __ATOMIC_RELEASE);
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
	uint64_t *keep = sampler_keep(self), left;

	if (keep[KEEP_RETURN]) {
		on_return(self, context);
		return;
	}
	if (!keep[KEEP_STEPS] || !may_begin() || !may_step(keep, context)) {
		if (!is_in_module(keep, (uintptr_t)context->uc_mcontext.gregs[REG_RIP]))
			burst_later(self, (unsigned)keep[KEEP_STEPS]);
		set_flag(context, false);
		__atomic_store_n(&keep[KEEP_STEPS], 0, __ATOMIC_RELEASE);
		return;
	}
	left = keep[KEEP_STEPS] - 1; /* not 0 before the flag is cleared: I4 */
	if (is_worth_it(keep, (uint64_t)context->uc_mcontext.gregs[REG_RIP]) && trace_enter(self)) {
		sampler_take(self, context, TRACE_STEPPED);
		trace_leave(self);
	}
	sampler_account_step(self);
	if (!left)
		set_flag(context, false);
	__atomic_store_n(&keep[KEEP_STEPS], left, __ATOMIC_RELEASE);
}

/* ---- SIGTRAP ----------------------------------------------------------------------------------- */

static void chain(int signal, siginfo_t *info, void *context)
{
	struct sigaction fall_back = { .sa_handler = SIG_DFL };

	if (program_action.sa_flags & SA_SIGINFO) {
		program_action.sa_sigaction(signal, info, context);
	} else if (program_action.sa_handler == SIG_DFL) {
		rt_sigaction(SIGTRAP, &fall_back, NULL);
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

/*
 * A step on ourselves: with no burst under way the handler clears the flag and that is all, which is what a step costs at least.
 * In a virtual machine it is many times the price of a signal: the exception and each look at the debug
 * registers may leave the machine.
 */
static bool pricing; /* as a burst under way: I4 */

void burst_learn_price(void)
{
	uint64_t best = UINT64_MAX;

	__atomic_store_n(&pricing, true, __ATOMIC_SEQ_CST);
	for (int i = 0; i < TRIES && may_begin() && !is_trap_blocked(); i++) {
		uint64_t one = sampler_now();

		TRACE_STEP_FROM_HERE();
		one = sampler_now() - one;
		if (one < best)
			best = one;
	}
	if (best != UINT64_MAX)
		sampler_step_price(best);
	__atomic_store_n(&pricing, false, __ATOMIC_RELEASE);
}

/*
 * Under a debugger every step would be its own: no bursts there. In a process we came into, whoever has stopped the thread
 * just now is deadheat itself; the host has looked for others before.
 */
void burst_start(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK }, now;

	if ((!trace_late && is_traced()) || !rt_sigaction(SIGTRAP, NULL, &now))
		return;
	if (now.sa_sigaction != on_trap) /* ours stayed when we left, see burst_restore */
		program_action = now;
	for (const struct trace_module *m = trace_modules(); m; m = m->next)
		if (m->own) {
			own_low = m->low;
			own_high = m->high;
		}
	ready = installed = rt_sigaction(SIGTRAP, &action, NULL);
	if (!trace_late) /* else by the first sample: sample.c */
		burst_learn_price();
}

void burst_stop(void)
{
	__atomic_store_n(&ready, false, __ATOMIC_SEQ_CST);
}

static bool any_steps(void)
{
	if (__atomic_load_n(&pricing, __ATOMIC_SEQ_CST))
		return true;
	for (struct trace_thread *t = trace_threads(); t; t = t->next)
		if (!t->ended && (__atomic_load_n(&sampler_keep(t)[KEEP_STEPS], __ATOMIC_SEQ_CST) ||
				  __atomic_load_n(&sampler_keep(t)[KEEP_RETURN], __ATOMIC_SEQ_CST)))
			return true;
	return false;
}

/*
 * The program's own disposition back, once nobody steps any more: a step without our handler kills. False: somebody does.
 * A thread that left a burst by longjmp out of a handler of the program keeps it for good: then ours stays, and hands on.
 */
bool burst_restore(void)
{
	if (!installed)
		return true;
	if (any_steps())
		return false;
	installed = !rt_sigaction(SIGTRAP, &program_action, NULL);
	return true;
}
