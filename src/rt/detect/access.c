/*
 * access - the entry points of the compilers: first visits and misses.
 *
 * A call arrives here by the exported name (through the PLT). The site is looked up and
 * counted; after VISITS_BEFORE_PATCHING it is worth a direct call to the fast entry (blob.c)
 * and the call is patched. From then on only misses come here, by detect_miss. Sites the plan
 * watches are never patched, so that none of their accesses is skipped as a hit.
 */
#include "rt/abi/access.h"
#include "rt/detect/internal.h"
#include "rt/detect/quick.h"
#include "rt/detect/twin.h"

/* Patching costs some microseconds and a site that is visited once never earns them. */
#define VISITS_BEFORE_PLANNING 2u
#define VISITS_BEFORE_PATCHING 8u

void detect_visit(uintptr_t pc, const void *address, size_t size, unsigned flags, const void *entry, const void *frame);
void detect_miss(const void *address, size_t size_and_flags, uintptr_t pc);

static void touch(struct detect_thread *t, uint32_t site, uintptr_t pc, const void *address, size_t size,
		  unsigned flags, const void *frame)
{
	struct touch x = { .t = t, .address = (uintptr_t)address, .size = size, .flags = flags, .site = site,
			   .pc = pc, .frame = frame };

	if (unlikely(t->ignore))
		return;
	if (unlikely(sample_kind == WIRE_SAMPLE_LITERACE) && sample_skips(t, site))
		return;
	x.watched = site_at(site)->watched;
	x.cold = site_at(site)->visits <= VISITS_BEFORE_PATCHING;
	x.record = !sample_paused();
	if (unlikely(!x.record))
		t->skipped++;
	record_touch(&x);
}

static inline struct detect_thread *enter(struct rt_thread *rt)
{
	struct detect_thread *t;

	if (unlikely(rt_paused))
		return NULL;
	if (unlikely(!rt_enter(rt))) {
		rt_count(WIRE_SKIPPED_REENTRANT);
		return NULL;
	}
	t = detect_of(rt);
	if (unlikely(!t))
		rt_leave(rt);
	return t;
}

/* These do more than access a fixed number of bytes at their argument. */
static bool is_plain(const void *entry)
{
	return entry != (const void *)__tsan_read_range && entry != (const void *)__tsan_write_range &&
	       entry != (const void *)__tsan_vptr_update;
}

/* The second visit plans, for a twentieth of the price; the last takes its whole page along. */
static void patch(struct site *site, const void *entry)
{
	const void *fast = is_plain(entry) ? blob_entry(site->pc, site->size, site->flags) : NULL;

	site->patched = !fast || site->visits >= VISITS_BEFORE_PATCHING;
	if (fast && site->patched)
		rt_patch_call(site->pc, entry, fast);
	else if (fast)
		rt_patch_plan(site->pc, entry, fast);
}

/* Counted races between threads only delay or repeat the patching, which is idempotent. */
static void visited(struct site *site, const void *entry)
{
	if (site->patched || site->watched || rt_plan_flag(WIRE_NO_PATCH))
		return;
	if (++site->visits == VISITS_BEFORE_PLANNING || site->visits == VISITS_BEFORE_PATCHING)
		patch(site, entry);
}

RT_NOINLINE void detect_visit(uintptr_t pc, const void *address, size_t size, unsigned flags, const void *entry,
			      const void *frame)
{
	struct rt_thread *rt = rt_self();
	struct detect_thread *t = detect_off ? NULL : enter(rt);
	uint32_t site;

	if (!t)
		return;
	site = site_of(pc, flags, size);
	if (likely(site)) {
		if (entry)
			visited(site_at(site), entry);
		touch(t, site, pc, address, size, flags, frame);
	}
	rt_leave(rt);
}

/* A patched call is always the same access, so its return address alone names the site. */
static inline uint32_t cached_site(struct detect_thread *t, uintptr_t pc, unsigned flags, size_t size)
{
	unsigned i = (unsigned)(pc ^ pc >> 8) % SITE_CACHE;

	if (unlikely(t->sites[i].pc != pc)) {
		t->sites[i].site = site_of(pc, flags, size);
		t->sites[i].pc = pc;
	}
	return t->sites[i].site;
}

/* Nothing special about the moment, the thread or the address: write one granule or two. */
static inline bool quick(struct detect_thread *t, uintptr_t address, size_t size, unsigned flags, uint32_t site, uintptr_t pc)
{
	uint32_t bytes = ((1u << size) - 1) << address % GRANULE;
	uint64_t *cells = shadow_cells(address);

	if (unlikely(sample_kind != WIRE_SAMPLE_ALL || t->ignore || !t->key || !cells))
		return false;
	if (likely(!(bytes >> GRANULE)))
		return record_quick(t, cells, bytes, flags, site, true, false, false);
	return (address + GRANULE) >> CHUNK_BITS == address >> CHUNK_BITS &&
	       quick_two(t, address, bytes, flags, site, pc);
}

/* What is not quick: the first access of a segment, a conflict, a list. */
static RT_NOINLINE void miss_slowly(struct detect_thread *t, uint32_t site, const void *address, size_t size, unsigned flags,
				    uintptr_t pc)
{
	touch(t, site, pc, address, size, flags, __builtin_frame_address(0));
}

static RT_NOINLINE void miss(const void *address, size_t size_and_flags, uintptr_t pc)
{
	struct rt_thread *rt = rt_self_tls;
	size_t size = size_and_flags & 0xff;
	unsigned flags = (unsigned)(size_and_flags >> 8);
	struct detect_thread *t;
	uint32_t site;

	if (unlikely(detect_off))
		return;
	if (unlikely(!rt))
		rt = rt_self();
	t = enter(rt);
	if (unlikely(!t))
		return;
	site = cached_site(t, pc, flags, size);
	if (likely(site) && !quick(t, (uintptr_t)address, size, flags, site, pc))
		miss_slowly(t, site, address, size, flags, pc);
	rt_leave(rt);
}

/*
 * From blob.c, with general registers only: see preserve.c. Unaligned rows end here; all the rest of a
 * miss is apart, for its frame costs as much.
 */
void detect_miss(const void *address, size_t size_and_flags, uintptr_t pc)
{
	bool two = (uintptr_t)address % GRANULE + (size_and_flags & 0xff) > GRANULE, done;
	struct rt_thread *rt = rt_self_tls;
	struct detect_thread *t = likely(rt != NULL) ? rt->engine : NULL;

	if (two && likely(t != NULL) && !detect_off && !rt_paused && !t->ignore && rt_enter(rt)) {
		done = twin_repeats(t, (uintptr_t)address, pc);
		rt_leave(rt);
		if (done)
			return;
	}
	miss(address, size_and_flags, pc);
}

ACCESS_INLINE void access_at(uintptr_t pc, const void *address, size_t size, unsigned flags, const void *entry)
{
	if (unlikely(!rt_wire)) {
		if (entry)
			rt_patch_nop(pc, entry);
		return;
	}
	detect_visit(pc, address, size, flags, entry, __builtin_frame_address(0));
}

ACCESS_INLINE void function_entry(uintptr_t caller, uintptr_t site, const void *entry)
{
	if (rt_wire)
		rt_frame_push(rt_self(), caller);
	else
		rt_patch_nop(site, entry);
}

ACCESS_INLINE void function_exit(uintptr_t site, const void *entry)
{
	if (rt_wire)
		rt_frame_pop(rt_self());
}
