/*
 * sample - the part that takes samples (RACEZ, section 3): at a signal of the trigger, where
 * the thread is, what its registers hold, which locks it has, how far its clock is.
 *
 * Budget: the cost of one sample is measured at the start (signals to ourselves: delivery,
 * handler and return) and the handler's part again at every sample; the mean period is that
 * cost divided by the budget, and each period is drawn from [1/2, 3/2) of it, so that no rhythm
 * of the program hides from us. Timers come at the kernel's tick, less often than that: what is left is put by and spent on single steps
 * (sample_burst.c), whose price is measured at the start, too. Following locks and allocations is not in it: a few cycles each.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include "rt/trace/sampler.h"

#define TRIES 16            /* signals to ourselves to learn the price of one */
#define SHORTEST 100000u    /* ns; the kernel's tick is longer: every tick that finds the thread running */
#define LONGEST 1000000000u
#define TICK 4000000u       /* ns, of most kernels (HZ=250): CPU-time timers are looked at then */
#define MOST_STEPS 32
#define LEAST_STEPS 8
#define DEFAULT_SIGNAL 61   /* SIGRTMAX - 3: the programs we know take theirs from the lower end */

static const struct trigger *trigger;
static uint64_t tsc_per_us = 1000;  /* measured */
static uint64_t delivery_ns = 3000; /* of a signal, beside the handler; measured */
static uint64_t handler_ns = 1000;  /* running mean; written without a lock: a guess is as good */
static uint64_t step_ns = 20000;    /* of a single step; measured */
static struct trace_thread *trying; /* who sends signals to itself just now */
static bool price_known;
static bool leaving; /* a detach was begun */
static struct sigaction before_sampler, before_toggle;

