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
	uint64_t epoch;
	uintptr_t block;
	size_t size;
};

static struct trace_told *told_slot(struct trace_thread *self, uintptr_t block)
{
	return &self->told[(block >> 4 ^ block >> 12) % TOLD];
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

static RT_NOINLINE void *way_out(struct trace_thread *self, void *block, uintptr_t pc)
{
	if (self->look)
		burst_look(self, pc);
	trace_way_out(self);
	return block;
}

static RT_NOINLINE void *fresh_slow(struct trace_thread *self, void *block, size_t size, uintptr_t pc, unsigned mapped,
				    uint64_t epoch)
{
	if (!trace_enter(self))
		return block;
	if (!self->told)
		self->told = rt_arena(TOLD * sizeof(*self->told));
	if (self->told)
		*told_slot(self, (uintptr_t)block) = (struct trace_told){ epoch, (uintptr_t)block, size };
	tell(self, block, size, pc, mapped);
	trace_leave(self);
	return way_out(self, block, pc);
}

/*
 * The sampler needs them; trap does not. Before the first thread of the program has made
 * itself known (constructors of other libraries) nothing is looked at yet either.
 *
 * Returns the block, and is the last thing the wrappers do: the fast path saves no register.
 */
static RT_NOINLINE void *fresh(void *block, size_t size, uintptr_t pc, unsigned mapped)
{
	struct trace_thread *self = trace_self_quick();
	const struct trace_told *slot;
	uint64_t epoch;

	if (unlikely(!self || !block || !trace_wants(TRACE_SAMPLE)))
		return block;
	epoch = __atomic_load_n(&trace_header->epoch, __ATOMIC_ACQUIRE) + 1;
	slot = likely(self->told != NULL) ? told_slot(self, (uintptr_t)block) : NULL;
	if (unlikely(!slot || slot->block != (uintptr_t)block || slot->epoch != epoch || slot->size < size))
		return fresh_slow(self, block, size, pc, mapped, epoch);
	if (unlikely(self->look | self->resume) && !self->inside)
		return way_out(self, block, pc);
	return block;
}

RT_EXPORT void *malloc(size_t size)
{
	return fresh(REAL(malloc)(size), size, RT_CALLER, 0);
}

RT_EXPORT void *calloc(size_t count, size_t size)
{
	return fresh(REAL(calloc)(count, size), count * size, RT_CALLER, 0);
}

/* In place: what was there is still the same variable. */
RT_EXPORT void *realloc(void *old, size_t size)
{
	void *block = REAL(realloc)(old, size);

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
