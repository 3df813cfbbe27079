/*
 * memory - what is new, what is freed: an address is not a variable.
 *
 * free() is a write to the block: it is checked against, and left behind in, the first
 * FREE_CHECKED bytes (TSan's figure; a block is rarely used beyond its head only), so that a
 * use after it by another thread is a pair too, in whatever order they ran. The rest is
 * forgotten, and allocation forgets what free left. Blocks that libc maps (FREE_MAPPED and
 * more) leave nothing: their addresses come back as something we may not hear of.
 *
 * For the report, the start of a heap block keeps its size and allocation site in a sparse
 * table, one word per 16 bytes of the program, written at block starts only.
 *
 *   63      40 39          0
 *   | site    | size       |
 */
#include "rt/detect/internal.h"

#define FREE_CHECKED 1024u
#define FREE_MAPPED (64u << 10)
#define BLOCK_ALIGN 16u
#define LONGEST_LOOK (1u << 16) /* words walked back from an address inside a block: 1 MiB */

static uint64_t *blocks; /* by folded address; NULL: no room, heap blocks are not known */

void blocks_start(void)
{
	if (shadow.direct)
		blocks = rt_reserve(((size_t)1 << SPACE_BITS) / BLOCK_ALIGN * sizeof(*blocks), false);
}

static uint64_t *block_word(uintptr_t address)
{
	return &blocks[(address & SPACE_MASK) / BLOCK_ALIGN];
}

static void block_note(uintptr_t address, size_t size, uintptr_t pc)
{
	uint32_t site = blocks ? site_of(pc, ACCESS_RANGE, 0) : 0;

	if (site && size < 1ull << 40)
		__atomic_store_n(block_word(address), (uint64_t)site << 40 | size, __ATOMIC_RELAXED);
}

/* Is there a block at start, and the address in it? */
static bool block_is(uintptr_t start, uintptr_t address, struct block *block)
{
	uint64_t word = __atomic_load_n(block_word(start), __ATOMIC_RELAXED);

	block->start = start;
	block->size = word & ((1ull << 40) - 1);
	block->allocated_at = word ? site_at((uint32_t)(word >> 40))->pc : 0;
	return word && address - start < block->size;
}

/* Pairs come by the dozen from one block, and it may be large: the last one found is tried first. */
static uintptr_t last_found;

bool block_of(uintptr_t address, struct block *block)
{
	uintptr_t at = address & -(uintptr_t)BLOCK_ALIGN, last = __atomic_load_n(&last_found, __ATOMIC_RELAXED);

	if (!blocks)
		return false;
	if (last && last <= address && block_is(last, address, block))
		return true;
	for (unsigned i = 0; i < LONGEST_LOOK && at > BLOCK_ALIGN; i++, at -= BLOCK_ALIGN)
		if (__atomic_load_n(block_word(at), __ATOMIC_RELAXED)) {
			__atomic_store_n(&last_found, at, __ATOMIC_RELAXED);
			return block_is(at, address, block);
		}
	return false;
}

void rt_on_alloc(const void *block, size_t size, uintptr_t pc)
{
	if (detect_off || !block)
		return;
	shadow_clear((uintptr_t)block, size);
	shadow_large((uintptr_t)block, size);
	objects_drop((uintptr_t)block, size);
	block_note((uintptr_t)block, size, pc);
}

static bool free_touch(struct touch *x, const void *block, size_t size, uintptr_t pc, const void *frame)
{
	*x = (struct touch){ .t = detect_self(), .address = (uintptr_t)block, .flags = ACCESS_WRITE | ACCESS_FREE,
			     .pc = pc, .frame = frame };
	x->size = size < FREE_CHECKED ? size : FREE_CHECKED;
	x->site = site_of(pc, x->flags, 0);
	return x->t && x->site && !x->t->ignore && detect_many;
}

void rt_on_free(const void *block, size_t size, uintptr_t pc)
{
	struct touch x;
	bool write;

	if (detect_off || !block || !size)
		return;
	write = free_touch(&x, block, size, pc, __builtin_frame_address(0));
	if (write)
		record_touch(&x);
	shadow_clear((uintptr_t)block, size);
	x.record = !sample_paused();
	if (write && size < FREE_MAPPED && x.record)
		record_touch(&x);
	objects_drop((uintptr_t)block, size);
	if (blocks && (uintptr_t)block % BLOCK_ALIGN == 0)
		__atomic_store_n(block_word((uintptr_t)block), 0, __ATOMIC_RELAXED);
}

void rt_on_fresh(const void *block, size_t size)
{
	if (detect_off || !block)
		return;
	shadow_drop((uintptr_t)block, size);
	objects_drop((uintptr_t)block, size);
}

void rt_on_ignore(int delta)
{
	struct detect_thread *t = detect_self();

	if (t)
		t->ignore += delta;
}
