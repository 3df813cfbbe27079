/*
 * poke - change an instruction while other threads may be running through it.
 *
 * Their cores may hold the old bytes, or have fetched half of them:
 *   - no second thread was ever made, or all others are parked (rt_patch_alone): plain stores;
 *   - only an operand of 4 bytes changes and lies within one fetch block: one store;
 *   - else "jmp self" (EB FE) over the first two bytes, all cores synchronised by
 *     membarrier, the tail, synchronised again, the first two bytes. Whoever comes by
 *     meanwhile spins there;
 *   - the first two bytes lie in two fetch blocks: not possible, the caller must change the
 *     operand only (which then lies in one).
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

/*
 * Signals wait meanwhile: a handler of ours could run into the very jump to itself that only
 * we can take away.
 */
static bool store_held(uintptr_t at, const uint8_t *bytes, size_t length)
{
	static const uint8_t jump_self[] = { 0xeb, 0xfe };
	static const uint64_t all = ~0ull;
	uint64_t before;

	if (!rt_sync_cores())
		return false;
	rt_syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof(all));
	store2(at, jump_self);
	rt_sync_cores();
	rt_memcpy((void *)(at + 2), bytes + 2, length - 2);
	rt_sync_cores();
	store2(at, bytes);
	rt_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
	return true;
}

bool poke(uintptr_t at, const uint8_t *bytes, size_t length)
{
	uintptr_t operand = at + length - 4;
	bool done = false;

	if (!protect(at, length, true))
		return false;
	if (is_alone()) {
		rt_memcpy((void *)at, bytes, length);
		done = true;
	} else if (!rt_memcmp((void *)at, bytes, length - 4) && in_one_block(operand, 4)) {
		store4(operand, bytes + length - 4);
		done = true;
	} else if (in_one_block(at, 2)) {
		done = store_held(at, bytes, length);
	}
	protect(at, length, false);
	return done;
}

bool poke_can_change(uintptr_t at)
{
	return is_alone() || in_one_block(at, 2);
}
