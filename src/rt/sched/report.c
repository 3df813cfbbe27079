/*
 * report - a hit, with everything a reader wants to know of both sides.
 *
 *     wire_ev_pair | access a | its locks | its stack | access b | its locks | its stack
 *
 * The same two statements may meet a million times in one trial: after HIT_REPEATS records
 * of one (site, site, order) the rest are counted only; the steps have them all.
 */
#include <sys/syscall.h>
#include <sys/uio.h>

#include "rt/sched/report.h"
#include "rt/sched/turn.h"

#define HIT_KINDS 256u
#define HIT_REPEATS 4u

static struct {
	uintptr_t a, b;
	uint32_t first, count;
} seen[HIT_KINDS];

/* A full table means hundreds of different meetings: those beyond are all recorded. */
static bool is_worth_a_record(uintptr_t a, uintptr_t b, uint32_t first)
{
	for (uint32_t i = 0; i < HIT_KINDS; i++) {
		if (!seen[i].count) {
			seen[i].a = a;
			seen[i].b = b;
			seen[i].first = first;
		}
		if (seen[i].a == a && seen[i].b == b && seen[i].first == first)
			return ++seen[i].count <= HIT_REPEATS;
	}
	return true;
}

static void *put_locks(const struct sched_thread *thread, void *out)
{
	struct wire_lock *lock = out;

	for (uint32_t i = 0; i < thread->held_count; i++, lock++) {
		const struct sched_object *object = thread->held[i].object;

		lock->address = (uint64_t)object->address;
		lock->taken_at = rt_place(thread->held[i].pc);
		lock->first_at = rt_place(object->first_pc);
		lock->mode = thread->held[i].mode;
		lock->id = object->ordinal;
	}
	return lock;
}

void report_view(struct report_view *view, const struct sched_thread *thread)
{
	view->thread = thread;
	view->stack_count = rt_stack_of(thread->rt, thread->pc, thread->frame, view->stack, RT_STACK_MAX);
	view->size = thread->held_count * sizeof(struct wire_lock) + view->stack_count * sizeof(struct wire_pc);
}

void *report_put(const struct report_view *view, void *out)
{
	struct wire_pc *pc = put_locks(view->thread, out);

	for (unsigned i = 0; i < view->stack_count; i++)
		*pc++ = rt_place(view->stack[i]);
	return pc;
}

/* The kernel reads for us: a wild pointer is the program's to die of, not ours. */
static bool read_value(uintptr_t address, size_t size, uint64_t *value)
{
	struct iovec local = { value, size < 8 ? size : 8 };
	struct iovec remote = { (void *)address, local.iov_len };

	return rt_syscall(SYS_process_vm_readv, sched.pid, &local, 1, &remote, 1, 0) == (long)local.iov_len;
}

/* ---- what came of it ------------------------------------------------------------------------- */

/*
 * Accesses of hit records that are not over: each is told what was there when its turn came,
 * and at its thread's next point what is there now. The bytes are only looked at, so nothing of
 * the schedule depends on this. More than the table holds at once stay without.
 */
#define PENDING_MAX 16u

static struct pending {
	const struct sched_thread *thread;
	struct wire_access *access;
} pending[PENDING_MAX];
uint32_t report_pending;

static void expect_end(const struct sched_thread *thread, struct wire_access *access)
{
	if (report_pending < PENDING_MAX)
		pending[report_pending++] = (struct pending){ thread, access };
}

void report_went(const struct sched_thread *thread)
{
	for (uint32_t i = 0; i < report_pending; i++) {
		struct wire_access *access = pending[i].access;

		if (pending[i].thread == thread && read_value(access->address, access->size, &access->went))
			access->value_state |= WIRE_VALUE_WENT;
	}
}

/* It stands before something else now, or the trial is over. Freed bytes are the allocator's. */
void report_left(const struct sched_thread *thread)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < report_pending; i++) {
		struct wire_access *access = pending[i].access;

		if (pending[i].thread != thread || !(access->value_state & WIRE_VALUE_WENT))
			pending[kept++] = pending[i];
		else if (!(access->flags & ACCESS_FREE) && read_value(access->address, access->size, &access->left))
			access->value_state |= WIRE_VALUE_LEFT;
	}
	report_pending = kept;
}

static void *put_access(const struct report_view *view, void *out)
{
	const struct sched_thread *thread = view->thread;
	struct wire_access *access = out;

	access->pc = rt_place(thread->pc);
	access->address = thread->address;
	access->size = (uint32_t)thread->size;
	access->flags = rt_flags_now(thread->rt, (const void *)thread->address, thread->size, thread->flags);
	access->thread = thread->ordinal;
	access->lock_count = thread->held_count;
	access->stack_count = view->stack_count;
	access->value_state = read_value(thread->address, thread->size, &access->value) ? WIRE_VALUE_KNOWN
											  : WIRE_VALUE_NONE;
	expect_end(thread, access);
	return report_put(view, access + 1);
}

/* Loaded modules, then stacks; what is neither was allocated. */
static void put_memory(struct wire_ev_pair *hit, uintptr_t address)
{
	struct wire_pc place = rt_place(address);

	hit->memory_pc = (struct wire_pc){ WIRE_NO_MODULE, 0 };
	if (place.module != WIRE_NO_MODULE) {
		hit->memory = WIRE_MEM_GLOBAL;
		hit->memory_pc = place;
		return;
	}
	hit->memory = WIRE_MEM_HEAP;
	for (uint32_t i = 0; i < sched.thread_count; i++) {
		const struct rt_thread *rt = sched.threads[i]->rt;

		if (address >= rt->stack_low && address < rt->stack_high) {
			hit->memory = WIRE_MEM_STACK;
			hit->memory_thread = sched.threads[i]->ordinal;
		}
	}
}

/* The bytes both touch, for the memory's name: the higher of the two starts. */
static uintptr_t common_byte(const struct sched_thread *a, const struct sched_thread *b)
{
	return a->address > b->address ? a->address : b->address;
}

void report_hit(struct sched_thread *a, struct sched_thread *b, uint32_t first)
{
	static struct report_view view[2]; /* too large for a program's small stacks */
	struct wire_ev_pair *hit;

	if (!is_worth_a_record(a->pc, b->pc, first)) {
		rt_count(WIRE_REPEATED_HITS);
		return;
	}
	report_view(&view[0], a);
	report_view(&view[1], b);
	rt_place(a->pc); /* module records go before ours */
	rt_place(b->pc);
	hit = rt_record(sizeof(*hit) + 2 * sizeof(struct wire_access) + view[0].size + view[1].size);
	if (!hit)
		return;
	put_memory(hit, common_byte(a, b));
	hit->step = sched_step_count - 1;
	hit->first = first;
	put_access(&view[1], put_access(&view[0], hit + 1));
	rt_commit(hit, WIRE_EV_HIT);
}
