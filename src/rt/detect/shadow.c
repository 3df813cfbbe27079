/*
 * shadow - where the cells of an address are.
 *
 * A granule's first cell lies in one plane, the other three in another: most accesses find what they
 * look for in the first, and a line of the first plane serves 128 bytes of the program instead of 32.
 * (Four cells side by side were tried first: two thirds of the fast path's time went to waiting for them.) What
 * one thread uses alone also needs only a quarter of the memory.
 *
 * Direct (usual):  first = base + (address mod 2^42) / 2; the rest three times as far in its plane.
 * Linux puts programs at 0x55..-0x56.. (or low), heaps behind them, libraries, mmap and
 * stacks at 0x7e..-0x7f..: modulo 4 TiB these do not meet, so one reservation of 8 TiB,
 * wherever the kernel has room, serves all without a look-up. Nothing is fixed: a chunk of
 * 4 MiB belongs to the upper bits that touched it first (owner); an address that folds onto
 * a foreign chunk (a program that maps by hand) has no shadow and is counted. The fast path
 * does not look at owners: only their addresses are ever written, so a wrong hit cannot
 * accuse anybody.
 *
 * By table (ulimit -v, strict overcommit): chunk of 8 MiB by address >> 22, made at first touch, aligned
 * to its size; a quarter of it is the first plane.
 *
 * Huge pages: only behind blocks of LARGE bytes and more. Asked for everywhere they changed the
 * CPU time of pigz, pbzip2, a hash table and a matrix by less than the noise (3 runs each, machine
 * loaded) and cost 1.3 to 2.5 times the memory; from 1 MiB blocks on they made xz 14 % slower. Only in the
 * first plane: behind the rest too they made xz 4 % slower and zstd 6 MB larger (CPU seconds, means of two
 * alternating rounds, machine loaded). A plane for each of the four cells was tried: xz 5 % and zstd 12 % smaller,
 * but matrix 8 % and zstd 5 % slower.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "rt/detect/internal.h"

#define PAGE ((uintptr_t)4096)
#define HUGE_PAGE ((uintptr_t)2 << 20)
#define DIRECT_FIRST (((size_t)1 << SPACE_BITS) / GRANULE * sizeof(uint64_t))
/* From here on the pages are given back rather than zeroed: bounds memory; an estimate, not tuned. */
#define GIVE_BACK ((size_t)1 << 20)
#define LARGE ((size_t)8 << 20)

struct shadow_map shadow;

static bool start_direct(void)
{
	char *start = rt_reserve(DIRECT_FIRST * CELLS + HUGE_PAGE, false);

	if (!start)
		return false;
	shadow.owner = rt_reserve(((size_t)1 << (SPACE_BITS - CHUNK_BITS)) * sizeof(*shadow.owner), false);
	shadow.direct = (uint64_t *)(((uintptr_t)start + HUGE_PAGE - 1) & -HUGE_PAGE);
	shadow.rest = (uintptr_t)shadow.direct + DIRECT_FIRST - (uintptr_t)shadow.direct * CELLS_REST;
	return shadow.owner != NULL;
}

bool shadow_start(void)
{
	shadow.listed = rt_reserve((size_t)1 << (47 - CHUNK_BITS), false);
	if (!shadow.listed)
		return false;
	if (start_direct())
		return true;
	shadow.direct = NULL;
	shadow.table = rt_reserve(((size_t)1 << (47 - CHUNK_BITS)) * sizeof(*shadow.table), false);
	return shadow.table != NULL;
}

