/*
 * atomic.h - how an atomic operation is told, for atomic.c and atomic128.c.
 *
 *     rt_turn_access     a scheduling point; held there if it is of the pair
 *     enter, lock the address's stripe
 *     rt_on_atomic_done  if it reads and acquires: the operation itself comes after what it sees
 *     rt_on_atomic       the access, and its release before anyone can see it
 *     the operation
 *     rt_on_atomic_done  if it reads
 *     unlock, leave
 *
 * I1  Telling and doing are one step to other atomic operations on the address (the stripe):
 *     what a load has received is what was released before it, no more and no less.
 * I2  A handler that interrupted the runtime is not heard and takes no stripe.
 * I3  Without a wire only the operation is left.
 */
#ifndef ABI_ATOMIC_H
#define ABI_ATOMIC_H

#include "rt/abi/tell.h"

#define ATOMIC_LOAD ACCESS_ATOMIC
#define ATOMIC_STORE (ACCESS_ATOMIC | ACCESS_WRITE)
#define ATOMIC_RMW (ACCESS_ATOMIC | ACCESS_WRITE)

/* Orders are the compilers' own constants, 0 relaxed to 5 seq_cst, bits of lock elision above. */
static inline int atomic_order(int order)
{
	return order & 7;
}

static inline bool atomic_acquires(int order)
{
	order = atomic_order(order);
	return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

/*
 * Stand before the operation, then take its stripe: NULL if it must not be heard. expected: of
 * a compare and exchange, which may yet become a read while it is held (rt_flags_now).
 */
struct rt_thread *atomic_enter(const volatile void *address, size_t size, unsigned flags, const void *expected,
			       uintptr_t pc);
void atomic_tell(const volatile void *address, size_t size, unsigned flags, int order, uintptr_t pc, bool reads);
void atomic_leave(struct rt_thread *self, const volatile void *address, unsigned flags, int order, bool reads);

#define ATOMIC_HEARD(address, flags, order, pc, reads, operation) \
	do { \
		struct rt_thread *hearer = NULL; \
		if (unlikely(rt_wire != NULL)) \
			hearer = atomic_enter(address, sizeof(*(address)), flags, NULL, pc); \
		if (unlikely(hearer != NULL)) \
			atomic_tell(address, sizeof(*(address)), flags, order, pc, reads); \
		operation; \
		if (unlikely(hearer != NULL)) \
			atomic_leave(hearer, address, flags, order, reads); \
	} while (0)

#define ATOMIC_LOADS(width, type) \
	RT_EXPORT type __tsan_atomic##width##_load(const volatile type *a, int order); \
	RT_EXPORT type __tsan_atomic##width##_load(const volatile type *a, int order) \
	{ \
		type value; \
		ATOMIC_HEARD(a, ATOMIC_LOAD, order, RT_CALLER, true, value = load##width(a)); \
		return value; \
	}

#define ATOMIC_STORES(width, type) \
	RT_EXPORT void __tsan_atomic##width##_store(volatile type *a, type value, int order); \
	RT_EXPORT void __tsan_atomic##width##_store(volatile type *a, type value, int order) \
	{ \
		ATOMIC_HEARD(a, ATOMIC_STORE, order, RT_CALLER, false, store##width(a, value, order)); \
	}

#define ATOMIC_MODIFY(width, type, name, operation) \
	RT_EXPORT type __tsan_atomic##width##_##name(volatile type *a, type value, int order); \
	RT_EXPORT type __tsan_atomic##width##_##name(volatile type *a, type value, int order) \
	{ \
		ATOMIC_HEARD(a, ATOMIC_RMW, order, RT_CALLER, true, value = operation(a, value, __ATOMIC_SEQ_CST)); \
		return value; \
	}

/* One that fails is a read, and a plain read beside it is no race: look before it is told. */
#define ATOMIC_SWAP(width, type) \
	static RT_NOINLINE bool swap_heard##width(volatile type *a, type *expected, type value, int order, \
						  int failure, uintptr_t pc) \
	{ \
		struct rt_thread *self = atomic_enter(a, sizeof(type), ATOMIC_RMW, expected, pc); \
		type seen = load##width(a); \
		bool done = seen == *expected; \
		if (!self) \
			return swap##width(a, expected, value); \
		atomic_tell(a, sizeof(type), done ? ATOMIC_RMW : ATOMIC_LOAD, done ? order : failure, pc, true); \
		if (done) \
			done = swap##width(a, expected, value); \
		else \
			*expected = seen; \
		atomic_leave(self, a, done ? ATOMIC_RMW : ATOMIC_LOAD, done ? order : failure, true); \
		return done; \
	} \
	static inline bool compare_exchange##width(volatile type *a, type *expected, type value, int order, \
						   int failure, uintptr_t pc) \
	{ \
		if (likely(rt_wire == NULL)) \
			return swap##width(a, expected, value); \
		return swap_heard##width(a, expected, value, order, failure, pc); \
	}

/* The three faces of one compare and exchange; weak never fails without a reason here. */
#define ATOMIC_COMPARE(width, type) \
	ATOMIC_SWAP(width, type) \
	RT_EXPORT int __tsan_atomic##width##_compare_exchange_strong(volatile type *a, type *expected, type value, \
								    int order, int failure); \
	RT_EXPORT int __tsan_atomic##width##_compare_exchange_strong(volatile type *a, type *expected, type value, \
								    int order, int failure) \
	{ \
		return compare_exchange##width(a, expected, value, order, failure, RT_CALLER); \
	} \
	RT_EXPORT int __tsan_atomic##width##_compare_exchange_weak(volatile type *a, type *expected, type value, \
								  int order, int failure); \
	RT_EXPORT int __tsan_atomic##width##_compare_exchange_weak(volatile type *a, type *expected, type value, \
								  int order, int failure) \
	{ \
		return compare_exchange##width(a, expected, value, order, failure, RT_CALLER); \
	} \
	RT_EXPORT type __tsan_atomic##width##_compare_exchange_val(volatile type *a, type expected, type value, \
								  int order, int failure); \
	RT_EXPORT type __tsan_atomic##width##_compare_exchange_val(volatile type *a, type expected, type value, \
								  int order, int failure) \
	{ \
		compare_exchange##width(a, &expected, value, order, failure, RT_CALLER); \
		return expected; \
	}

#define ATOMIC_ALL(width, type, swaps, adds, subs, ands, ors, xors, nands) \
	ATOMIC_LOADS(width, type) \
	ATOMIC_STORES(width, type) \
	ATOMIC_MODIFY(width, type, exchange, swaps) \
	ATOMIC_MODIFY(width, type, fetch_add, adds) \
	ATOMIC_MODIFY(width, type, fetch_sub, subs) \
	ATOMIC_MODIFY(width, type, fetch_and, ands) \
	ATOMIC_MODIFY(width, type, fetch_or, ors) \
	ATOMIC_MODIFY(width, type, fetch_xor, xors) \
	ATOMIC_MODIFY(width, type, fetch_nand, nands) \
	ATOMIC_COMPARE(width, type)

#endif
