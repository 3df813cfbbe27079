/*
 * pair - each pair of sites once, written to the wire the moment it is found, so that a
 * program that is killed has told what it had.
 *
 * A pair found first without the other side's stack is written a second time when both
 * are known (its granule is a list by then, lists keep stacks). The host merges.
 */
#include "rt/detect/internal.h"

#define PAIRS (1u << 17) /* at most half full */
#define BOTH_STACKS (1ull << 63)
#define MAX_LOCKS 1024u

static uint64_t *pairs; /* site << 32 | site, smaller first; BOTH_STACKS: nothing left to tell */
static uint32_t pair_count;

bool pairs_start(void)
{
	pairs = rt_reserve(PAIRS * sizeof(*pairs), false);
	return pairs != NULL;
}

static uint64_t pair_key(uint32_t a, uint32_t b)
{
	return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static uint32_t pair_slot(uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40);
}

bool pair_known(uint32_t a, uint32_t b)
{
	uint64_t key = pair_key(a, b), seen;

	for (uint32_t i = pair_slot(key); (seen = __atomic_load_n(&pairs[i % PAIRS], __ATOMIC_RELAXED)); i++)
		if ((seen & ~BOTH_STACKS) == key)
			return true;
	return false;
}

/* May this pair be written? At most once without and once with both stacks. */
static bool pair_claim(uint32_t a, uint32_t b, bool both)
{
	uint64_t key = pair_key(a, b);

	for (uint32_t i = pair_slot(key);; i++) {
		uint64_t *word = &pairs[i % PAIRS], seen = __atomic_load_n(word, __ATOMIC_RELAXED);

		if (!seen) {
			if (__atomic_load_n(&pair_count, __ATOMIC_RELAXED) > PAIRS / 2) {
				rt_count(WIRE_LOST_PAIRS);
				return false;
			}
			if (!__atomic_compare_exchange_n(word, &seen, key | (both ? BOTH_STACKS : 0), false,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
				i--;
				continue;
			}
			__atomic_add_fetch(&pair_count, 1, __ATOMIC_RELAXED);
			return true;
		}
		if ((seen & ~BOTH_STACKS) == key)
			return both && !(seen & BOTH_STACKS) &&
			       __atomic_compare_exchange_n(word, &seen, key | BOTH_STACKS, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

/* ---- one side -------------------------------------------------------------------------- */

struct side {
	uintptr_t pc;
	uintptr_t address;
	uint32_t size;
	uint32_t flags;
	uint32_t thread;
	const uint32_t *locks;
	uint32_t lock_count;
	const struct detect_thread *holder; /* knows where it took them; NULL: the past */
	const uintptr_t *frames;
	unsigned frame_count;
};

static size_t side_size(const struct side *side)
{
	return sizeof(struct wire_access) + side->lock_count * sizeof(struct wire_lock) +
	       side->frame_count * sizeof(struct wire_pc);
}

struct wire_pc place_or_none(uintptr_t pc)
{
	return pc ? rt_place(pc) : (struct wire_pc){ WIRE_NO_MODULE, 0 };
}

static uintptr_t taken_at(uint32_t ordinal, uint32_t thread, const struct detect_thread *holder)
{
	for (uint32_t i = 0; holder && i < holder->held_count; i++)
		if (holder->held[i].ordinal == ordinal)
			return holder->held[i].taken_at;
	return lock_info(ordinal)->last_thread == thread ? lock_info(ordinal)->last_at : 0;
}

void locks_put(struct wire_lock *out, const uint32_t *elements, uint32_t count, uint32_t thread,
	       const struct detect_thread *holder)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t ordinal = elements[i] >> 1;

		out[i].address = lock_info(ordinal)->address;
		out[i].taken_at = place_or_none(taken_at(ordinal, thread, holder));
		out[i].first_at = place_or_none(lock_info(ordinal)->first_at);
		out[i].mode = elements[i] & 1;
		out[i].id = ordinal;
	}
}

static void *put_side(void *out, const struct side *side)
{
	struct wire_access *access = out;
	struct wire_lock *locks = (struct wire_lock *)(access + 1);
	struct wire_pc *stack = (struct wire_pc *)(locks + side->lock_count);

	access->pc = rt_place(side->pc);
	access->address = side->address;
	access->size = side->size;
	access->flags = side->flags;
	access->thread = side->thread;
	access->lock_count = side->lock_count;
	access->stack_count = side->frame_count;
	locks_put(locks, side->locks, side->lock_count, side->thread, side->holder);
	for (unsigned i = 0; i < side->frame_count; i++)
		stack[i] = rt_place(side->frames[i]);
	return stack + side->frame_count;
}

static void side_locks(struct side *side, uint32_t lockset)
{
	side->locks = lockset_elements(lockset, &side->lock_count);
	if (side->lock_count > MAX_LOCKS) {
		rt_count_add(WIRE_LOST_LOCKS, side->lock_count - MAX_LOCKS);
		side->lock_count = MAX_LOCKS;
	}
}

static void side_now(struct side *side, const struct touch *x, uintptr_t *frames)
{
	*side = (struct side){ .pc = x->pc, .address = x->address, .size = (uint32_t)x->size,
			       .flags = x->flags, .thread = x->t->id, .holder = x->t, .frames = frames };
	if (x->size > UINT32_MAX)
		side->size = UINT32_MAX;
	side->frame_count = rt_stack(x->pc, x->frame, frames, RT_STACK_MAX);
	side_locks(side, x->t->lockset);
}

/* The bytes the other access had: an element of its site's size over the first common byte. */
static void side_bytes(struct side *side, const struct site *site, uint32_t overlap, uintptr_t granule)
{
	unsigned first = (unsigned)__builtin_ctz(overlap);

	side->size = site->size ? site->size : 1;
	side->address = granule + (side->size < GRANULE ? first / side->size * side->size : 0);
}

static void side_past(struct side *side, const struct other *other, uint32_t overlap, uintptr_t granule)
{
	const struct site *site = site_at(other->site);

	*side = (struct side){ .pc = site->pc, .flags = site->flags, .thread = other->thread };
	side_bytes(side, site, overlap, granule);
	side_locks(side, other->lockset);
	side->frame_count = stack_get(other->stack, &side->frames);
}

/* ---- the whole -------------------------------------------------------------------------------- */

static void put_memory(struct wire_ev_pair *pair, uintptr_t address)
{
	struct detect_thread *stack = thread_of_stack(address);
	struct block block;

	pair->memory_thread = RT_NO_THREAD;
	pair->memory_pc = rt_place(address);
	if (pair->memory_pc.module != WIRE_NO_MODULE)
		pair->memory = WIRE_MEM_GLOBAL;
	else if (stack) {
		pair->memory = WIRE_MEM_STACK;
		pair->memory_thread = stack->id;
	} else if (block_of(address, &block)) {
		pair->memory = WIRE_MEM_HEAP;
		pair->memory_pc = place_or_none(block.allocated_at);
		pair->memory_start = block.start;
		pair->memory_size = block.size;
	}
}

static bool pair_write(const struct touch *x, const struct other *other, uint32_t overlap, uintptr_t granule)
{
	uintptr_t frames[RT_STACK_MAX];
	struct side now, past;
	struct wire_ev_pair *pair;

	side_now(&now, x, frames);
	side_past(&past, other, overlap, granule);
	rt_place(now.pc); /* module records go before ours */
	rt_place(past.pc);
	pair = rt_record(sizeof(*pair) + side_size(&now) + side_size(&past));
	if (!pair)
		return false;
	put_memory(pair, granule + (uintptr_t)__builtin_ctz(overlap));
	put_side(put_side(pair + 1, &past), &now);
	if (!past.frame_count)
		rt_count(WIRE_LOST_STACKS);
	rt_commit(pair, WIRE_EV_PAIR);
	return true;
}

bool pair_report(const struct touch *x, const struct other *other, uint32_t overlap, uintptr_t granule)
{
	if (rt_is_meant((const void *)(granule + (uintptr_t)__builtin_ctz(overlap)), (size_t)__builtin_popcount(overlap))) {
		rt_count(WIRE_MEANT_PAIRS);
		return false;
	}
	if (pair_claim(x->site, other->site, other->stack != 0) && !pair_write(x, other, overlap, granule))
		rt_count(WIRE_LOST_PAIRS);
	return other->stack != 0;
}
