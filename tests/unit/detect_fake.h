/*
 * detect_fake - the whole detector in one test program, with the rest of the runtime faked:
 * threads are records the test switches between (as), so every interleaving is exact; what goes
 * to the wire is kept in an array. The engine's files are included, so their static names
 * that meet are renamed on the way.
 */
#ifndef TESTS_DETECT_FAKE_H
#define TESTS_DETECT_FAKE_H

#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/rt.h"

/* ---- the fakes --------------------------------------------------------------------------- */

static struct rt_thread fake_threads[64];
static uint64_t fake_counts[WIRE_COUNTER_COUNT];
static struct wire_header fake_header;
static struct wire_plan fake_plan;
static struct { struct wire_plan_site site[4]; } fake_sites;

RT_TLS struct rt_thread *rt_self_tls;
struct wire_header *rt_wire = &fake_header;
const struct wire_plan *rt_plan = &fake_plan;

struct fake_pair {
	uintptr_t pc[2];
	uint32_t thread[2], flags[2], locks[2], stacks[2];
};
static struct fake_pair fake_pairs[256];
static unsigned fake_pair_count, fake_cycles;
static char fake_record[1 << 16];

struct rt_thread *rt_self(void) { return rt_self_tls; }
void rt_count(enum wire_counter counter) { fake_counts[counter]++; }
void rt_count_add(enum wire_counter counter, uint64_t n) { fake_counts[counter] += n; }
void rt_note(const char *format, ...) { (void)format; }
struct wire_pc rt_place(uintptr_t pc) { return (struct wire_pc){ pc < 0x100000 ? 0 : WIRE_NO_MODULE, (uint32_t)pc }; }
uintptr_t rt_plan_address(uint32_t module, uint32_t offset) { (void)module; return offset; }
const struct wire_plan_site *rt_plan_sites(void) { return fake_sites.site; }
void rt_lock(struct rt_lock *lock) { assert_int_equal(lock->word, 0); lock->word = 1; }
void rt_unlock(struct rt_lock *lock) { lock->word = 0; }
void *rt_arena(size_t size) { return calloc(1, size); }
void rt_unreserve(void *start, size_t size) { munmap(start, size); }
bool rt_is_own(uintptr_t pc) { (void)pc; return false; }
bool rt_paused;
bool rt_is_meant(const void *address, size_t size) { (void)address, (void)size; return false; }
const void *rt_near_copy(uintptr_t pc, const void *blob, size_t size, size_t offset)
{
	(void)pc, (void)size;
	return (const char *)blob + offset;
}

static bool fake_no_space; /* reservations beyond 2 GiB are refused, as under ulimit -v */

void *rt_reserve(size_t size, bool huge)
{
	void *start;

	(void)huge;
	if (fake_no_space && size > (size_t)2 << 30)
		return NULL;
	start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return start == MAP_FAILED ? NULL : start;
}

#define rt_syscall(...) syscall(__VA_ARGS__)

unsigned rt_stack(uintptr_t pc, const void *frame, uintptr_t *out, unsigned max)
{
	(void)frame, (void)max;
	out[0] = pc;
	out[1] = 0x999;
	return 2;
}

void *rt_record(size_t size)
{
	assert_true(size <= sizeof(fake_record));
	memset(fake_record, 0, size);
	return fake_record;
}

static const char *fake_side(const char *at, struct fake_pair *pair, int side)
{
	const struct wire_access *access = (const void *)at;

	pair->pc[side] = access->pc.offset;
	pair->thread[side] = access->thread;
	pair->flags[side] = access->flags;
	pair->locks[side] = access->lock_count;
	pair->stacks[side] = access->stack_count;
	return at + sizeof(*access) + access->lock_count * sizeof(struct wire_lock) +
	       access->stack_count * sizeof(struct wire_pc);
}

void rt_commit(void *record, enum wire_record_type type)
{
	if (type == WIRE_EV_CYCLE)
		fake_cycles++;
	if (type != WIRE_EV_PAIR)
		return;
	fake_side(fake_side((const char *)record + sizeof(struct wire_ev_pair), &fake_pairs[fake_pair_count], 0),
		  &fake_pairs[fake_pair_count], 1);
	fake_pair_count++;
}

/* ---- the engine ------------------------------------------------------------------------------ */

void detect_miss(const void *address, size_t size_and_flags, uintptr_t pc);