uint64_t sampler_now(void)
{
	struct timespec now = { 0 };

	rt_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int sampler_signal(void)
{
	return trace_header->signal ? (int)trace_header->signal : DEFAULT_SIGNAL;
}

/* ---- the period ---------------------------------------------------------------------------- */

static uint64_t draw(struct trace_thread *self)
{
	uint64_t *x = &sampler_keep(self)[KEEP_RANDOM];

	if (!*x)
		*x = (trace_header->seed ^ (self->number + 1) * 0x9e3779b97f4a7c15ull) | 1;
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static uint64_t mean_period(void)
{
	uint64_t budget = trace_header->budget_ppm ? trace_header->budget_ppm : 10000;
	uint64_t period = trace_header->period_ns;

	if (!trace_active())
		return LONGEST / 50; /* often enough to notice a start */
	if (!period)
		period = (delivery_ns + handler_ns) * 1000000 / budget;
	if (period < SHORTEST && !trace_header->period_ns)
		period = SHORTEST;
	return period > LONGEST ? LONGEST : period;
}

uint64_t sampler_period(struct trace_thread *self)
{
	uint64_t period = mean_period();

	return period / 2 + draw(self) % (period + 1);
}

/* Anywhere in a period: threads that live shorter than one have their share of samples too. */
uint64_t sampler_first(struct trace_thread *self)
{
	return 1 + draw(self) % mean_period();
}

/* What the budget has left of the time between two samples is put by for steps. */
static void earn(struct trace_thread *self)
{
	uint64_t budget = trace_header->budget_ppm ? trace_header->budget_ppm : 10000, period = mean_period();
	int64_t most = (int64_t)(MOST_STEPS * step_ns);

	self->credit += (int64_t)((period > TICK ? period : TICK) * budget / 1000000) - (int64_t)(delivery_ns + handler_ns);
	if (self->credit > most)
		self->credit = most;
	if (self->credit < -most)
		self->credit = -most;
}

/*
 * As many as were saved for, but no fewer than take one to another basic block, where the extension
 * of the sample does not reach. A fixed period is taken at its word and gets the most.
 */
static unsigned burst_steps(struct trace_thread *self)
{
	int64_t steps;

	earn(self);
	steps = self->credit / (int64_t)step_ns;
	if (trace_header->period_ns)
		steps = MOST_STEPS;
	return steps < LEAST_STEPS ? 0 : (unsigned)steps;
}

/* ---- the sample ------------------------------------------------------------------------------- */

static void take_registers(struct trace_r_sample *sample, const ucontext_t *context)
{
	static const uint8_t from[TRACE_REGISTERS] = {
		[TRACE_RAX] = REG_RAX, [TRACE_RCX] = REG_RCX, [TRACE_RDX] = REG_RDX, [TRACE_RBX] = REG_RBX,
		[TRACE_RSP] = REG_RSP, [TRACE_RBP] = REG_RBP, [TRACE_RSI] = REG_RSI, [TRACE_RDI] = REG_RDI,
		[TRACE_R8] = REG_R8, [TRACE_R9] = REG_R9, [TRACE_R10] = REG_R10, [TRACE_R11] = REG_R11,
		[TRACE_R12] = REG_R12, [TRACE_R13] = REG_R13, [TRACE_R14] = REG_R14, [TRACE_R15] = REG_R15,
	};

	for (int i = 0; i < TRACE_REGISTERS; i++)
		sample->registers[i] = (uint64_t)context->uc_mcontext.gregs[from[i]];
	sample->ip = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
	sample->flags = (uint64_t)context->uc_mcontext.gregs[REG_EFL];
	sample->fs_base = (uintptr_t)__builtin_thread_pointer();
}

static void take_locks(struct trace_r_sample *sample, const struct trace_thread *self)
{
	uint64_t *locks = (uint64_t *)(sample + 1);

	sample->lock_count = self->lock_count;
	for (uint32_t i = 0; i < self->lock_count; i++)
		locks[i] = self->held[i].lock | (self->held[i].mode == LOCK_READ ? TRACE_LOCK_SHARED : 0);
	sample->stack_words = 0;
	sample->head.aux = (self->locks_lost ? TRACE_LOCKS_LOST : 0) | (self->ignoring > 0 ? TRACE_IGNORED : 0);
}

void sampler_take(struct trace_thread *self, const void *context, uint32_t flags)
{
	size_t size = sizeof(struct trace_r_sample) + self->lock_count * sizeof(uint64_t);
	uint64_t order = trace_order();
	struct trace_r_sample *sample;

	__atomic_store_n(&trace_header->epoch, order, __ATOMIC_RELEASE);
	sample = trace_record(self, TRACE_R_SAMPLE, size, order);
	if (!sample)
		return;
	take_registers(sample, context);
	take_locks(sample, self);
	sample->head.aux |= flags;
	sample->clock = self->clock;
	trace_commit(self, sample);
}

static void take_counted(struct trace_thread *self, void *context)
{
	unsigned steps;

	if (!trace_active()) {
		trace_count(TRACE_SAMPLES_PAUSED);
	} else {
		trace_count(TRACE_SAMPLES);
		sampler_take(self, context, 0);
		steps = burst_steps(self);
		burst_begin(self, context, steps);
		burst_look_begin(self, steps > 0);
	}
}

void sampler_step_price(uint64_t ns)
{
	step_ns = ns > delivery_ns ? ns : delivery_ns;
}

void sampler_account_step(struct trace_thread *self)
{
	self->credit -= (int64_t)step_ns;
	trace_count(TRACE_STEPS);
	trace_count_add(TRACE_HANDLER_NS, step_ns);
}

static void account(uint64_t started)
{
	uint64_t ns = (__rdtsc() - started) * 1000 / tsc_per_us;

	if (ns < 1000000) /* else we were off the processor meanwhile */
		handler_ns = (handler_ns * 15 + ns) / 16;
	trace_count_add(TRACE_HANDLER_NS, delivery_ns + handler_ns);
}

/* A detach takes the trigger away first and then looks who is armed; we arm first and then look: one sees the other. */
static void sample_thread_start(struct trace_thread *self)
{
	const struct trigger *now = __atomic_load_n(&trigger, __ATOMIC_SEQ_CST);

	if (now && !now->arm(self, 0))
		trace_count(TRACE_SAMPLES_NO_TIMER);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (now && !__atomic_load_n(&trigger, __ATOMIC_SEQ_CST))
		now->disarm(self);
}

static void trigger_next(struct trace_thread *self)
{
	const struct trigger *now = trigger; /* a sandbox may take it away meanwhile */

	if (now && !self->ended)
		now->next(self, sampler_period(self));
}

/* ---- the price of a signal ----------------------------------------------------------------------------- */

/* With `inside` set the handler does all but the record: delivery and return are what costs. */
static void learn_price(void)
{
	uint64_t begin = sampler_now(), tsc = __rdtsc(), spent, best = UINT64_MAX;
	long process = rt_syscall(SYS_getpid), thread = rt_syscall(SYS_gettid);

	trying = trace_self_quick();
	for (int i = 0; i < TRIES; i++) {
		uint64_t one = sampler_now();

		rt_syscall(SYS_tgkill, process, thread, sampler_signal());
		one = sampler_now() - one;
		if (one < best) /* the others were disturbed */
			best = one;
	}
	trying = NULL;
	spent = sampler_now() - begin;
	if (spent > 1000)
		tsc_per_us = (__rdtsc() - tsc) * 1000 / spent;
	if (!tsc_per_us)
		tsc_per_us = 1;
	delivery_ns = best;
}

/* A shell before us may have left our signal blocked: masks are inherited. */
static void unblock(int number)
{
	uint64_t set = 1ull << (number - 1);

	rt_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, sizeof(set));
}

static void on_sample(int signal, siginfo_t *info, void *context)
{
	uint64_t started = __rdtsc();
	struct trace_thread *self;

	if (!trace_header || !trigger)
		return;
	self = trace_self(); /* a thread without a slot is not inside, so making one is safe */
	sampler_restart(context);
	if (!trace_enter(self)) {
		if (self == trying)
			return;
		trace_count(TRACE_SAMPLES_INSIDE);
		burst_later(self, trace_active() ? burst_steps(self) : 0);
		trigger_next(self);
		return;
	}
	if (!sampler_keep(self)[KEEP_ARMED]) /* known from a former attach */
		sample_thread_start(self);
	if (unlikely(!price_known) && !__atomic_exchange_n(&price_known, true, __ATOMIC_RELAXED)) {
		unblock(sampler_signal());
		learn_price();
		burst_learn_price();
		started = __rdtsc();
	}
	take_counted(self, context);
	trigger_next(self);
	trace_leave(self);
	account(started);
}

static void on_toggle(int signal, siginfo_t *info, void *context)
{
	sampler_restart(context); /* a sleep begins anew rather than end early */
	__atomic_xor_fetch(&trace_header->active, 1, __ATOMIC_RELAXED);
}

/* ---- life ------------------------------------------------------------------------------------------ */

/* before: what the program had there, for the detach; what a detach under way has left there is ours, not its. */
static bool install(int number, void (*handler)(int, siginfo_t *, void *), struct sigaction *before)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };

	if (!rt_sigaction(number, &action, leaving ? NULL : before))
		return false;
	trace_keep_signal(number);
	return true;
}

