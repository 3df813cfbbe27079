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
	if (unlikely(!self->told)) {
		self->told = rt_arena(TOLD * sizeof(*self->told));
		if (!self->told)
			return NULL;
	}
	return &self->told[(block >> 4 ^ block >> 12) % TOLD];
}

static bool is_told(struct trace_thread *self, uintptr_t block, size_t size)
{
	uint64_t epoch = __atomic_load_n(&trace_header->epoch, __ATOMIC_ACQUIRE) + 1;
	struct trace_told *slot = told_slot(self, block);

	if (!slot)
		return false;
	if (likely(slot->block == block && slot->epoch == epoch && slot->size >= size))
		return true;
	*slot = (struct trace_told){ epoch, block, size };
	return false;
}

static RT_NOINLINE void fresh_slow(struct trace_thread *self, const void *block, size_t size, uintptr_t pc,
				   unsigned mapped)
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

/*
 * The sampler needs them; trap does not. Before the first thread of the program has made
 * itself known (constructors of other libraries) nothing is looked at yet either.
 */
static inline void fresh(const void *block, size_t size, uintptr_t pc, unsigned mapped)
{
	struct trace_thread *self = trace_self_quick();

	if (likely(self && block && trace_header) && trace_wants(TRACE_SAMPLE) && trace_enter(self)) {
		if (!is_told(self, (uintptr_t)block, size))
			fresh_slow(self, block, size, pc, mapped);
		trace_leave(self);
	}
}

RT_EXPORT void *malloc(size_t size)
{
	void *block = REAL(malloc)(size);

	fresh(block, size, RT_CALLER, 0);
	return block;
}

RT_EXPORT void *calloc(size_t count, size_t size)
{
	void *block = REAL(calloc)(count, size);

	fresh(block, count * size, RT_CALLER, 0);
	return block;
}

/* In place: what was there is still the same variable. */
RT_EXPORT void *realloc(void *old, size_t size)
{
	void *block = REAL(realloc)(old, size);

	if (block != old)
		fresh(block, size, RT_CALLER, 0);
	return block;
}

RT_EXPORT void *reallocarray(void *old, size_t count, size_t size)
{
	void *block = REAL(reallocarray)(old, count, size);

	if (block != old)
		fresh(block, count * size, RT_CALLER, 0);
	return block;
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
	void *block = REAL(aligned_alloc)(alignment, size);

	fresh(block, size, RT_CALLER, 0);
	return block;
}

RT_EXPORT void *memalign(size_t alignment, size_t size)
{
	void *block = REAL(memalign)(alignment, size);

	fresh(block, size, RT_CALLER, 0);
	return block;
}

RT_EXPORT void *valloc(size_t size)
{
	void *block = REAL(valloc)(size);

	fresh(block, size, RT_CALLER, 0);
	return block;
}

RT_EXPORT void *pvalloc(size_t size)
{
	void *block = REAL(pvalloc)(size);

	fresh(block, size, RT_CALLER, 0);
	return block;
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
