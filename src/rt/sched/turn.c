/*
 * turn - Algorithm 1 of the paper over real threads: one runs, the rest are parked.
 *
 * There is no scheduler thread. A thread that reaches its next statement announces it and
 * itself decides who goes on (turn_decide); if that is another one, it hands over the
 * baton, a futex word per thread, and parks. The trial is pinned to one core, where a
 * hand-over costs one wake and one switch.
 *
 *     line of Algorithm 1                          here
 *     4   while Enabled(s) != {}                   turn_gather(), nobody_enabled()
 *     5   t := random in Enabled \ postponed       pick()
 *     6-22  the pair                               pair_meet()
 *     24  s := Execute(s, t)                       turn_decide returns t
 *     26  if postponed = Enabled: remove random    pair_release()
 *     30  Active(s) != {}: actual deadlock         nobody_enabled()
 *
 * Line 27 only *removes* a thread from postponed; picked again at line 5 it would be
 * postponed again for ever, so, as the paper's prose has it, the removed one executes.
 */
#include <sys/syscall.h>

#include "rt/sched/turn.h"

/* Yields allowed to a dying thread to be gone from the kernel; then we go on without. */
#define REAP_YIELDS 10000u
/*
 * Whoever is held back is slow: meanwhile time passes for the others. So often, in a row;
 * then those who wait with a time limit again and again wait for the one held back.
 */
#define JUMPS_MAX 100u
/* A jump for a thread that only naps counts for so many: it goes its round a few times while somebody is held back. */
#define NAPPER_JUMPS 20u
/* Every statement takes this long in virtual time. */
#define STEP_NS 1000u

bool turn_is_ready(struct sched_thread *thread)
{
	return !thread->ready || thread->ready(thread, thread->argument);
}

bool turn_is_expired(const struct sched_thread *thread)
{
	return thread->deadline_ns && thread->deadline_ns <= sched.now;
}

static bool is_enabled(struct sched_thread *thread)
{
	return thread->alive && !thread->outside && (turn_is_ready(thread) || turn_is_expired(thread));
}

uint32_t turn_gather(uint32_t *postponed)
{
	uint32_t count = 0;

	*postponed = 0;
	sched.timed_count = 0;
	for (uint32_t i = 0; i < sched.thread_count; i++) {
		struct sched_thread *thread = sched.threads[i];

		if (!is_enabled(thread)) {
			sched.timed_count += thread->alive && thread->deadline_ns && !thread->outside;
			continue;
		}
		if (thread->postponed)
			++*postponed;
		else
			sched.list[count++] = thread;
	}
	return count;
}

/* ---- the decision ------------------------------------------------------------------------ */

/* How long to look at the world before a timed wait may expire instead, and without one. */
#define IDLE_TIMED_MS 2u
#define IDLE_MS 100u

/* Nobody enabled: the world answers, time passes, a call comes back, or it is a deadlock. */
static void nobody_enabled(unsigned attempt)
{
	bool other = sched.timed_count || sched.outside_count;
	bool world = sched_io_idle(other ? IDLE_TIMED_MS : IDLE_MS);

	if (world && (!attempt || sched.replay))
		return;
	if (clock_jump(true) || world || outside_wait())
		return;
	deadlock_report();
	sched_end(WIRE_END_DEADLOCK, 0);
}

/* Line 5: every pick is a TURN step; it is the only thing a replay must be told here. */
static struct sched_thread *pick(uint32_t count)
{
	struct sched_thread *thread;
	uint32_t index;

	if (!sched.replay || !replay_turn(sched.list, count, &index)) {
		count = progress_leave_out(count);
		index = sched.policy->pick(sched.list, count);
	}
	thread = sched.list[index];
	step_record(thread, STEP_TURN, thread->op, thread->object ? thread->object->ordinal : 0,
		    thread->ordinal, thread->pc);
	return thread;
}

/* Line 24. From here on the thread's announced statement counts as done. */
static struct sched_thread *execute(struct sched_thread *thread)
{
	sched.postponed_count -= thread->postponed;
	thread->postponed = thread->let_go = false;
	thread->timed_out = !turn_is_ready(thread);
	thread->naps += thread->timed_out;
	thread->steps++;
	sched.now += STEP_NS;
	if (thread->side >= 0)
		step_record(thread, STEP_ACCESS, thread->op, 0, (uint32_t)thread->side, thread->pc);
	if (thread != sched.current)
		thread->streak = 0;
	progress_note(thread);
	if (sched.policy->executed)
		sched.policy->executed(thread);
	if (unlikely(report_pending))
		report_went(thread);
	if (++sched.turns > sched.step_limit)
		sched_end(WIRE_END_HANG, 0);
	return thread;
}

/* Lines 6 to 22: whom to execute now that t was picked; NULL: t was postponed. */
static struct sched_thread *consider(struct sched_thread *thread)
{
	if (sched.directed && thread->side >= 0)
		return pair_meet(thread);
	if (unlikely(rt_plan->flags & WIRE_ORDER) && order_side(thread) >= 0)
		return order_meet(thread);
	if (sched.directed && gate_holds_back(thread)) {
		pair_postpone(thread);
		return NULL;
	}
	if (sched.edges && edge_holds_back(thread)) {
		pair_postpone(thread);
		return NULL;
	}
	return thread;
}

