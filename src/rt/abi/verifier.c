/*
 * verifier - the conventions of software verification tasks (sv-comp), for programs that
 * use them without defining them. A program that has its own definition wins: the loader
 * takes the executable's first.
 *
 *     __VERIFIER_nondet_T()          a seeded value, often a small one (loop bounds, sizes)
 *     __VERIFIER_atomic_begin, _end  nothing else runs in between; nests
 *     __VERIFIER_assume(c), assume_abort_if_not(c)   the trial is not counted when c is 0
 *     __VERIFIER_error(), reach_error()              the error
 *
 * Functions of the program named __VERIFIER_atomic_* are its own; sched/verifier.c finds
 * them in the symbol table. Without a scheduler an atomic section is one global lock,
 * which is only as atomic as the others who take it.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "rt/abi/tell.h"
#include "rt/abi/verifier.h"

#define WEAK __attribute__((weak))

/* ---- without a scheduler ------------------------------------------------------------------- */

static uint64_t words;

/* splitmix64 of a counter: no state to share but the counter. */
WEAK uint32_t verifier_word(void)
{
	uint64_t z = __atomic_add_fetch(&words, 1, __ATOMIC_RELAXED) + (rt_plan ? rt_plan->seed : 0) * 0x10001;

	z *= 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return (uint32_t)(z >> 32);
}

static struct rt_lock section;
static uint32_t section_owner, section_depth;

WEAK void verifier_atomic_begin(uintptr_t pc)
{
	uint32_t self = rt_self()->id + 1;

	if (__atomic_load_n(&section_owner, __ATOMIC_RELAXED) != self) {
		rt_lock(&section);
		__atomic_store_n(&section_owner, self, __ATOMIC_RELAXED);
		if (rt_wire)
			TELL(rt_on_acquire(&section, LOCK_WRITE, pc));
	}
	section_depth++;
}

WEAK void verifier_atomic_end(uintptr_t pc)
{
	if (__atomic_load_n(&section_owner, __ATOMIC_RELAXED) != rt_self()->id + 1 || --section_depth)
		return;
	if (rt_wire)
		TELL(rt_on_release(&section, LOCK_WRITE, pc));
	__atomic_store_n(&section_owner, 0, __ATOMIC_RELAXED);
	rt_unlock(&section);
}

WEAK void verifier_assume_failed(void)
{
	rt_finish(0);
	rt_exit_now(0);
}

WEAK void verifier_error(const char *text)
{
	rt_note("%s", text);
}

WEAK void rt_turn_abort(uintptr_t pc)
{
}

/* ---- the names ------------------------------------------------------------------------------- */

/* Half of the values are below 4, a quarter below 256, an eighth just below 0: -16 to -1. */
static uint64_t nondet(void)
{
	uint32_t word = verifier_word();

	switch (word & 7) {
	case 0: case 1: case 2: case 3:
		return word >> 3 & 3;
	case 4: case 5:
		return word >> 3 & 255;
	case 6:
		return (uint64_t)-(int64_t)(1 + (word >> 3 & 15));
	default:
		return (uint64_t)verifier_word() << 32 | verifier_word();
	}
}

#define NONDET(name, type) \
	RT_EXPORT WEAK type __VERIFIER_nondet_##name(void); \
	type __VERIFIER_nondet_##name(void) \
	{ \
		return (type)nondet(); \
	}
NONDET(bool, _Bool)
NONDET(_Bool, _Bool)
NONDET(char, char)
NONDET(schar, signed char)
NONDET(uchar, unsigned char)
NONDET(unsigned_char, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(unsigned_int, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)
NONDET(size_t, size_t)
NONDET(loff_t, long)
NONDET(sector_t, unsigned long)
NONDET(u8, uint8_t)
NONDET(u16, uint16_t)
NONDET(u32, uint32_t)
NONDET(u64, uint64_t)
NONDET(S8, int8_t)
NONDET(U8, uint8_t)
NONDET(S16, int16_t)
NONDET(U16, uint16_t)
NONDET(S32, int32_t)
NONDET(U32, uint32_t)
NONDET(S64, int64_t)
NONDET(U64, uint64_t)

RT_EXPORT WEAK float __VERIFIER_nondet_float(void);
float __VERIFIER_nondet_float(void)
{
	return (float)(int64_t)nondet() / (float)(1u << (verifier_word() & 7));
}

RT_EXPORT WEAK double __VERIFIER_nondet_double(void);
double __VERIFIER_nondet_double(void)
{
	return (double)(int64_t)nondet() / (double)(1u << (verifier_word() & 7));
}

/* The only pointer that is sure to mean the same everywhere. */
#define NONDET_POINTER(name, type) \
	RT_EXPORT WEAK type __VERIFIER_nondet_##name(void); \
	type __VERIFIER_nondet_##name(void) \
	{ \
		return NULL; \
	}
NONDET_POINTER(pointer, void *)
NONDET_POINTER(charp, char *)
NONDET_POINTER(pchar, char *)

RT_EXPORT WEAK void __VERIFIER_nondet_memory(void *memory, size_t size);
void __VERIFIER_nondet_memory(void *memory, size_t size)
{
	unsigned char *byte = memory;

	for (size_t i = 0; i < size; i++)
		byte[i] = (unsigned char)verifier_word();
}

RT_EXPORT WEAK void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_begin(void)
{
	verifier_atomic_begin(RT_CALLER);
}

RT_EXPORT WEAK void __VERIFIER_atomic_end(void);
void __VERIFIER_atomic_end(void)
{
	verifier_atomic_end(RT_CALLER);
}

RT_EXPORT WEAK void __VERIFIER_assume(int condition);
void __VERIFIER_assume(int condition)
{
	if (!condition)
		verifier_assume_failed();
}

RT_EXPORT WEAK void assume_abort_if_not(int condition);
void assume_abort_if_not(int condition)
{
	if (!condition)
		verifier_assume_failed();
}

RT_EXPORT WEAK void __VERIFIER_error(void) __attribute__((noreturn));
void __VERIFIER_error(void)
{
	verifier_error("__VERIFIER_error was called");
	REAL(abort)();
	__builtin_unreachable();
}

RT_EXPORT WEAK void reach_error(void);
void reach_error(void)
{
	verifier_error("reach_error was called");
	REAL(abort)();
	__builtin_unreachable();
}

RT_EXPORT WEAK void __VERIFIER_assert(int condition);
void __VERIFIER_assert(int condition)
{
	if (condition)
		return;
	verifier_error("__VERIFIER_assert failed");
	REAL(abort)();
	__builtin_unreachable();
}
