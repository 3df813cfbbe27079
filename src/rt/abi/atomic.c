/*
 * atomic - C11, C++ and __sync/__atomic operations of 1 to 8 bytes, fences; 16 bytes in
 * atomic128.c.
 *
 * The order of calls, all skipped without a wire:
 *
 *     rt_turn_access    a scheduling point; held there if it is of the pair
 *     rt_on_atomic      before the operation: a release must be known before it is seen
 *     the operation
 *     rt_on_atomic_done after it: the acquire of what it saw
 *
 * Orders are the compilers' own constants, 0 relaxed to 5 seq_cst, with bits of hardware
 * lock elision above (masked). On x86 every read-modify-write is a locked one and every load
 * an acquire: only a seq_cst store differs from a weaker one.
 */
#include "rt/abi/atomic.h"

#define ATOMIC(width, type) \
	RT_EXPORT type __tsan_atomic##width##_load(const volatile type *a, int order); \
	RT_EXPORT type __tsan_atomic##width##_load(const volatile type *a, int order) \
	{ \
		type value; \
		ATOMIC_BEGIN(a, width, ATOMIC_LOAD, order, RT_CALLER); \
		value = __atomic_load_n(a, __ATOMIC_SEQ_CST); \
		ATOMIC_END(a, ATOMIC_LOAD, order); \
		return value; \
	} \
	RT_EXPORT void __tsan_atomic##width##_store(volatile type *a, type value, int order); \
	RT_EXPORT void __tsan_atomic##width##_store(volatile type *a, type value, int order) \
	{ \
		ATOMIC_BEGIN(a, width, ATOMIC_STORE, order, RT_CALLER); \
		if (atomic_order(order) == __ATOMIC_SEQ_CST) \
			__atomic_store_n(a, value, __ATOMIC_SEQ_CST); \
		else \
			__atomic_store_n(a, value, __ATOMIC_RELEASE); \
		ATOMIC_END(a, ATOMIC_STORE, order); \
	} \
	ATOMIC_MODIFY(width, type, exchange, __atomic_exchange_n) \
	ATOMIC_MODIFY(width, type, fetch_add, __atomic_fetch_add) \
	ATOMIC_MODIFY(width, type, fetch_sub, __atomic_fetch_sub) \
	ATOMIC_MODIFY(width, type, fetch_and, __atomic_fetch_and) \
	ATOMIC_MODIFY(width, type, fetch_or, __atomic_fetch_or) \
	ATOMIC_MODIFY(width, type, fetch_xor, __atomic_fetch_xor) \
	ATOMIC_MODIFY(width, type, fetch_nand, __atomic_fetch_nand) \
	static inline bool compare_exchange##width(volatile type *a, type *expected, type value, int order, \
						   int failure, uintptr_t pc) \
	{ \
		bool done; \
		ATOMIC_BEGIN(a, width, ATOMIC_RMW, order, pc); \
		done = __atomic_compare_exchange_n(a, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
		if (done) \
			ATOMIC_END(a, ATOMIC_RMW, order); \
		else \
			ATOMIC_END(a, ATOMIC_LOAD, failure); \
		return done; \
	} \
	ATOMIC_COMPARE(width, type)

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
