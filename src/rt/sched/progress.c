/*
 * progress - who only spins, and makes room for the others.
 *
 * The signature of a statement is its place and, of an atomic, the bytes it is about to
 * touch; of a lock operation or access, which may well be honest work in a loop, what the
 * thread's newest frames hold (loop counters live there). One that the thread passed among
 * its last eight changed nothing: quiet. A thread that takes SPIN_STREAK turns in a row while
 * others could run is set aside for one decision and put below all others by the priority
 * policies; quiet statements by everybody let a postponed thread go (pair_overdue).
 */
#include "rt/sched/turn.h"

/*
 * Turns in a row before a thread that repeats itself makes room: many for a loop over
 * locks, which may well do something and whose priority a policy counts on; few for quiet
 * statements. Either way a spin costs microseconds.
 */
#define SPIN_STREAK 1024u
#define SPIN_QUIET 64u

/* Operations a spin is made of; all others are taken for work unless nothing at all changes. */
static bool may_only_look(enum wire_op op)
{
	switch (op) {
	case OP_ATOMIC: case OP_VOLATILE: case OP_FENCE: case OP_YIELD: case OP_SLEEP:
	case OP_TRYLOCK: case OP_IO: case OP_FUTEX: case OP_CANCEL:
		return true;
	default:
		return false;
	}
}

/* How much of the stack is looked at: the runtime's few frames and the caller's. */
#define SITUATION_WORDS 96u

/*
 * Only needed, and only paid for, while somebody is postponed; a replay has the outcome on
 * record. Four sums side by side: one would wait for its own multiplications.
 */
static uint64_t situation(const struct sched_thread *thread)
{
	const uint64_t *word = thread->frame;
	size_t count = (thread->rt->stack_high - (uintptr_t)word) / sizeof(*word);
	uint64_t h[4] = { 0, 0, 0, 0 };

	if (!sched.postponed_count || sched.replay)
		return 0;
	if ((uintptr_t)word < thread->rt->stack_low || (uintptr_t)word >= thread->rt->stack_high)
		return thread->steps; /* a stack we do not know, a handler's: never the same */
	if (count > SITUATION_WORDS)
		count = SITUATION_WORDS;
	for (size_t i = 0; i + 4 <= count; i += 4)
		for (unsigned lane = 0; lane < 4; lane++)
			h[lane] = h[lane] * 31 + word[i + lane];
	return ((h[0] * 31 + h[1]) * 31 + h[2]) * 31 + h[3];
}

/*
 * Atomics and volatiles: the thread touches their bytes next, so the aligned word around
 * them is there to be read.
 */
static uint64_t signature(const struct sched_thread *thread)
{
	uint64_t h = (uint64_t)thread->pc * 0x9e3779b97f4a7c15ull;

	if (thread->op == OP_ATOMIC || thread->op == OP_VOLATILE)
		h ^= *(const volatile uint64_t *)(thread->address & ~7ul) * 0xff51afd7ed558ccdull;
	else if (!may_only_look(thread->op) && !thread->quiet)
		h ^= situation(thread);
	return h | 1;
}

static bool passed_before(struct sched_thread *thread)
{
	uint64_t now = signature(thread);
	const uint32_t size = sizeof(thread->passed) / sizeof(thread->passed[0]);
	bool before = false;

	for (uint32_t i = 0; i < size; i++)
		before |= thread->passed[i] == now;
	if (!before)
		thread->passed[thread->passed_next++ % size] = now;
	return before;
}

/* True: it only looked again at what it had seen. */
static bool is_quiet(struct sched_thread *thread, bool again)
{
	return again && (thread->quiet || thread->timed_out || may_only_look(thread->op));
}

void progress_note(struct sched_thread *thread)
{
	bool again = passed_before(thread), quiet = is_quiet(thread, again);

	sched.quiet = quiet ? sched.quiet + 1 : 0;
	sched.repeated = again ? sched.repeated + 1 : 0;
	thread->streak = again ? thread->streak + (quiet ? SPIN_STREAK / SPIN_QUIET : 1) : 0;
	thread->quiet = false;
}

/* The one that goes round in circles makes room for one decision, if anybody else can go. */
uint32_t progress_leave_out(uint32_t count)
{
	struct sched_thread *last = sched.current;

	if (likely(last->streak < SPIN_STREAK) || count < 2)
		return count;
	for (uint32_t i = 0; i < count; i++)
		if (sched.list[i] == last) {
			last->streak = 0;
			if (sched.policy->moved_down)
				sched.policy->moved_down(last);
			for (count--; i < count; i++)
				sched.list[i] = sched.list[i + 1];
		}
	return count;
}