static uint32_t weight(const struct sched_thread *jumped)
{
	return sched_is_napper(jumped) ? NAPPER_JUMPS : 1;
}

static struct sched_thread *turn_decide(void)
{
	struct sched_thread *thread, *jumped;
	uint32_t count, postponed;
	bool waits;

	if (sched.forced_next < sched.forced_count)
		return execute(sched.racing[sched.forced_next++]);
	for (unsigned attempt = 0;;) {
		if (unlikely(sched.outside_count))
			outside_collect();
		waits = sched.replay && replay_waits_for_world(); /* before gather: readiness only comes */
		count = turn_gather(&postponed);
		if (unlikely(sched.timed_count) && (jumped = clock_jump(false))) {
			sched.jumps += count ? 0 : weight(jumped); /* a replay makes all its jumps here */
			count = turn_gather(&postponed);
		}
		if ((!count && !postponed) || waits) {
			nobody_enabled(attempt++);
			continue;
		}
		if (!count && sched.timed_count && sched.jumps < JUMPS_MAX && (jumped = clock_jump(true))) {
			sched.jumps += weight(jumped);
			continue;
		}
		if (!count && unlikely(sched.outside_count) && outside_linger())
			continue;
		if (!count)
			return execute(pair_release());
		thread = postponed ? pair_overdue() : NULL;
		if (!thread)
			thread = consider(pick(count));
		if (thread)
			return execute(thread);
	}
}

/* ---- the baton ----------------------------------------------------------------------------- */

/*
 * A thread that has ended still tidies up inside libc (stack cache, malloc arena). Until
 * the kernel says it is gone, those would depend on timing: wait for it.
 */
static void reap(void)
{
	uint32_t tid = sched.reap_tid;

	sched.reap_tid = 0;
	for (unsigned i = 0; i < REAP_YIELDS; i++) {
		if (rt_syscall(SYS_tgkill, sched.pid, tid, 0) != 0)
			return;
		rt_syscall(SYS_sched_yield);
	}
}

static void hand_over(struct sched_thread *next)
{
	sched.current = next;
	sched.switches++;
	__atomic_store_n(&next->baton, 1, __ATOMIC_RELEASE);
	rt_futex_wake(&next->baton, 1);
}

/* The turn was taken from somebody who slept with it: decide in its place, maybe for us. */
void turn_wait(struct sched_thread *self)
{
	while (unlikely(rescue_wait(self)))
		hand_over(turn_decide());
	self->baton = 0;
	if (unlikely(sched.reap_tid))
		reap();
}

static void turn_give(struct sched_thread *self)
{
	struct sched_thread *next = turn_decide();

	if (next == self)
		return;
	hand_over(next);
	turn_wait(self);
}

void turn_pass_on(void)
{
	hand_over(turn_decide());
}

/* Ended: nobody left is not a deadlock, libc then ends the process. */
void turn_leave(struct sched_thread *self)
{
	if (unlikely(report_pending))
		report_left(self);
	self->alive = false;
	if (--sched.alive_count == 0)
		return;
	if (self->ordinal)
		sched.reap_tid = self->rt->tid;
	turn_pass_on();
}

bool sched_step_timed(enum wire_op op, struct sched_object *object, uintptr_t pc, sched_ready *ready,
		      void *argument, uint64_t deadline_ns)
{
	struct sched_thread *self = sched_self();
	bool late;
	int depth;

	if (!self)
		return false;
	if (unlikely(report_pending))
		report_left(self);
	self->op = op;
	self->object = object;
	self->pc = pc;
	self->ready = ready;
	self->argument = argument;
	self->deadline_ns = deadline_ns;
	self->frame = __builtin_frame_address(0);
	if (unlikely(verifier_is_atomic(self, pc, self->frame)) && turn_is_ready(self)) {
		pair_pass(self);
		self->timed_out = false;
		return false;
	}
	depth = self->rt->depth;
	self->rt->depth = 1;
	turn_give(self);
	self->rt->depth = depth;
	late = self->timed_out; /* a handler may make steps of its own */
	if (unlikely(self->signals_pending | self->cancel_pending))
		sched_signal_point(self);
	return late;
}

bool sched_step(enum wire_op op, struct sched_object *object, uintptr_t pc, sched_ready *ready, void *argument)
{
	return sched_step_timed(op, object, pc, ready, argument, 0);
}

void rt_point(enum wire_op op, const void *object, uintptr_t pc)
{
	struct sched_thread *self = sched_self();

	if (!self || self->rt->depth)
		return;
	if (op == OP_FORK)
		rt_note("a forked child runs unscheduled");
	self->address = (uintptr_t)object;
	sched_step(op, object ? sched_object(object, OBJECT_PLAIN) : NULL, pc, NULL, NULL);
}