static void choose(void)
{
	bool pmu = trace_header->sampler != TRACE_SAMPLER_TIMER && trigger_pmu.probe();

	trigger = pmu ? &trigger_pmu : &trigger_timer;
	trace_header->sampler = trigger->kind;
}

static void sample_thread_end(struct trace_thread *self)
{
	if (trigger)
		trigger->disarm(self);
}

static void sample_quiet(struct trace_thread *self)
{
	const struct trigger *was = __atomic_exchange_n(&trigger, NULL, __ATOMIC_SEQ_CST);

	burst_stop();
	for (struct trace_thread *t = trace_threads(); t && was; t = t->next)
		if (!t->ended)
			was->disarm(t);
}

static void sample_start(struct trace_thread *self)
{
	choose();
	if (!install(sampler_signal(), on_sample, &before_sampler)) {
		trigger = NULL;
		trace_note(self, "the kernel refuses a signal handler: nothing is sampled");
		return;
	}
	unblock(sampler_signal());
	if (trace_header->toggle_signal) {
		install((int)trace_header->toggle_signal, on_toggle, &before_toggle);
		unblock((int)trace_header->toggle_signal);
	}
	leaving = false;
	if (!trace_late) { /* else the host stops this thread at each signal: the first sample of another one learns it */
		price_known = true;
		learn_price();
	}
	if (!(trace_header->flags & TRACE_NO_STEPS))
		burst_start();
}

/* Timers and events are not inherited by fork; the handler is. */
static void sample_fork_child(struct trace_thread *self)
{
	rt_memset(sampler_keep(self), 0, sizeof(self->part[0]));
	self->resume = self->look = 0;
	self->credit = 0;
	sample_thread_start(self);
}

static void sample_end(struct trace_thread *self)
{
	sample_thread_end(self);
}

/*
 * In two steps, some ms apart. First nobody gets a signal any more, and ignoring it drops those under way; then, when no thread
 * is in the middle of a burst or of its first timer, the old dispositions come back: a signal of ours would kill by them.
 */
static bool sample_detach(struct trace_thread *self)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	if (!leaving) {
		leaving = true;
		sample_quiet(self);
		rt_sigaction(sampler_signal(), &ignore, NULL);
		if (trace_header->toggle_signal)
			rt_sigaction((int)trace_header->toggle_signal, &ignore, NULL);
		return false;
	}
	if (!burst_restore())
		return false;
	rt_sigaction(sampler_signal(), &before_sampler, NULL);
	if (trace_header->toggle_signal)
		rt_sigaction((int)trace_header->toggle_signal, &before_toggle, NULL);
	return true;
}

/* The program's wish is heard and not granted: our signal is ours while we are here. */
static bool sample_sigaction(int number, const struct sigaction *action, struct sigaction *old, int *result)
{
	if (number == SIGTRAP && burst_sigaction(action, old)) {
		*result = 0;
		return true;
	}
	if (number != sampler_signal() && (!number || number != (int)trace_header->toggle_signal))
		return false;
	if (old) {
		rt_memset(old, 0, sizeof(*old));
		old->sa_handler = SIG_DFL;
	}
	*result = 0;
	return true;
}

const struct trace_part trace_part_sample = {
	.mode = TRACE_SAMPLE,
	.start = sample_start,
	.end = sample_end,
	.thread_start = sample_thread_start,
	.thread_end = sample_thread_end,
	.fork_child = sample_fork_child,
	.detach = sample_detach,
	.quiet = sample_quiet,
	.sigaction = sample_sigaction,
};
