/*
 * atomic.h - what atomic.c and atomic128.c share.
 */
#ifndef ABI_ATOMIC_H
#define ABI_ATOMIC_H

#include "rt/abi/tell.h"

#define ATOMIC_LOAD ACCESS_ATOMIC
#define ATOMIC_STORE (ACCESS_ATOMIC | ACCESS_WRITE)
#define ATOMIC_RMW (ACCESS_ATOMIC | ACCESS_WRITE)

static inline int atomic_order(int order)
{
	return order & 7;
}


static inline void atomic_begin(const volatile void *address, size_t size, unsigned flags, int order, uintptr_t pc)
{
	rt_turn_access((const void *)address, size, flags, pc);
	TELL(rt_on_atomic((const void *)address, size, flags, atomic_order(order), pc));
}

static inline void atomic_done(const volatile void *address, unsigned flags, int order)
{
	TELL(rt_on_atomic_done((const void *)address, flags, atomic_order(order)));
}

#define ATOMIC_BEGIN(address, width, flags, order, pc) \
	do { \
		if (unlikely(rt_wire != NULL)) \
			atomic_begin(address, (width) / 8, flags, order, pc); \
	} while (0)
#define ATOMIC_END(address, flags, order) \
	do { \
		if (unlikely(rt_wire != NULL)) \
			atomic_done(address, flags, order); \
	} while (0)

#define ATOMIC_MODIFY(width, type, name, operation) \
	RT_EXPORT type __tsan_atomic##width##_##name(volatile type *a, type value, int order); \
	RT_EXPORT type __tsan_atomic##width##_##name(volatile type *a, type value, int order) \
	{ \
		ATOMIC_BEGIN(a, width, ATOMIC_RMW, order, RT_CALLER); \
		value = operation(a, value, __ATOMIC_SEQ_CST); \
		ATOMIC_END(a, ATOMIC_RMW, order); \
		return value; \
	}

/* The three faces of one compare and exchange; weak never fails without a reason here. */
#define ATOMIC_COMPARE(width, type) \
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

#endif
