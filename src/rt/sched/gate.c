/*
 * gate - wait before the lock instead of behind it.
 *
 * A thread held back before its access may hold a lock that the other side needs on its way:
 *
 *     lock(l); x = 1; unlock(l);          lock(l); ...; unlock(l); y = x;
 *
 * The first waits before x with l in its hands, the second waits for l, and Algorithm 1 has to
 * let the first one go: the two only meet when the second happened to be early. Such a trial
 * tells the host where the lock was taken (GATE); the next ones have that place in the plan as a
 * gate of its side. Whoever comes to a gate waits there, without the lock, until somebody stands
 * before an access of the other side, and then goes on to meet it.
 *
 * Nothing here can make a meeting that is not one: gates only choose who waits, pair.c judges.
 */
#include "rt/sched/turn.h"

#define TOLD_MAX 16u

static bool have_gates;

void gate_start(void)
{
	const struct wire_plan_site *site = rt_plan_sites();

	have_gates = false;
	for (uint32_t i = 0; i < rt_plan->site_count; i++)
		have_gates |= site[i].side == WIRE_SIDE_GATE_A || site[i].side == WIRE_SIDE_GATE_B;
}

/* The side whose gate the thread stands at; -1: none. */
static int gate_of(const struct sched_thread *thread)
{
	int side = sched_takes_lock(thread->op) && thread->side < 0 ? pair_side(thread->pc) : -1;

	return side == WIRE_SIDE_GATE_A ? WIRE_SIDE_A : side == WIRE_SIDE_GATE_B ? WIRE_SIDE_B : -1;
}

bool gate_holds_back(struct sched_thread *thread)
{
	int side;

	if (!have_gates || pair_has_met())
		return false;
	side = gate_of(thread);
	if (side < 0)
		return false;
	for (uint32_t i = 0; i < sched.thread_count; i++) {
		const struct sched_thread *other = sched.threads[i];

		if (other != thread && other->alive && other->postponed && other->side >= 0 && other->side != side)
			return false;
	}
	return true;
}

/* Somebody stands before an access of that side: who waits at the other's gates goes on. */
void gate_open(int side)
{
	for (uint32_t i = 0; have_gates && i < sched.thread_count; i++) {
		struct sched_thread *thread = sched.threads[i];
		int own = thread->alive && thread->postponed ? gate_of(thread) : -1;

		if (own >= 0 && own != side) {
			thread->postponed = false;
			sched.postponed_count--;
		}
	}
}

/* ---- what the next trials should know -------------------------------------------------------- */

static void tell(const struct sched_thread *thread, uintptr_t taken_at)
{
	static uintptr_t told[TOLD_MAX];
	struct wire_ev_gate *gate;
	uint32_t i = 0;

	while (i < TOLD_MAX && told[i] && told[i] != taken_at)
		i++;
	if (i == TOLD_MAX || told[i] == taken_at)
		return;
	told[i] = taken_at;
	rt_place(taken_at); /* its module's record goes before ours */
	gate = rt_record(sizeof(*gate));
	if (!gate)
		return;
	gate->side = (uint32_t)thread->side;
	gate->taken_at = rt_place(taken_at);
	rt_commit(gate, WIRE_EV_GATE);
}

static bool is_wanted(const struct sched_object *object)
{
	for (uint32_t i = 0; i < sched.thread_count; i++) {
		const struct sched_thread *thread = sched.threads[i];

		if (thread->alive && !thread->postponed && thread->object == object && sched_takes_lock(thread->op))
			return true;
	}
	return false;
}

/* All who could run are held back: who of them stands in somebody's way with a lock? */
void gate_learn(void)
{
	for (uint32_t i = 0; i < sched.thread_count; i++) {
		const struct sched_thread *thread = sched.threads[i];

		if (!thread->alive || !thread->postponed || (thread->side != WIRE_SIDE_A && thread->side != WIRE_SIDE_B))
			continue;
		for (uint32_t k = 0; k < thread->held_count; k++)
			if (is_wanted(thread->held[k].object))
				tell(thread, thread->held[k].pc);
	}
}
