/*
 * outside - calls that may block for reasons no predicate sees, made without the turn.
 *
 * A thread outside runs beside the one that has the turn, so it touches nothing of the
 * model; it only sets its `returned` word. Who decides next takes it back, and the order of
 * returns is part of the schedule: a replay takes them back in that order.
 */
#include <sys/syscall.h>

#include "rt/sched/turn.h"

static bool has_returned(const struct sched_thread *thread)
{
	return thread->outside && __atomic_load_n(&thread->returned, __ATOMIC_ACQUIRE);
}

static void take_back(struct sched_thread *thread)
{
	thread->outside = false;
	thread->returned = 0;
	sched.outside_count--;
	step_record(thread, STEP_RETURN, thread->op, 0, thread->ordinal, thread->pc);
}

/* In a replay they come back in the recorded order, and only when it is their turn to. */
static void collect_recorded(void)
{
	uint32_t ordinal;

	while (replay_return(&ordinal)) {
		struct sched_thread *thread = sched_thread_at(ordinal);

		while (thread && thread->outside && !has_returned(thread))
			rt_futex_wait(&thread->returned, 0);
		if (thread && thread->outside)
			take_back(thread);
	}
}

void outside_collect(void)
{
	if (sched.replay)
		collect_recorded();
	if (sched.replay && replay_is_exact())
		return;
	for (uint32_t i = 0; i < sched.thread_count; i++)
		if (has_returned(sched.threads[i]))
			take_back(sched.threads[i]);
}

bool outside_has_returned(void)
{
	for (uint32_t i = 0; i < sched.thread_count; i++)
		if (has_returned(sched.threads[i]))
			return true;
	return false;
}

bool outside_wait(void)
{
	struct sched_thread *thread = NULL;

	for (uint32_t i = 0; i < sched.thread_count && !thread; i++)
		if (sched.threads[i]->outside)
			thread = sched.threads[i];
	if (!thread)
		return false;
	if (outside_has_returned())
		return true;
	if (sched.outside_count == 1)
		rt_futex_wait(&thread->returned, 0);
	else
		rt_syscall(SYS_nanosleep, &(struct timespec){ .tv_nsec = 50000 }, NULL);
	return true;
}

/*
 * All who could go are held back: before one is let go, somebody who is on his way back (woken, or
 * out of the loop he spun in) gets the time to arrive. Not one who sleeps, and one who computes
 * only for a while, by his own clock: how busy the machine is must not matter.
 */
#define LINGER_NS 10000000ull
#define LINGER_LOOKS 20000u /* of 100 us: the last resort */

static bool arrives(struct sched_thread *thread)
{
	uint64_t start = preempt_computed(thread);

	for (unsigned i = 0; i < LINGER_LOOKS; i++) {
		if (has_returned(thread))
			return true;
		if (rescue_is_asleep(thread) || preempt_computed(thread) - start > LINGER_NS)
			return false;
		rt_syscall(SYS_nanosleep, &(struct timespec){ .tv_nsec = 100000 }, NULL);
	}
	return false;
}

bool outside_linger(void)
{
	if (sched.replay && replay_is_exact())
		return false;
	for (uint32_t i = 0; i < sched.thread_count; i++)
		if (sched.threads[i]->outside && sched.threads[i]->taken && arrives(sched.threads[i]))
			return true;
	return false;
}

/* Recorded: who had come back by then is a matter of time. */
static bool others_are_enabled(struct sched_thread *self)
{
	uint32_t postponed, others;

	outside_collect();
	others = turn_gather(&postponed) || postponed;
	if (sched.replay && replay_is_exact())
		replay_choice(OP_IO, 2, &others);
	return step_choice(self, OP_IO, others);
}

/*
 * The turn goes to somebody else; the caller may now block in the kernel. When nobody else
 * can go, the turn stays here: somebody must make the call the others wait for.
 */
void sched_outside_begin(enum wire_op op, uintptr_t pc)
{
	struct sched_thread *self = sched_self();

	sched_step(op, NULL, pc, NULL, NULL);
	rt_count(WIRE_OUTSIDE);
	self->ready = NULL;
	self->deadline_ns = 0;
	self->outside = true;
	sched.outside_count++;
	if (others_are_enabled(self)) {
		turn_pass_on();
		return;
	}
	self->outside = false;
	sched.outside_count--;
}

void sched_outside_end(void)
{
	struct sched_thread *self = rt_self_tls->turn;

	if (!self->outside)
		return;
	__atomic_store_n(&self->returned, 1, __ATOMIC_RELEASE);
	rt_futex_wake(&self->returned, 1);
	turn_wait(self);
}
