/*
 * record - every step goes into the running hash and, if asked for, into the schedule.
 *
 * The hash and the number of steps lie in the shared header, so the host has them also
 * when the trial dies by a signal.
 */
#include "rt/sched/turn.h"

static void step_keep(const struct wire_step *step, uintptr_t pc)
{
	struct wire_step *out = (void *)((char *)rt_wire + rt_wire->steps_offset);

	if ((rt_wire->steps_used + 1) * sizeof(*out) > rt_wire->steps_size) {
		rt_count(WIRE_LOST_STEPS);
		return;
	}
	out += rt_wire->steps_used;
	*out = *step;
	out->pc = rt_place(pc);
	rt_wire->steps_used++;
}

void step_record(struct sched_thread *thread, enum wire_step_kind kind, enum wire_op op, uint32_t object,
		 uint32_t chosen, uintptr_t pc)
{
	struct wire_step step = {
		.thread = thread->ordinal, .kind = (uint16_t)kind, .op = (uint16_t)op,
		.object = object, .chosen = chosen,
	};

	sched.hash = step.hash = schedule_hash(sched.hash, &step);
	sched_step_count++;
	rt_wire->step_hash = sched.hash;
	if (unlikely(rt_plan->flags & WIRE_RECORD_STEPS))
		step_keep(&step, pc);
	if (unlikely(sched.replay))
		replay_compare(kind);
}

uint32_t step_choice(struct sched_thread *thread, enum wire_op what, uint32_t value)
{
	step_record(thread, STEP_CHOICE, what, 0, value, thread->pc);
	return value;
}

uint32_t sched_choose(enum wire_op what, uint32_t bound)
{
	uint32_t value;

	if (bound == 1 && what != OP_RELEASE) /* that one must stand between two jumps of the clock */
		return 0;
	if (!sched.replay || !replay_choice(what, bound, &value))
		value = bound ? sched_random_below(bound) : (uint32_t)(sched_random() >> 32);
	return step_choice(sched.current, what, value);
}