static uint64_t *make_direct(uintptr_t address)
{
	uint32_t *owner = &shadow.owner[chunk_of(address)], none = 0, mine = (uint32_t)(address >> SPACE_BITS) + 1;

	if (__atomic_compare_exchange_n(owner, &none, mine, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || none == mine)
		return direct_cells(address);
	return NULL;
}

/* Twice the room, then what is too much at both ends is given back. */
static uint64_t *reserve_aligned(void)
{
	char *start = rt_reserve(2 * CHUNK_BYTES, false);
	size_t before = -(uintptr_t)start & (CHUNK_BYTES - 1);

	if (!start)
		return NULL;
	if (before)
		rt_unreserve(start, before);
	rt_unreserve(start + before + CHUNK_BYTES, CHUNK_BYTES - before);
	return (uint64_t *)(start + before);
}

static uint64_t *make_chunk(uintptr_t address)
{
	uint64_t **entry, *chunk, *none = NULL;

	if (address >> 47)
		return NULL;
	entry = &shadow.table[address >> CHUNK_BITS];
	chunk = reserve_aligned();
	if (!chunk)
		return NULL;
	if (!__atomic_compare_exchange_n(entry, &none, chunk, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		rt_unreserve(chunk, CHUNK_BYTES);
	return shadow_cells(address);
}

uint64_t *shadow_make(uintptr_t address)
{
	uint64_t *cells = shadow.direct ? make_direct(address) : make_chunk(address);

	if (!cells)
		rt_count(WIRE_LOST_MEMORY);
	return cells;
}

/* ---- walking ---------------------------------------------------------------------- */

static void words_each(uint64_t *words, size_t bytes, void (*visit)(uint64_t *words, size_t count))
{
	static unsigned char resident[CHUNK_BYTES / 4096];
	if (rt_syscall(SYS_mincore, words, bytes, resident) < 0)
		rt_memset(resident, 1, sizeof(resident));
	for (size_t i = 0; i < bytes; i += PAGE)
		if (resident[i / PAGE] & 1)
			visit((uint64_t *)((char *)words + i), PAGE / sizeof(uint64_t));
}

static void chunk_each(uint64_t *first, void (*visit)(uint64_t *words, size_t count))
{
	words_each(first, CHUNK_BYTES / CELLS, visit);
	words_each(cells_rest(first), CHUNK_BYTES / CELLS * CELLS_REST, visit);
}

void shadow_each(void (*visit)(uint64_t *words, size_t count))
{
	size_t n = (size_t)1 << ((shadow.direct ? SPACE_BITS : 47) - CHUNK_BITS);

	for (size_t i = 0; i < n; i++) {
		if (shadow.direct && shadow.owner[i])
			chunk_each(shadow.direct + i * CHUNK_GRANULES, visit);
		else if (!shadow.direct && shadow.table[i])
			chunk_each(shadow.table[i], visit);
	}
}

/* ---- forgetting ----------------------------------------------------------------------- */

/* Look before writing: fresh pages stay untouched, clean lines stay clean. */
static void clear_words(uint64_t *from, uint64_t *to)
{
	for (; from < to; from++)
		if (cell_load(from))
			__atomic_store_n(from, 0, __ATOMIC_RELAXED);
}

static void forget_lists(uint64_t *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cell_is_list(cell_load(&cells[i])))
			list_forget(&cells[i]);
}

/* Part of a plane; the whole pages of a large one are given back. */
static void clear_plane(uint64_t *from, uint64_t *to, size_t give_back)
{
	uintptr_t low = ((uintptr_t)from + PAGE - 1) & -PAGE, high = (uintptr_t)to & -PAGE;

	if (low >= high || high - low < give_back) {
		clear_words(from, to);
		return;
	}
	rt_syscall(SYS_madvise, low, high - low, MADV_DONTNEED);
	clear_words(from, (uint64_t *)low);
	clear_words((uint64_t *)high, to);
}

/* One chunk's part of a range. */
static void clear_part(uintptr_t address, size_t size, size_t give_back)
{
	uint64_t *cells = shadow_cells(address), *rest;
	size_t count = size / GRANULE;

	if (!cells)
		return;
	rest = cells_rest(cells);
	if (shadow.listed[shadow.direct ? chunk_of(address) : address >> CHUNK_BITS])
		forget_lists(cells, count);
	clear_plane(cells, cells + count, give_back / CELLS);
	clear_plane(rest, rest + count * CELLS_REST, give_back / CELLS * CELLS_REST);
}

/* Bytes of one granule: cells keep what they say of the others (lists keep all). */
static void clear_bytes(uintptr_t address, uint32_t bytes)
{
	uint64_t *cells = shadow_cells(address);

	for (unsigned i = 0; cells && i < CELLS; i++) {
		uint64_t *at = cell_at(cells, i), cell = cell_load(at), less = cell & ~key_bytes(bytes);

		if (cell && !cell_is_list(cell))
			__atomic_compare_exchange_n(at, &cell, cell_bytes(less) ? less : 0, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

/* The first and the last granule may belong to a neighbour in part. */
static uintptr_t clear_edges(uintptr_t address, uintptr_t *end)
{
	uintptr_t low = address & -(uintptr_t)GRANULE, high = *end & -(uintptr_t)GRANULE;
	uint32_t first = GRANULE_BYTES << (address - low), last = (1u << (*end - high)) - 1;

	*end = high;
	if (low == high && low != address) {
		clear_bytes(low, first & last);
		return high;
	}
	if (last)
		clear_bytes(high, last);
	if (low == address)
		return low;
	clear_bytes(low, first & GRANULE_BYTES);
	return low + GRANULE;
}

static void clear(uintptr_t address, size_t size, size_t give_back)
{
	uintptr_t end = address + size;

	if (!size || end < address)
		return;
	address = clear_edges(address, &end);
	while (address < end) {
		uintptr_t next = ((address >> CHUNK_BITS) + 1) << CHUNK_BITS;

		if (next > end || !next)
			next = end;
		clear_part(address, next - address, give_back);
		address = next;
	}
}

void shadow_clear(uintptr_t address, size_t size)
{
	clear(address, size, GIVE_BACK);
}

void shadow_drop(uintptr_t address, size_t size)
{
	clear(address, size, GIVE_BACK / 16);
}

static void plane_large(const uint64_t *from, const uint64_t *to)
{
	uintptr_t low = ((uintptr_t)from + HUGE_PAGE - 1) & -HUGE_PAGE, high = (uintptr_t)to & -HUGE_PAGE;

	if (low < high)
		rt_syscall(SYS_madvise, low, high - low, MADV_HUGEPAGE);
}

void shadow_large(uintptr_t address, size_t size)
{
	uint64_t *from = direct_cells(address), *to = direct_cells(address + size);

	if (!shadow.direct || size < LARGE || ((address ^ (address + size)) & ~SPACE_MASK))
		return;
	plane_large(from, to);
}
