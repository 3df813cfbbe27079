/*
 * policy_pos - partial order sampling (Yuan, Yang, Gu, CAV 2018).
 *
 * Every announced statement has a random priority; the highest enabled one is executed.
 * When a statement has been executed, the pending ones that conflict with it (same object
 * or overlapping bytes, not two reads) draw a new priority, as does the thread's next.
 *
 * Guarantee: each partial order (class of schedules that differ only in the order of
 * independent statements) is sampled with probability at least that of the basic algorithm
 * without re-drawing, and orders of one racing pair are equally likely whatever came
 * before: a bug of d ordered pairs needs about 2^d trials times a factor for the statements
 * that compete, instead of growing with the length of the run.
 */
#include "rt/sched/internal.h"

#define NOT_DRAWN 0
#define LOW (1ull << 40) /* below: given to spinners, one lower than the other */

static uint64_t lowest;

static void pos_start(void)
{
	lowest = LOW;
}

static bool both_read(const struct sched_thread *a, const struct sched_thread *b)
{
	bool a_access = a->op == OP_ACCESS || a->op == OP_ATOMIC;
	bool b_access = b->op == OP_ACCESS || b->op == OP_ATOMIC;

	return (a_access && b_access && !((a->flags | b->flags) & ACCESS_WRITE)) ||
	       (a->op == OP_RDLOCK && b->op == OP_RDLOCK);
}

static bool overlap(const struct sched_thread *a, const struct sched_thread *b)
{
	return a->side >= 0 && b->side >= 0 && a->address < b->address + b->size && b->address < a->address + a->size;
}

static bool conflicts(const struct sched_thread *a, const struct sched_thread *b)
{
	return ((a->object && a->object == b->object) || overlap(a, b)) && !both_read(a, b);
}

static uint32_t pos_pick(struct sched_thread **enabled, uint32_t count)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (enabled[i]->priority == NOT_DRAWN)
			enabled[i]->priority = sched_random() | LOW;
		if (enabled[i]->priority > enabled[best]->priority)
			best = i;
	}
	return best;
}

static void pos_executed(struct sched_thread *thread)
{
	if (thread->priority >= LOW || !thread->streak)
		thread->priority = NOT_DRAWN;
	for (uint32_t i = 0; i < sched_thread_count(); i++) {
		struct sched_thread *other = sched_thread_at(i);

		if (other != thread && other->alive && conflicts(thread, other))
			other->priority = NOT_DRAWN;
	}
}

/*
 * Pending statements that do not conflict keep a low draw for ever: a spinner draws the
 * lowest so far, and keeps it as long as it repeats itself; several of them would otherwise
 * draw one high number after another.
 */
static void pos_moved_down(struct sched_thread *thread)
{
	thread->priority = --lowest;
}

const struct sched_policy sched_policy_pos = {
	.name = "pos",
	.start = pos_start,
	.pick = pos_pick,
	.executed = pos_executed,
	.moved_down = pos_moved_down,
};
