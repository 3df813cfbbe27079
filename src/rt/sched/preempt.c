/*
 * preempt - the turn is taken from a thread that spins with it.
 *
 * A loop over memory nobody watches (a lock in inline assembly, a flag in a library that was
 * not rebuilt) passes no scheduling point: who has the turn keeps it until the wall clock ends
 * the trial, and what the loop waits for never comes. A parked thread that finds, at its look
 * (rescue.c), that the holder has computed for long without a step sends it a signal, and the
 * holder itself, in the handler, gives the turn away and goes on as one that is outside: it
 * runs beside the others until its next call of ours.
 *
 * Long is measured in the holder's own processor time, so a busy machine changes nothing: a
 * sixteenth of the trial's wall clock, which is 3 s and 50 times the program's plain run. A
 * program that really computes that long between two points loses nothing but the order of
 * its plain accesses in that stretch. Once is seldom alone: the limit halves each time.
 *
 * I1  The handler acts only between points: depth 0, outside the runtime's own code, still the
 *     holder, no step since the request. Otherwise it returns, and the next look asks again.
 * I2  A signal the program uses itself is left to it: then nothing is preempted.
 *
 * Decided against taking the turn from the outside as for sleepers: one that runs may be about
 * to enter the model, and no look from another thread can exclude it.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "rt/sched/turn.h"

#define PREEMPT_SIGNAL 62          /* SIGRTMAX - 2 */
#define LEAST_NS 100000000ull      /* of the first time */
#define FLOOR_NS 10000000ull       /* of later ones */
#define NO_WALL_MS 3000u           /* a trial without a clock: under gdb */

static struct {
	struct sched_thread *holder;   /* seen at the last look, */
	uint64_t turns;                /* with so many steps made, */
	uint64_t since;                /* having computed so long */
	uint64_t asked;                /* turns of the request */
	enum { NOT_TRIED, READY, REFUSED } state;
	uint32_t times;
} preempt;

/* The kernel's clock of another thread of this process: its id and "scheduler time, per thread". */
uint64_t preempt_computed(const struct sched_thread *thread)
{
	struct timespec time = { 0, 0 };

	rt_syscall(SYS_clock_gettime, (long)((int)(~thread->rt->tid << 3) | 6), &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t limit(void)
{
	uint64_t wall = rt_plan->wall_ms ? rt_plan->wall_ms : NO_WALL_MS, ns = wall * 1000000 / 16;

	ns = ns < LEAST_NS ? LEAST_NS : ns;
	ns >>= preempt.times < 16 ? preempt.times : 16;
	return ns < FLOOR_NS ? FLOOR_NS : ns;
}

/* I1, on the holder. */
static bool may_leave(const struct sched_thread *self, const ucontext_t *context)
{
	return self && sched.running && sched.current == self && self->alive && !self->rt->depth && !self->outside &&
	       !self->taken && !self->atomic && sched.turns == preempt.asked &&
	       !rt_is_own((uintptr_t)context->uc_mcontext.gregs[REG_RIP]);
}

static void leave(int number, siginfo_t *info, void *context)
{
	struct sched_thread *self = rt_self_tls ? rt_self_tls->turn : NULL;

	if (!may_leave(self, context) || !rescue_leave(self))
		return;
	preempt.times++;
	self->rt->depth = 1;
	turn_pass_on();
	self->rt->depth = 0;
}

/* I2. Asked when it is first needed: most trials never do. */
static bool is_ready(void)
{
	struct sigaction action = { .sa_handler = SIG_IGN };

	if (preempt.state != NOT_TRIED)
		return preempt.state == READY;
	rt_sigaction(PREEMPT_SIGNAL, NULL, &action);
	preempt.state = REFUSED;
	if (action.sa_handler != SIG_DFL)
		return false;
	action.sa_sigaction = leave;
	action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	action.sa_mask.__val[0] = ~0ull;
	if (rt_sigaction(PREEMPT_SIGNAL, &action, NULL))
		preempt.state = READY;
	return preempt.state == READY;
}

void preempt_look(uint64_t turns)
{
	struct sched_thread *holder = sched.current;
	uint64_t now;

	if (!sched.running || !holder || !holder->alive || holder->outside)
		return;
	now = preempt_computed(holder);
	if (preempt.holder != holder || preempt.turns != turns) {
		preempt.holder = holder;
		preempt.turns = turns;
		preempt.since = now;
		return;
	}
	if (now - preempt.since < limit() || !is_ready())
		return;
	preempt.asked = turns;
	rt_syscall(SYS_tgkill, sched.pid, holder->rt->tid, PREEMPT_SIGNAL);
}
