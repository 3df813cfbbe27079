/*
 * memory - without malloc: a bump arena from mmapped chunks, and reservations.
 *
 * Nothing is given back: what the runtime keeps, it keeps for the life of the process,
 * so one pointer is all the book-keeping there is. Works under ulimit -v: chunks are
 * small, reservations are the caller's to size and to do without.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "rt/internal.h"

/* Small, so that an inert process touches little; a request beyond it gets its own chunk. */
#define ARENA_CHUNK (256u << 10)

static struct {
	struct rt_lock lock;
	char *next;
	size_t left;
} arena;

static void *map(size_t size, int flags)
{
	long address = rt_syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return address < 0 && address > -4096 ? NULL : (void *)address;
}

static bool arena_refill(size_t size)
{
	size_t chunk = size > ARENA_CHUNK ? (size + WIRE_PAGE - 1) & -(size_t)WIRE_PAGE : ARENA_CHUNK;
	char *start = map(chunk, 0);

	if (!start)
		return false;
	arena.next = start;
	arena.left = chunk;
	return true;
}

void *rt_arena(size_t size)
{
	void *block = NULL;

	size = (size + 15) & -(size_t)16;
	rt_lock(&arena.lock);
	if (size <= arena.left || arena_refill(size)) {
		block = arena.next;
		arena.next += size;
		arena.left -= size;
	}
	rt_unlock(&arena.lock);
	return block;
}

void *rt_reserve(size_t size, bool huge)
{
	void *start = map(size, MAP_NORESERVE);

	if (start && huge)
		rt_syscall(SYS_madvise, start, size, MADV_HUGEPAGE);
	return start;
}

void rt_unreserve(void *start, size_t size)
{
	rt_syscall(SYS_munmap, start, size);
}

void rt_memory_fork(bool before)
{
	if (before)
		rt_lock(&arena.lock);
	else
		rt_unlock(&arena.lock);
}
