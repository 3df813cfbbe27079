/*
 * alloc - malloc and its kin: the bytes of a block begin anew, so that what was there before
 * is another variable. Frees are not told: nothing can be at the address again before it is
 * given out again, and that is told.
 *
 * Whose allocator it is does not matter: the next one after us (libc's, a preloaded or linked
 * jemalloc). One in the program itself comes before us and is not seen; deadheat.h has notes
 * for those.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "rt/trace/trace.h"

/*
 * Programs give out the same few blocks again and again between two samples; only the first time
 * tells a reader anything (wire/trace.h, I3). One table a thread, direct-mapped.
 */
#define TOLD 256

struct trace_told {
	uintptr_t block;
	uint64_t epoch;
	size_t size;
	uint64_t unused; /* a power of two: one shift finds the slot */
};
_Static_assert(sizeof(struct trace_told) == 32, "see unused");

/*
 * The table of the calling thread, while nothing else is to be done at an allocation: NULL for a thread that has
 * none, whose next allocations are to be looked at, or that is to be stepped from here. One test for all.
 */
static RT_TLS struct trace_told *trace_told_now;

void trace_told_refresh(struct trace_thread *self)
{
	trace_told_now = self->look | self->resume ? NULL : self->told;
}

void trace_told_forget(void)
{
	trace_told_now = NULL;
}

static inline struct trace_told *told_slot(struct trace_told *told, uintptr_t block)
{
	return &told[(block >> 4 ^ block >> 12) % TOLD];
}

static void tell(struct trace_thread *self, const void *block, size_t size, uintptr_t pc, unsigned mapped)
{
	struct trace_r_alloc *record;

	record = trace_record(self, TRACE_R_ALLOC, sizeof(*record),
			      __atomic_load_n(&trace_header->order, __ATOMIC_ACQUIRE) + 1);
	if (!record)
		return;
	record->head.aux = mapped;
	record->block = (uintptr_t)block;
	record->size = size;
	record->pc = pc;
	trace_commit(self, record);
}

static inline bool is_told(struct trace_told *told, uintptr_t block, size_t size)
{
	const struct trace_told *slot = told_slot(told, block);
	const struct trace_header *header = trace_header; /* NULL again after a detach */

	return slot->block == block && slot->size >= size && header &&
	       slot->epoch == __atomic_load_n(&header->epoch, __ATOMIC_ACQUIRE);
}

static void make_told(struct trace_thread *self, uintptr_t block, size_t size)
{
	if (!self->told)
		self->told = rt_arena(TOLD * sizeof(*self->told));
	if (self->told)
		*told_slot(self->told, block) = (struct trace_told){
			.block = block, .epoch = __atomic_load_n(&trace_header->epoch, __ATOMIC_ACQUIRE), .size = size,
		};
}

/* Few instructions from the flag to the return: each costs a trap. */
static RT_NOINLINE void *way_out(struct trace_thread *self, void *block, uintptr_t pc)
{
	if (self->look)
		burst_look(self, pc);
	trace_told_refresh(self); /* with steps to make: not yet, the next allocation does */
	trace_way_out(self);
	return block;
}

/*
 * The sampler needs them; trap does not. Before the first thread of the program has made
 * itself known (constructors of other libraries) nothing is looked at yet either.
 */
static RT_NOINLINE void *fresh_slow(void *block, size_t size, uintptr_t pc, unsigned mapped)
{
	struct trace_thread *self = trace_self_quick();

	if (!self || !block || !trace_wants(TRACE_SAMPLE) || !trace_enter(self))
		return block;
	if (!self->told || !is_told(self->told, (uintptr_t)block, size)) {
		make_told(self, (uintptr_t)block, size);
		tell(self, block, size, pc, mapped);
	}
	trace_leave(self);
	return way_out(self, block, pc);
}

/*
 * Are allocations followed at all? trap wants to hear of none: for it those called often are a jump to the real one. Before
 * the constructor has run nobody looks either.
 */
static bool following;

void trace_alloc_follow(void)
{
	following = trace_wants(TRACE_SAMPLE);
}

/* The last thing the wrappers do; the slow path is jumped to. */
static inline __attribute__((always_inline)) void *fresh(void *block, size_t size, uintptr_t pc, unsigned mapped)
{
	struct trace_told *told = trace_told_now;

	if (unlikely(!told || !is_told(told, (uintptr_t)block, size)))
		return fresh_slow(block, size, pc, mapped);
	return block;
}

RT_EXPORT void *malloc(size_t size)
{
	if (!following)
		return REAL(malloc)(size);
	return fresh(REAL(malloc)(size), size, RT_CALLER, 0);
}

RT_EXPORT void *calloc(size_t count, size_t size)
{
	if (!following)
		return REAL(calloc)(count, size);
	return fresh(REAL(calloc)(count, size), count * size, RT_CALLER, 0);
}

/* In place: what was there is still the same variable. */
RT_EXPORT void *realloc(void *old, size_t size)
{
	void *block;

	if (!following)
		return REAL(realloc)(old, size);
	block = REAL(realloc)(old, size);
	return block != old ? fresh(block, size, RT_CALLER, 0) : block;
}

RT_EXPORT void *reallocarray(void *old, size_t count, size_t size)
{
	void *block = REAL(reallocarray)(old, count, size);

	return block != old ? fresh(block, count * size, RT_CALLER, 0) : block;
}

RT_EXPORT int posix_memalign(void **block, size_t alignment, size_t size)
{
	int result = REAL(posix_memalign)(block, alignment, size);

	if (result == 0)
		fresh(*block, size, RT_CALLER, 0);
	return result;
}

RT_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return fresh(REAL(aligned_alloc)(alignment, size), size, RT_CALLER, 0);
}

RT_EXPORT void *memalign(size_t alignment, size_t size)
{
	return fresh(REAL(memalign)(alignment, size), size, RT_CALLER, 0);
}

RT_EXPORT void *valloc(size_t size)
{
	return fresh(REAL(valloc)(size), size, RT_CALLER, 0);
}

RT_EXPORT void *pvalloc(size_t size)
{
	return fresh(REAL(pvalloc)(size), size, RT_CALLER, 0);
}

RT_EXPORT void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
	void *block = REAL(mmap)(address, size, protection, flags, file, offset);

	if (block != MAP_FAILED)
		fresh(block, size, RT_CALLER, 1);
	return block;
}

extern void *mmap64(void *address, size_t size, int protection, int flags, int file, off_t offset)
	RT_EXPORT __attribute__((alias("mmap"), copy(mmap)));
