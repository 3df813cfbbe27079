/*
 * poke - change an instruction while other threads may be running through it.
 *
 * Their cores may hold the old bytes, or have fetched half of them:
 *   - no second thread was ever made, or all others are parked (rt_patch_alone): plain stores;
 *   - only an operand of 4 bytes changes and lies within one fetch block, or only the first byte: one store;
 *   - else "jmp self" (EB FE) over the first two bytes, all cores synchronised by
 *     membarrier, the tail, synchronised again, the first two bytes. Whoever comes by
 *     meanwhile spins there;
 *   - the first two bytes lie in two fetch blocks: not possible, the caller must change the
 *     operand only (which then lies in one) or the first byte only.
 * A fetch block is taken as 16 bytes: cores fetch 16 to 64 at a time, aligned. Decided against:
 * int3 and a handler, as the kernel does it, since SIGTRAP belongs to the program and its
 * debugger.
 *
 * I1  Text is writable only during a change and gets its segment's protection back; it is
 *     executable all the time.
 */
#include <elf.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "rt/internal.h"
#include "rt/poke.h"

#define FETCH_BLOCK 16u

/* The protection of all pages of [at, at + size), which lie in one segment. */
static bool protect(uintptr_t at, size_t size, bool writable)
{
	const struct module *module = module_find(at);
	const struct module_segment *text = module ? module_segment(module, at, size) : NULL;
	uintptr_t low = at & -(uintptr_t)WIRE_PAGE;
	uintptr_t high = (at + size + WIRE_PAGE - 1) & -(uintptr_t)WIRE_PAGE;
	int protection = PROT_READ | PROT_EXEC;

	if (!text)
		return false;
	if (writable || (text->flags & PF_W))
		protection |= PROT_WRITE;
	return rt_syscall(SYS_mprotect, low, high - low, protection) == 0;
}

/* Nobody else can be in the text: no other thread was made, or the scheduler has parked them all. */
bool rt_patch_alone;

static bool is_alone(void)
{
	return rt_patch_alone || rt_thread_count() == 1;
}

static bool in_one_block(uintptr_t at, size_t size)
{
	return at / FETCH_BLOCK == (at + size - 1) / FETCH_BLOCK;
}

/* Locked exchanges: single for all observers, however they are aligned within the block. */
static void store2(uintptr_t at, const uint8_t *bytes)
{
	uint16_t value;

	rt_memcpy(&value, bytes, sizeof(value));
	__asm__ volatile("xchgw %0, %1" : "+r"(value), "+m"(*(uint16_t *)at) : : "memory");
}

static void store4(uintptr_t at, const uint8_t *bytes)
{
	uint32_t value;

	rt_memcpy(&value, bytes, sizeof(value));
	__asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*(uint32_t *)at) : : "memory");
}

static bool only_operand_changes(const struct poke *p)
{
	return !rt_memcmp((const void *)p->at, p->bytes, p->length - 4u) && in_one_block(p->at + p->length - 4u, 4);
}

static bool only_first_changes(const struct poke *p)
{
	return !rt_memcmp((const void *)(p->at + 1), p->bytes + 1, p->length - 1u);
}

/* false: it takes more than one store. */
static bool store_one(const struct poke *p)
{
	if (is_alone())
		rt_memcpy((void *)p->at, p->bytes, p->length);
	else if (only_operand_changes(p))
		store4(p->at + p->length - 4u, p->bytes + p->length - 4u);
	else if (only_first_changes(p))
		__atomic_store_n((uint8_t *)p->at, p->bytes[0], __ATOMIC_SEQ_CST);
	else
		return false;
	return true;
}

/* Those that take one store are done at once; how many are left? */
static size_t store_simple(struct poke *list, size_t count)
{
	size_t left = 0;

	for (struct poke *p = list; p < list + count; p++) {
		p->done = store_one(p);
		left += !p->done && in_one_block(p->at, 2);
	}
	return left;
}

static bool is_held(const struct poke *p)
{
	return !p->done && in_one_block(p->at, 2);
}

/*
 * All at once, so that the cores are disturbed three times for the whole list. Signals wait
 * meanwhile: a handler of ours could run into a jump to itself that only we can take away.
 */
static void store_held(struct poke *list, size_t count)
{
	static const uint8_t jump_self[] = { 0xeb, 0xfe };
	static const uint64_t all = ~0ull;
	struct poke *p, *end = list + count;
	uint64_t before;

	if (!rt_sync_cores())
		return;
	rt_syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof(all));
	for (p = list; p < end; p++)
		if (is_held(p))
			store2(p->at, jump_self);
	rt_sync_cores();
	for (p = list; p < end; p++)
		if (is_held(p))
			rt_memcpy((void *)(p->at + 2), p->bytes + 2, p->length - 2u);
	rt_sync_cores();
	for (p = list; p < end; p++)
		if (is_held(p)) {
			store2(p->at, p->bytes);
			p->done = true;
		}
	rt_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
}

void poke_all(struct poke *list, size_t count)
{
	uintptr_t low = UINTPTR_MAX, high = 0;

	for (size_t i = 0; i < count; i++) {
		list[i].done = false;
		low = list[i].at < low ? list[i].at : low;
		high = list[i].at + list[i].length > high ? list[i].at + list[i].length : high;
	}
	if (!count || !protect(low, high - low, true))
		return;
	if (store_simple(list, count))
		store_held(list, count);
	protect(low, high - low, false);
}

bool poke_can_change(uintptr_t at)
{
	return is_alone() || in_one_block(at, 2);
}
