/*
 * order - the lock-order graph: who wanted which lock while holding which.
 *
 * An edge is (held, wanted) with the thread, all locks it held, where it took and where it
 * wanted, and its epoch. When a new edge closes a cycle in which every edge is another
 * thread's, no two threads hold a common (gate) lock, every wanted lock is held in a mode
 * that blocks, and no edge is ordered before the newest, the cycle may deadlock: it goes to
 * the wire at once. A cycle of one thread cannot deadlock and is not reported.
 *
 * Edges are rare (a program has few ways to nest locks), so the search is made on each new
 * one only, at most DEPTH long and STEPS wide; what is cut off is counted.
 */
#include "rt/detect/internal.h"

#define EDGES (1u << 16)
#define HEADS (1u << 14)
#define SEEN (1u << 17)
#define DEPTH 6u
#define STEPS 20000u
#define CYCLES 4096u

struct edge {
	uint32_t held, wanted;
	uint32_t held_mode, wanted_mode;
	uint32_t thread, slot, epoch;
	uint32_t lockset;
	uint32_t stack;
	uint32_t next;       /* with the same head */
	uintptr_t held_at, wanted_at;
};

static struct {
	struct rt_lock lock;
	struct edge *edges;
	uint32_t count;
	uint32_t heads[HEADS];      /* by held */
	uint64_t *seen;             /* hashes of known edges, read without the lock */
	uint64_t cycles[CYCLES];
	uint32_t cycle_count;
} graph = { .count = 1 };

struct search {
	struct detect_thread *t;
	const struct edge *path[DEPTH];
	unsigned length;
	unsigned steps;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15ull;
	return a ^ a >> 29;
}

static uint64_t edge_hash(const struct edge *e)
{
	return mix(mix(mix((uint64_t)e->held << 32 | e->wanted, (uint64_t)e->thread << 32 | e->lockset),
		       e->wanted_at), e->wanted_mode) | 1;
}

/* The word of the table that holds the hash or is to hold it. */
static uint64_t *seen_word(uint64_t hash)
{
	uint32_t i = (uint32_t)(hash >> 32);

	while (graph.seen[i % SEEN] && graph.seen[i % SEEN] != hash)
		i++;
	return &graph.seen[i % SEEN];
}

/* ---- a cycle ---------------------------------------------------------------------------- */

static uint64_t cycle_hash(const struct search *s)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->length; i++)
		sum += mix(s->path[i]->held_at, s->path[i]->wanted_at);
	return sum | 1;
}

static bool cycle_is_new(const struct search *s)
{
	uint64_t hash = cycle_hash(s);

	for (uint32_t i = 0; i < graph.cycle_count; i++)
		if (graph.cycles[i] == hash)
			return false;
	if (graph.cycle_count == CYCLES) {
		rt_count(WIRE_LOST_CYCLES);
		return false;
	}
	graph.cycles[graph.cycle_count++] = hash;
	return true;
}

static size_t wait_size(const struct edge *e)
{
	const uintptr_t *frames;
	uint32_t locks;

	lockset_elements(e->lockset, &locks);
	return sizeof(struct wire_wait) + locks * sizeof(struct wire_lock) +
	       stack_get(e->stack, &frames) * sizeof(struct wire_pc);
}

static void *put_wait(void *out, const struct edge *e, uint32_t owner)
{
	struct wire_wait *wait = out;
	struct wire_lock *locks = (struct wire_lock *)(wait + 1);
	const uint32_t *elements = lockset_elements(e->lockset, &wait->lock_count);
	const uintptr_t *frames = NULL;
	struct wire_pc *stack;

	wait->thread = e->thread;
	wait->op = e->wanted_mode == LOCK_READ ? OP_RDLOCK : OP_LOCK;
	wait->wants = lock_info(e->wanted)->address;
	wait->wants_id = e->wanted;
	wait->owner = owner;
	wait->wants_first_at = place_or_none(lock_info(e->wanted)->first_at);
	locks_put(locks, elements, wait->lock_count, e->thread, NULL);
	for (uint32_t i = 0; i < wait->lock_count; i++)
		if (locks[i].id == e->held)
			locks[i].taken_at = rt_place(e->held_at);
	stack = (struct wire_pc *)(locks + wait->lock_count);
	wait->stack_count = stack_get(e->stack, &frames);
	for (uint32_t i = 0; i < wait->stack_count; i++)
		stack[i] = rt_place(frames[i]);
	return stack + wait->stack_count;
}

