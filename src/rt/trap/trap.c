/*
 * trap - the part of rt/trace that answers int3s and watchpoints. See internal.h.
 *
 * SIGTRAP is ours from the constructor on; what the program wants with it is kept and honoured: a
 * trap that is neither at a site of ours nor of our watch goes to the program's handler, or kills
 * it as it would have.
 *
 * fork: the child's copies of our int3s are restored when they are hit, by the same tables; it gets a
 * watchpoint of its own. exec takes all of it away. dlclose: the host is kept from writing
 * meanwhile (trap_gate).
 */
#include <errno.h>
#include <sys/syscall.h>

#include "rt/trap/internal.h"

struct trap_plan *trap_plan;
static struct sigaction wanted; /* the program's for SIGTRAP */
static bool away;               /* detached: children are not ours either */

#define INT3 0xcc
#define HIT_NS 5000 /* exception, signal, restoring, return: 3 to 5 us measured, and cold lines after it */
#define CODE_PERF 6 /* TRAP_PERF; older headers lack it */

/* si_perf_data follows si_addr. */
static uint64_t perf_data(const siginfo_t *info)
{
	uint64_t data;

	rt_memcpy(&data, (const char *)info + 24, sizeof(data));
	return data;
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
	struct sigaction action = wanted;

	if (action.sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
		struct sigaction plain = { .sa_handler = SIG_DFL };

		REAL(sigaction)(SIGTRAP, &plain, NULL);
		rt_syscall(SYS_tgkill, rt_syscall(SYS_getpid), rt_syscall(SYS_gettid), SIGTRAP);
		return;
	}
	if (action.sa_flags & SA_RESETHAND)
		wanted = (struct sigaction){ .sa_handler = SIG_DFL };
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(sig, info, context);
	else
		action.sa_handler(sig);
}

static void tell_hit(const struct trap_place *place, uint32_t flags)
{
	uint32_t n = __atomic_fetch_add(&trap_plan->hit_next, 1, __ATOMIC_RELAXED) % TRAP_HITS;
	struct trap_hit *hit = &trap_plan->hits[n];

	trap_count(TRAP_C_HITS, 1);
	__atomic_fetch_sub(&trap_plan->tokens_ns, HIT_NS, __ATOMIC_RELAXED);
	if (flags & TRAP_HIT_PRIVATE)
		trap_count(TRAP_C_PRIVATE, 1);
	if (flags & TRAP_HIT_BUSY)
		trap_count(TRAP_C_BUSY, 1);
	if (__atomic_load_n(&hit->ready, __ATOMIC_ACQUIRE))
		return; /* the host comes round to this site in any case */
	hit->process = trace_process;
	hit->table = place->table;
	hit->site = place->index;
	hit->flags = flags;
	__atomic_store_n(&hit->ready, 1, __ATOMIC_RELEASE);
}

/* One that was there before us (--pid) gets its slot now: without one it is not inside (rt/trace/sample.c). */
static struct trace_thread *thread(void)
{
	struct trace_thread *self = trace_self_quick();

	return self || !trap_plan || !trap_plan->late || !trace_header ? self : trace_self();
}

/* True: it was an int3 of ours, and is none any more. */
static bool on_int3(ucontext_t *context)
{
	greg_t *rip = &context->uc_mcontext.gregs[REG_RIP];
	struct trace_thread *self = thread();
	struct trap_place place;
	uint32_t flags = TRAP_HIT_BUSY;

	if (!site_find((uintptr_t)*rip - 1, &place))
		return false;
	if (*(volatile uint8_t *)(*rip - 1) == INT3 && place.site->original != INT3) {
		if (!site_restore(&place)) {
			trap_count(TRAP_C_NO_TEXT, 1);
			return false;
		}
		*rip -= 1;
		if (self && !self->inside && trace_header && trace_active())
			flags = watch_access(self, &place, context);
		tell_hit(&place, flags);
	} else {
		*rip -= 1; /* another thread was faster */
	}
	return true;
}

static void on_trap(int sig, siginfo_t *info, void *data)
{
	struct trace_thread *self = thread();
	int code = errno;

	if (info->si_code == CODE_PERF) {
		if (self && trap_plan)
			watch_tripped(self, perf_data(info), (uintptr_t)info->si_addr, data);
	} else if (info->si_code <= 0 || !on_int3(data)) {
		pass_on(sig, info, data);
	}
	errno = code;
}

/* ---- the part ------------------------------------------------------------------------------------- */

static bool plan_fits(void)
{
	return trace_header->plan_size >= sizeof(*trap_plan) && trap_plan->version == TRAP_VERSION;
}

