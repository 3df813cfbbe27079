/*
 * map - mmap, munmap, mremap: memory that begins anew or ends, by the page.
 */
#include <stdarg.h>
#include <sys/mman.h>

#include "rt/abi/tell.h"

static size_t whole_pages(size_t size)
{
	return (size + WIRE_PAGE - 1) & -(size_t)WIRE_PAGE;
}

static void *fresh(void *start, size_t size)
{
	if (rt_wire && start != MAP_FAILED)
		TELL(rt_on_fresh(start, whole_pages(size)));
	return start;
}

static void ending(void *start, size_t size, uintptr_t pc)
{
	rt_turn_access(start, whole_pages(size), ACCESS_WRITE | ACCESS_FREE, pc);
	TELL(rt_on_free(start, whole_pages(size), pc));
}

RT_EXPORT void *mmap(void *start, size_t size, int protection, int flags, int file, off_t offset)
{
	return fresh(REAL(mmap)(start, size, protection, flags, file, offset), size);
}

extern void *mmap64(void *start, size_t size, int protection, int flags, int file, off64_t offset)
	RT_EXPORT __attribute__((alias("mmap"), copy(mmap)));

/* One that the kernel would refuse ends nothing. */
RT_EXPORT int munmap(void *start, size_t size)
{
	if (rt_wire && size && !((uintptr_t)start % WIRE_PAGE))
		ending(start, size, RT_CALLER);
	return REAL(munmap)(start, size);
}

/* Grown in place: only what was added is new. Moved or shrunk: the contents begin anew there. */
RT_EXPORT void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
	void *wanted = NULL, *start;
	va_list arguments;

	va_start(arguments, flags);
	if (flags & MREMAP_FIXED)
		wanted = va_arg(arguments, void *);
	va_end(arguments);
	start = REAL(mremap)(old, old_size, size, flags, wanted);
	if (start == MAP_FAILED || !rt_wire)
		return start;
	if (start != old)
		return fresh(start, size);
	if (whole_pages(size) > whole_pages(old_size))
		fresh((char *)old + whole_pages(old_size), whole_pages(size) - whole_pages(old_size));
	return start;
}
