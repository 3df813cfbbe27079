/*
 * replay - answer every decision from the plan's choices.
 *
 * The same algorithm runs as in the recorded trial; only the sources of chance are
 * replaced: who is picked (TURN), free choices (CHOICE), clock jumps (CHOICE, OP_TIMEOUT)
 * and the order of returns from outside (RETURN). So hits, postponements and the hash come
 * out again by themselves.
 *
 * With hashes in the choices every decision is compared and the first that differs ends
 * the trial (DIVERGED, the index counts all steps from 0). Without (shrinking), a choice
 * that does not fit is passed over: a recorded thread that cannot go is replaced by the one
 * that ran last, else by the lowest ordinal, and a choice of another kind waits for its
 * own kind to be asked for. When the record is used up the thread that runs goes on as
 * long as it can: the fewest switches.
 */
#include "rt/sched/turn.h"

static struct {
	const struct wire_choice *choice;
	uint32_t count, next;
	uint64_t expected; /* hash the step now being recorded must give; 0: none */
} record;

void replay_start(void)
{
	record.choice = rt_plan_choices();
	record.count = sched.replay ? rt_plan->choice_count : 0;
	record.next = 0;
	record.expected = 0;
}

static const struct wire_choice *upcoming(void)
{
	return record.next < record.count ? &record.choice[record.next] : NULL;
}

static void consume(const struct wire_choice *choice)
{
	record.expected = choice->hash;
	record.next++;
}

bool replay_is_exact(void)
{
	const struct wire_choice *choice = upcoming();

	return choice && choice->hash;
}

/* The recorded thread goes on when the world has answered, as it had in the record. */
bool replay_waits_for_world(void)
{
	const struct wire_choice *choice = upcoming();
	struct sched_thread *thread;

	if (!replay_is_exact() || choice->kind != STEP_TURN)
		return false;
	thread = sched_thread_at(choice->chosen);
	return thread && thread->alive && thread->world && !turn_is_ready(thread) && !turn_is_expired(thread);
}

static void diverged(void)
{
	if (record.choice[record.next].hash)
		sched_end(WIRE_END_DIVERGED, (int)sched_step_count);
}

static uint32_t index_of(struct sched_thread **list, uint32_t count, const struct sched_thread *thread)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == thread)
			return i;
	return count;
}

/* The last one goes on if it can; one that only spins makes room for the next. */
static uint32_t fallback(struct sched_thread **list, uint32_t count)
{
	uint32_t i = index_of(list, count, sched.current);

	if (i == count)
		return 0;
	return sched.current->streak > 64 ? (i + 1) % count : i;
}

bool replay_turn(struct sched_thread **list, uint32_t count, uint32_t *index)
{
	const struct wire_choice *choice = upcoming();

	while (choice && choice->kind != STEP_TURN) {
		diverged();
		record.next++;
		choice = upcoming();
	}
	if (!choice) {
		*index = fallback(list, count);
		return true;
	}
	*index = index_of(list, count, sched_thread_at(choice->chosen));
	if (*index == count) {
		diverged();
		*index = fallback(list, count);
	}
	consume(choice);
	return true;
}

bool replay_choice(enum wire_op what, uint32_t bound, uint32_t *value)
{
	const struct wire_choice *choice = upcoming();

	*value = 0;
	if (!choice)
		return true;
	if (choice->kind != STEP_CHOICE || choice->op != what) {
		diverged();
		return true;
	}
	*value = bound && choice->chosen >= bound ? 0 : choice->chosen;
	consume(choice);
	return true;
}

bool replay_timeout(uint32_t *ordinal)
{
	const struct wire_choice *choice = upcoming();

	if (!choice || choice->kind != STEP_CHOICE || choice->op != OP_TIMEOUT)
		return false;
	*ordinal = choice->chosen;
	consume(choice);
	return true;
}

bool replay_overdue(uint32_t *ordinal)
{
	const struct wire_choice *choice = upcoming();

	if (!choice || choice->kind != STEP_CHOICE || choice->op != OP_RELEASE)
		return false;
	*ordinal = choice->chosen;
	consume(choice);
	return true;
}

bool replay_return(uint32_t *ordinal)
{
	const struct wire_choice *choice = upcoming();

	if (!choice || choice->kind != STEP_RETURN)
		return false;
	*ordinal = choice->chosen;
	consume(choice);
	return true;
}

/* After a step was hashed: it is one of the kinds a choice stands for? Then they must agree. */
void replay_compare(enum wire_step_kind kind)
{
	uint64_t expected = record.expected;

	if (kind != STEP_TURN && kind != STEP_CHOICE && kind != STEP_RETURN)
		return;
	record.expected = 0;
	if (expected && expected != sched.hash)
		sched_end(WIRE_END_DIVERGED, (int)sched_step_count - 1);
}
