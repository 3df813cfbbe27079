/*
 * thread - the life of a thread as the rule sees it: create and join are edges.
 *
 * Clocks are indexed by slot, not by thread, so that a program that makes a million short
 * threads keeps short clocks. A slot goes to a new thread only when the creator has already
 * received everything the last owner did (it joined it, or heard of the join): then whatever is
 * ordered after the new owner is ordered after the old one, and epochs just go on counting.
 * A detached thread's slot waits likewise until somebody has heard of its end. When SLOTS are
 * taken, any free one is given out: some order is then believed that is not there, so
 * this is counted (WIRE_LOST_THREADS).
 *
 * I1  vc.at[slot] is the last closed epoch; an access in epoch e is ordered before whoever
 *     has vc.at[slot] >= e.
 * I2  rt->engine is set before the thread runs and stays until it is joined: late accesses
 *     (destructors of thread-local data) find it ignoring and are left alone.
 */
#include "rt/detect/internal.h"

RT_TLS uint64_t detect_key = KEY_BYTES | KEY_WRITE; /* key_shown(0) */
bool detect_many;

#define SLOTS 8192u

static struct {
	struct rt_lock lock;
	struct slot {
		struct detect_thread *owner; /* NULL: free, its last epoch in final */
		uint32_t final;
	} *slots;
	uint32_t count;
	uint32_t size;
	struct detect_thread *pool;  /* joined ones, by ->rt */
} all;

static bool slots_grow(void)
{
	uint32_t size = all.size ? all.size * 2 : 256;
	struct slot *new = rt_arena(size * sizeof(*new));

	if (!new)
		return false;
	if (all.count)
		rt_memcpy(new, all.slots, all.count * sizeof(*new));
	all.slots = new;
	all.size = size;
	return true;
}

/* A free slot whose past is known to the creator's clock; else a new one; ~0: no memory. */
static uint32_t slot_take(const struct clock *known, struct detect_thread *t)
{
	uint32_t i;

	for (i = 0; i < all.count; i++)
		if (!all.slots[i].owner && known && clock_get(known, i) >= all.slots[i].final)
			break;
	for (uint32_t j = 0; i == all.count && all.count >= SLOTS && j < all.count; j++)
		if (!all.slots[j].owner) {
			rt_count(WIRE_LOST_THREADS);
			i = j;
		}
	if (i == all.size && !slots_grow())
		return ~0u;
	if (i == all.count)
		all.count++;
	all.slots[i].owner = t;
	return i;
}

static struct detect_thread *thread_take(void)
{
	struct detect_thread *t = all.pool;
	struct held *held;
	uint32_t held_size;

	if (!t)
		return rt_arena(sizeof(*t));
	all.pool = (struct detect_thread *)t->rt;
	held = t->held;
	held_size = t->held_size;
	rt_memset(t, 0, sizeof(*t));
	t->held = held;
	t->held_size = held_size;
	return t;
}

static struct detect_thread *thread_make(struct rt_thread *rt, const struct clock *known)
{
	struct detect_thread *t;

	rt_lock(&all.lock);
	t = thread_take();
	if (t && (t->slot = slot_take(known, t)) == ~0u)
		t = NULL;
	if (t) {
		t->id = rt->id;
		t->rt = rt;
		t->epoch = all.slots[t->slot].final + 1;
		t->random = (rt->id + 1) * 0x9e3779b97f4a7c15ull + (rt_plan ? rt_plan->seed : 0);
	}
	rt_unlock(&all.lock);
	if (!t) {
		rt_count(WIRE_LOST_THREADS);
		return NULL;
	}
	rt->engine = t;
	if (known)
		clock_join(&t->vc, known);
	clock_set(&t->vc, t->slot, t->epoch - 1);
	return t;
}

/* A thread that was never announced: no edge from anybody. NULL: out of memory, counted. */
struct detect_thread *detect_self(void)
{
	struct rt_thread *rt = rt_self();

	return rt->engine ? rt->engine : thread_make(rt, NULL);
}

void rt_on_thread_create(struct rt_thread *child)
{
	struct detect_thread *t = detect_self();

	if (!t || detect_off)
		return;
	detect_many = true;
	segment_advance(t);
	thread_make(child, &t->vc);
	sample_sync(t);
}

void rt_on_thread_start(struct rt_thread *self)
{
	struct detect_thread *t = detect_self();

	if (!t || detect_off)
		return;
	if (self->id)
		detect_many = true;
	detect_key = key_shown(t->key);
}

void thread_count_losses(struct detect_thread *t)
{
	if (t->lost_cells)
		rt_count_add(WIRE_LOST_CELLS, t->lost_cells);
	if (t->skipped)
		rt_count_add(WIRE_SKIPPED_SAMPLED, t->skipped);
	t->lost_cells = t->skipped = 0;
}

/* The slot is free, its past ends with the last closed epoch; the record serves another thread. */
static void thread_release(struct detect_thread *gone)
{
	rt_lock(&all.lock);
	all.slots[gone->slot].final = gone->epoch - 1;
	all.slots[gone->slot].owner = NULL;
	gone->rt->engine = NULL;
	clock_free(&gone->vc);
	gone->rt = (struct rt_thread *)all.pool;
	all.pool = gone;
	rt_unlock(&all.lock);
}

void rt_on_thread_end(struct rt_thread *self)
{
	struct detect_thread *t = self->engine;

	if (!t || detect_off)
		return;
	segment_advance(t);
	t->ignore++;
	t->key = 0;
	detect_key = key_shown(0);
	thread_count_losses(t);
	clock_free(&t->fence);
	if (self->stack_low && self->id) {
		shadow_drop(self->stack_low, self->stack_high - self->stack_low);
		objects_drop(self->stack_low, self->stack_high - self->stack_low);
	}
	if (self->detached)
		thread_release(t);
}

void rt_on_thread_join(struct rt_thread *joined)
{
	struct detect_thread *t = detect_self(), *gone = joined->engine;

	if (!t || !gone || detect_off)
		return;
	segment_advance(gone);
	clock_join(&t->vc, &gone->vc);
	thread_release(gone);
	sample_sync(t);
}

void threads_each(void (*visit)(struct detect_thread *t, void *data), void *data)
{
	rt_lock(&all.lock);
	for (uint32_t i = 0; i < all.count; i++)
		if (all.slots[i].owner)
			visit(all.slots[i].owner, data);
	rt_unlock(&all.lock);
}

struct detect_thread *thread_of_stack(uintptr_t address)
{
	struct detect_thread *found = NULL;

	rt_lock(&all.lock);
	for (uint32_t i = 0; i < all.count && !found; i++) {
		struct detect_thread *t = all.slots[i].owner;

		if (t && address >= t->rt->stack_low && address < t->rt->stack_high)
			found = t;
	}
	rt_unlock(&all.lock);
	return found;
}
