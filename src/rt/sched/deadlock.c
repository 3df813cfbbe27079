/*
 * deadlock - lines 30 to 32 of Algorithm 1, and lock cycles as candidates.
 *
 * Actual deadlock: nobody is enabled and somebody is alive. Recorded is each thread, what
 * it waits for, who holds that, what it holds itself, and where.
 *
 * Candidate: the plan names the edges of a lock-order cycle (held_at, wait_at). A thread
 * that holds a lock taken at held_at and announces a lock at wait_at is postponed like one
 * before a pair access, so the others get the time to take their part of the cycle. Once
 * they have, each one's wanted lock is held by the next, nobody of them is enabled, and
 * the rule above says so: there is no special verdict for candidates. Before that, a thread
 * about to take its first lock of the cycle (held_at) is postponed too, until somebody
 * stands before, or holds, the first lock of every other edge: else the one that comes
 * early would keep the late one from ever getting there, with a lock both use on the way.
 * If the cycle cannot close, all enabled are postponed some day and a random one goes on.
 */
#include "rt/sched/report.h"
#include "rt/sched/turn.h"

#define EDGES_MAX 64u

static struct {
	struct { uintptr_t held_at, wait_at; } edge[EDGES_MAX];
	uint32_t count;
} cycle;

void edge_start(void)
{
	const struct wire_plan_edge *edge = rt_plan_edges();

	cycle.count = 0;
	if (!sched.edges)
		return;
	for (uint32_t i = 0; i < rt_plan->edge_count; i++) {
		if (cycle.count == EDGES_MAX) {
			rt_count_add(WIRE_LOST_CYCLES, rt_plan->edge_count - i);
			break;
		}
		cycle.edge[cycle.count].held_at = rt_plan_address(edge[i].held_at.module, edge[i].held_at.offset);
		cycle.edge[cycle.count++].wait_at = rt_plan_address(edge[i].wait_at.module, edge[i].wait_at.offset);
	}
}

static bool holds_from(const struct sched_thread *thread, uintptr_t pc)
{
	for (uint32_t i = 0; i < thread->held_count; i++)
		if (thread->held[i].pc == pc)
			return true;
	return false;
}

static bool is_lock(enum wire_op op)
{
	return op == OP_LOCK || op == OP_RDLOCK || op == OP_WRLOCK || op == OP_SPIN_LOCK || op == OP_TIMEDLOCK;
}

/* Somebody other than thread is about to take, or has taken, the first lock of the edge. */
static bool is_begun(uint32_t edge, const struct sched_thread *thread)
{
	for (uint32_t i = 0; i < sched.thread_count; i++) {
		const struct sched_thread *other = sched.threads[i];

		if (other != thread && other->alive && ((is_lock(other->op) && other->pc == cycle.edge[edge].held_at) ||
							holds_from(other, cycle.edge[edge].held_at)))
			return true;
	}
	return false;
}

static bool all_begun_but(uint32_t own, const struct sched_thread *thread)
{
	for (uint32_t i = 0; i < cycle.count; i++)
		if (i != own && !is_begun(i, thread))
			return false;
	return true;
}

/* All stand before their first locks: those who waited for that go on. */
static void let_begin(void)
{
	for (uint32_t i = 0; i < sched.thread_count; i++) {
		struct sched_thread *thread = sched.threads[i];

		for (uint32_t k = 0; k < cycle.count; k++)
			if (thread->postponed && thread->pc == cycle.edge[k].held_at) {
				thread->postponed = false;
				sched.postponed_count--;
			}
	}
}

static bool waits_to_begin(struct sched_thread *thread, uint32_t edge)
{
	if (thread->pc != cycle.edge[edge].held_at)
		return false;
	if (!all_begun_but(edge, thread))
		return true;
	let_begin();
	return false;
}

bool edge_holds_back(struct sched_thread *thread)
{
	if (!is_lock(thread->op))
		return false;
	for (uint32_t i = 0; i < cycle.count; i++)
		if (cycle.edge[i].wait_at && thread->pc == cycle.edge[i].wait_at &&
		    holds_from(thread, cycle.edge[i].held_at))
			return true;
	for (uint32_t i = 0; i < cycle.count; i++)
		if (cycle.edge[i].held_at && waits_to_begin(thread, i))
			return true;
	return false;
}

/* ---- the record --------------------------------------------------------------------------- */

static uint32_t owner_of(const struct sched_object *object)
{
	for (uint32_t i = 0; i < sched.thread_count; i++)
		for (uint32_t k = 0; k < sched.threads[i]->held_count; k++)
			if (sched.threads[i]->held[k].object == object)
				return sched.threads[i]->ordinal;
	return RT_NO_THREAD;
}

static void put_wait(struct wire_wait *wait, const struct report_view *view)
{
	const struct sched_thread *thread = view->thread;
	const struct sched_object *object = thread->object;

	wait->thread = thread->ordinal;
	wait->op = thread->op;
	wait->lock_count = thread->held_count;
	wait->stack_count = view->stack_count;
	wait->owner = thread->joining ? thread->joining->ordinal : RT_NO_THREAD;
	wait->wants_first_at = (struct wire_pc){ WIRE_NO_MODULE, 0 };
	if (!object)
		return;
	wait->wants = (uint64_t)object->address;
	wait->wants_id = object->ordinal;
	if (object->kind != OBJECT_THREAD)
		wait->owner = owner_of(object);
	if (object->first_pc)
		wait->wants_first_at = rt_place(object->first_pc);
}

static size_t wait_size(const struct sched_thread *thread)
{
	static struct report_view view;

	report_view(&view, thread);
	return sizeof(struct wire_wait) + view.size;
}

static void *put_thread(void *out, const struct sched_thread *thread)
{
	static struct report_view view;

	report_view(&view, thread);
	put_wait(out, &view);
	return report_put(&view, (struct wire_wait *)out + 1);
}

void deadlock_report(void)
{
	struct wire_ev_deadlock *record;
	size_t size = sizeof(*record);
	uint32_t count = 0;
	void *out;

	for (uint32_t i = 0; i < sched.thread_count; i++)
		if (sched.threads[i]->alive) {
			size += wait_size(sched.threads[i]);
			rt_place(sched.threads[i]->pc); /* module records go before ours */
			count++;
		}
	record = rt_record(size);
	if (!record)
		return;
	record->wait_count = count;
	out = record + 1;
	for (uint32_t i = 0; i < sched.thread_count; i++)
		if (sched.threads[i]->alive)
			out = put_thread(out, sched.threads[i]);
	rt_commit(record, WIRE_EV_DEADLOCK);
}