static void cycle_report(const struct search *s)
{
	size_t size = sizeof(struct wire_ev_deadlock);
	struct wire_ev_deadlock *record;
	void *out;

	if (!cycle_is_new(s))
		return;
	for (unsigned i = 0; i < s->length; i++)
		size += wait_size(s->path[i]);
	record = rt_record(size);
	if (!record) {
		rt_count(WIRE_LOST_CYCLES);
		return;
	}
	record->wait_count = s->length;
	out = record + 1;
	for (unsigned i = 0; i < s->length; i++)
		out = put_wait(out, s->path[i], s->path[(i + 1) % s->length]->thread);
	rt_commit(record, WIRE_EV_CYCLE);
}

/* ---- the search -------------------------------------------------------------------------------- */

/* May e follow in a cycle: another thread than all before it, no common gate, not over already? */
static bool may_join(const struct search *s, const struct edge *e)
{
	if (clock_get(&s->t->vc, e->slot) >= e->epoch)
		return false;
	if (!lock_modes_exclude(s->path[s->length - 1]->wanted_mode, e->held_mode))
		return false;
	for (unsigned i = 0; i < s->length; i++)
		if (s->path[i]->thread == e->thread || !locksets_disjoint(s->path[i]->lockset, e->lockset))
			return false;
	return true;
}

static void extend(struct search *s)
{
	uint32_t wanted = s->path[s->length - 1]->wanted;
	struct edge *e;

	for (uint32_t i = graph.heads[wanted % HEADS]; i; i = e->next) {
		e = &graph.edges[i];
		if (++s->steps > STEPS || s->length == DEPTH) {
			rt_count(WIRE_LOST_CYCLES);
			return;
		}
		if (e->held != wanted || !may_join(s, e))
			continue;
		s->path[s->length++] = e;
		if (e->wanted != s->path[0]->held)
			extend(s);
		else if (lock_modes_exclude(e->wanted_mode, s->path[0]->held_mode))
			cycle_report(s);
		s->length--;
	}
}

static void edge_add(struct detect_thread *t, const struct edge *new, const struct touch *x)
{
	struct search search = { .t = t, .length = 1 };
	uint64_t hash = edge_hash(new), *word = seen_word(hash);
	struct edge *e;

	if (*word)
		return;
	if (graph.count == EDGES) {
		rt_count(WIRE_LOST_CYCLES);
		return;
	}
	e = &graph.edges[graph.count];
	*e = *new;
	e->stack = stack_take(x);
	e->next = graph.heads[e->held % HEADS];
	graph.heads[e->held % HEADS] = graph.count++;
	__atomic_store_n(word, hash, __ATOMIC_RELEASE);
	t->used = true;
	search.path[0] = e;
	extend(&search);
}

static bool graph_start(void)
{
	if (!graph.seen) {
		graph.edges = rt_reserve(EDGES * sizeof(*graph.edges), false);
		graph.seen = rt_reserve(SEEN * sizeof(*graph.seen), false);
	}
	return graph.edges && graph.seen;
}

void order_want(struct detect_thread *t, uint32_t ordinal, unsigned mode, uintptr_t pc, const void *frame)
{
	struct touch x = { .t = t, .pc = pc, .frame = frame };

	for (uint32_t i = 0; i < t->held_count; i++) {
		struct edge e = { .held = t->held[i].ordinal, .wanted = ordinal, .held_mode = t->held[i].mode,
				  .wanted_mode = mode, .thread = t->id, .slot = t->slot, .epoch = t->epoch,
				  .lockset = t->lockset, .held_at = t->held[i].taken_at, .wanted_at = pc };

		if (graph.seen && __atomic_load_n(seen_word(edge_hash(&e)), __ATOMIC_ACQUIRE))
			continue;
		rt_lock(&graph.lock);
		if (graph_start())
			edge_add(t, &e, &x);
		else
			rt_count(WIRE_LOST_CYCLES);
		rt_unlock(&graph.lock);
	}
}