/* For the host: what a handler of ours would find in trace_modules(). */
static void tell_modules(struct trace_thread *self)
{
	struct trap_modules *told = trap_plan ? &trap_plan->modules[trace_process] : NULL;
	uint32_t count = 0;

	if (!told)
		return;
	__atomic_store_n(&told->count, 0, __ATOMIC_SEQ_CST);
	for (const struct trace_module *m = trace_modules(); m && count < TRAP_MODULES; m = m->next)
		if (m->loaded && !m->own)
			__atomic_store_n(&told->base[count++], m->base, __ATOMIC_RELAXED);
	__atomic_store_n(&told->count, count, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&told->changes, 1, __ATOMIC_SEQ_CST);
}

/* ---- handlers that were installed before we came (--pid) -------------------------------------------- */

/* An int3 in a handler that blocks SIGTRAP would kill: it is taken out of their masks, and put back. */
static uint64_t freed_masks;

static void free_masks(void)
{
	uint64_t bit = 1ull << (SIGTRAP - 1);

	freed_masks = 0;
	for (int i = 1; i <= 64; i++) {
		struct sigaction action;

		if (i == SIGTRAP || i == SIGKILL || i == SIGSTOP || i == 32 || i == 33 || REAL(sigaction)(i, NULL, &action) ||
		    action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN || !(action.sa_mask.__val[0] & bit))
			continue;
		action.sa_mask.__val[0] &= ~bit;
		if (!REAL(sigaction)(i, &action, NULL))
			freed_masks |= 1ull << (i - 1);
	}
}

static void mask_again(void)
{
	for (int i = 1; i <= 64; i++) {
		struct sigaction action;

		if (!(freed_masks & 1ull << (i - 1)) || REAL(sigaction)(i, NULL, &action))
			continue;
		action.sa_mask.__val[0] |= 1ull << (SIGTRAP - 1);
		REAL(sigaction)(i, &action, NULL);
	}
	freed_masks = 0;
}

static void start(struct trace_thread *self)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER };
	struct sigaction before = { .sa_handler = SIG_DFL };
	uint64_t bit = 1ull << (SIGTRAP - 1);

	trap_plan = (void *)((char *)trace_header + trace_header->plan_offset);
	if (!plan_fits()) {
		trap_plan = NULL;
		return;
	}
	action.sa_mask.__val[0] = ~bit;
	REAL(sigaction)(SIGTRAP, &action, &before);
	if (before.sa_sigaction != on_trap) /* ours stayed when we left, see detach */
		wanted = before;
	away = false;
	if (trap_plan->late)
		free_masks();
	rt_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, sizeof(bit));
	trace_keep_signal(SIGTRAP);
	watch_open();
	site_open();
	tell_modules(self);
}

static void end(struct trace_thread *self)
{
	/* exit handlers of others may still run into an int3: the handler stays */
}

static void fork_child(struct trace_thread *self)
{
	if (!trap_plan || trace_quiet || away)
		return;
	watch_close();
	watch_open();
	site_close();
	site_open();
	tell_modules(self);
}

static bool on_sigaction(int sig, const struct sigaction *action, struct sigaction *old, int *result)
{
	struct sigaction before = wanted;

	if (sig != SIGTRAP || !trap_plan)
		return false;
	if (action)
		wanted = *action;
	if (old)
		*old = before;
	*result = 0;
	return true;
}

/* ---- unloading ---------------------------------------------------------------------------------------- */

/* The host writes within microseconds; if it died there, we do not wait for it for ever. */
#define GATE_TURNS 50000

static void close_gate(struct trap_gate *gate)
{
	__atomic_store_n(&gate->closed, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < GATE_TURNS && __atomic_load_n(&gate->writing, __ATOMIC_SEQ_CST); i++)
		rt_syscall(SYS_sched_yield);
}

static void unload(struct trace_thread *self)
{
	if (!trap_plan)
		return;
	__atomic_store_n(&trap_plan->modules[trace_process].count, 0, __ATOMIC_SEQ_CST);
	close_gate(&trap_plan->gates[trace_process]);
}

/* The host sees `left` before it writes again, ever. */
static void leave(void)
{
	struct trap_gate *gate = &trap_plan->gates[trace_process];

	__atomic_store_n(&gate->left, 1, __ATOMIC_SEQ_CST);
	close_gate(gate);
	site_restore_all();
	watch_stop();
}

static void quiet(struct trace_thread *self)
{
	if (trap_plan)
		leave();
}

static bool detach(struct trace_thread *self)
{
	if (!trap_plan)
		return true;
	leave();
	away = true;
	site_close();
	mask_again();
	if (!trap_plan->keep_handler)
		REAL(sigaction)(SIGTRAP, &wanted, NULL);
	return true;
}

const struct trace_part trace_part_trap = {
	.mode = TRACE_TRAP, .start = start, .end = end, .fork_child = fork_child, .unload = unload, .modules = tell_modules,
	.sigaction = on_sigaction, .quiet = quiet, .detach = detach,
};