#include "rt/detect/internal.h"
#include "rt/string.c"
#define lock clock_lock
#include "rt/detect/clock.c"
#undef lock
#define hash_of lockset_hash_of
#define has lockset_has
#define set lockset_set
#define set_at lockset_set_at
#define set_new lockset_set_new
#define sets lockset_sets
#include "rt/detect/lockset.c"
#undef hash_of
#undef set
#undef set_at
#undef set_new
#undef sets
#undef CHUNKS
#undef MEMO
#define lock site_lock
#define count site_count
#define chunks site_chunks
#define table site_table
#define hash_of site_hash_of
#include "rt/detect/site.c"
#undef lock
#undef count
#undef chunks
#undef table
#undef hash_of
#undef CHUNK
#undef CHUNKS
#define lock siteset_lock
#define count siteset_count
#include "rt/detect/siteset.c"
#undef lock
#undef count
#define table segment_table
#include "rt/detect/segment.c"
#undef table
#include "rt/detect/shadow.c"
#undef PAGE
#include "rt/detect/thread.c"
#undef HEADS
#include "rt/detect/sync.c"
#undef HEADS
#undef STRIPES
#define lock lock_lock
#define chunks lock_chunks
#include "rt/detect/lock.c"
#undef lock
#undef chunks
#undef CHUNK
#undef CHUNKS
#include "rt/detect/atomic.c"
#include "rt/detect/record.c"
#define all piece_all
#include "rt/detect/piece.c"
#undef all
#define stripes list_stripes
#define check list_check
#include "rt/detect/list.c"
#undef stripes
#undef check
#define pool stack_pool
#define hash_of stack_hash_of
#define find stack_find
#define add stack_add
#include "rt/detect/stack.c"
#undef pool
#undef hash_of
#undef find
#undef add
#undef HEADS
#undef WORDS
#include "rt/detect/pair.c"
#include "rt/detect/sample.c"
#include "rt/detect/memory.c"
#undef STEPS
#include "rt/detect/order.c"
#include "rt/detect/blob.c"
#include "rt/detect/engine.c"

const bool rt_takes_turns = false;

static bool fake_miss_called;
static size_t fake_miss_what;
void detect_miss(const void *address, size_t size_and_flags, uintptr_t pc)
{
	(void)address, (void)pc;
	fake_miss_called = true;
	fake_miss_what = size_and_flags;
}

/* ---- the language of the tests -------------------------------------------------------------------- */

static inline void as(unsigned thread)
{
	rt_self_tls = &fake_threads[thread];
	detect_key = key_shown(rt_self_tls->engine ? ((struct detect_thread *)rt_self_tls->engine)->key : 0);
}

static inline void create(unsigned by, unsigned thread)
{
	as(by);
	fake_threads[thread].id = thread;
	rt_on_thread_create(&fake_threads[thread]);
	as(thread);
	rt_on_thread_start(&fake_threads[thread]);
}

static inline void join(unsigned by, unsigned thread)
{
	as(thread);
	rt_on_thread_end(&fake_threads[thread]);
	as(by);
	rt_on_thread_join(&fake_threads[thread]);
}

static inline void reads(unsigned thread, const void *address, size_t size, uintptr_t pc)
{
	as(thread);
	rt_on_access(address, size, ACCESS_READ, pc);
}

static inline void writes(unsigned thread, const void *address, size_t size, uintptr_t pc)
{
	as(thread);
	rt_on_access(address, size, ACCESS_WRITE, pc);
}

static inline void locks(unsigned thread, const void *lock, enum lock_mode mode)
{
	as(thread);
	rt_on_want(lock, mode, 0x77);
	rt_on_acquire(lock, mode, 0x77);
}

static inline void unlocks(unsigned thread, const void *lock)
{
	as(thread);
	rt_on_release(lock, LOCK_WRITE, 0x78);
}

static inline unsigned pairs_of(uintptr_t a, uintptr_t b)
{
	unsigned n = 0;

	for (unsigned i = 0; i < fake_pair_count; i++)
		n += (fake_pairs[i].pc[0] == a && fake_pairs[i].pc[1] == b) ||
		     (fake_pairs[i].pc[0] == b && fake_pairs[i].pc[1] == a);
	return n;
}

/* Sites of one test must not be those of another: the pair table is the process's. */
#define NO_PAIRS() assert_int_equal(fake_pair_count, 0)

/* A process starts once; tests share it with fresh memory (static per test) and sites. */
static int fake_start(void **state)
{
	(void)state;
	if (detect_off) {
		as(0);
		rt_engine_start();
		assert_false(detect_off);
		assert_non_null(detect_self());
		create(0, 1);
		create(0, 2);
		create(0, 3);
	}
	fake_pair_count = fake_cycles = 0;
	memset(fake_counts, 0, sizeof(fake_counts));
	return 0;
}

#endif
