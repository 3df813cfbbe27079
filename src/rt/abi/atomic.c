/*
 * atomic - C11, C++ and __sync/__atomic operations of 1 to 8 bytes, fences; 16 bytes in
 * atomic128.c; how they are told in atomic.h.
 *
 * On x86 every read-modify-write is a locked one and every load an acquire: only a seq_cst
 * store differs from a weaker one.
 */
#include "rt/abi/atomic.h"

/* ---- telling ------------------------------------------------------------------------ */

/* Enough that threads busy on different atomics seldom share one; each in its own cache line. */
#define STRIPES 64u

static struct {
	struct rt_lock lock;
	char pad[64 - sizeof(struct rt_lock)];
} stripes[STRIPES];

static struct rt_lock *stripe(const volatile void *address)
{
	return &stripes[((uintptr_t)address >> 3) * 0x9e3779b97f4a7c15ull >> 58].lock;
}
_Static_assert(STRIPES == 1u << (64 - 58), "the shift picks a stripe");

struct rt_thread *atomic_enter(const volatile void *address, size_t size, unsigned flags, const void *expected,
			       uintptr_t pc)
{
	struct rt_thread *self = tell_self();

	self->expected = expected;
	rt_turn_access((const void *)address, size, flags, pc);
	self->expected = NULL;
	if (!rt_enter(self)) {
		tell_skipped(self);
		return NULL;
	}
	rt_lock(stripe(address));
	return self;
}

void atomic_tell(const volatile void *address, size_t size, unsigned flags, int order, uintptr_t pc, bool reads)
{
	if (reads && atomic_acquires(order))
		rt_on_atomic_done((const void *)address, flags, atomic_order(order));
	rt_on_atomic((const void *)address, size, flags, atomic_order(order), pc);
}

void atomic_leave(struct rt_thread *self, const volatile void *address, unsigned flags, int order, bool reads)
{
	if (reads)
		rt_on_atomic_done((const void *)address, flags, atomic_order(order));
	rt_unlock(stripe(address));
	rt_leave(self);
}

/* ---- doing ----------------------------------------------------------------------------- */

#define ATOMIC(width, type) \
	static inline type load##width(const volatile type *a) \
	{ \
		return __atomic_load_n(a, __ATOMIC_SEQ_CST); \
	} \
	static inline void store##width(volatile type *a, type value, int order) \
	{ \
		if (atomic_order(order) == __ATOMIC_SEQ_CST) \
			__atomic_store_n(a, value, __ATOMIC_SEQ_CST); \
		else \
			__atomic_store_n(a, value, __ATOMIC_RELEASE); \
	} \
	static inline bool swap##width(volatile type *a, type *expected, type value) \
	{ \
		return __atomic_compare_exchange_n(a, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	} \
	ATOMIC_ALL(width, type, __atomic_exchange_n, __atomic_fetch_add, __atomic_fetch_sub, __atomic_fetch_and, \
		   __atomic_fetch_or, __atomic_fetch_xor, __atomic_fetch_nand)

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

RT_EXPORT void __tsan_atomic_thread_fence(int order);
RT_EXPORT void __tsan_atomic_thread_fence(int order)
{
	if (rt_wire) {
		rt_point(OP_FENCE, NULL, RT_CALLER);
		TELL(rt_on_fence(atomic_order(order)));
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Between a thread and its own signal handlers: nothing another thread could see. */
RT_EXPORT void __tsan_atomic_signal_fence(int order);
RT_EXPORT void __tsan_atomic_signal_fence(int order)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
