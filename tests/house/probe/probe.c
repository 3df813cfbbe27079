/*
 * probe - one of everything the compilers instrument in C: all sizes, aligned or not, bit
 * fields, volatile, ranges, memory functions, atomics of all widths and orders. Prints a sum
 * that does not depend on the compiler.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;

struct __attribute__((packed)) odd { char c; uint16_t h; uint32_t w; uint64_t d; };
struct bits { unsigned a : 3, b : 13, c : 16; };
struct large { char bytes[300]; };

struct sizes { uint8_t b; uint16_t h; uint32_t w; uint64_t d; u128 q; };
volatile struct sizes restless;
struct sizes plain;
struct odd odd;
struct bits bits;
struct large large, other;
char text[64];
static uint64_t sum;

#define NOINLINE __attribute__((noinline))

NOINLINE void sizes(struct sizes *s, volatile struct sizes *v)
{
	s->b++; s->h++; s->w++; s->d++; s->q++;
	v->b++; v->h++; v->w++; v->d++; v->q++;
	sum += s->b + s->h + s->w + s->d + (uint64_t)s->q + v->b + v->h + v->w + v->d + (uint64_t)v->q;
}

NOINLINE void crooked(struct odd *o, struct bits *b, volatile struct odd *v)
{
	o->h++; o->w++; o->d++;
	b->a++; b->b += 5; b->c = b->b;
	v->h++; v->w++; v->d++;
	sum += o->h + o->w + o->d + b->a + b->b + b->c;
}

NOINLINE void memory(struct large *to, struct large *from, size_t n)
{
	*to = *from;
	memset(from, 7, n);
	memcpy(to, from, n);
	memmove(to->bytes + 1, to->bytes, n - 1);
	memset(text, 3, sizeof(text));
	sum += to->bytes[n - 1] + from->bytes[0] + text[5];
}

#define WIDTH(name, type) \
	_Atomic type name##_object; \
	NOINLINE void name(_Atomic type *a, memory_order weak) \
	{ \
		type expected = 5; \
		atomic_store_explicit(a, 5, memory_order_relaxed); \
		atomic_store_explicit(a, 5, memory_order_release); \
		atomic_store(a, 5); \
		sum += (uint64_t)atomic_load_explicit(a, memory_order_relaxed); \
		sum += (uint64_t)atomic_load_explicit(a, memory_order_acquire); \
		sum += (uint64_t)atomic_fetch_add(a, 3) + (uint64_t)atomic_fetch_sub_explicit(a, 3, memory_order_acq_rel); \
		sum += (uint64_t)atomic_fetch_or(a, 8) + (uint64_t)atomic_fetch_and(a, 7); \
		sum += (uint64_t)atomic_fetch_xor_explicit(a, 1, memory_order_relaxed); \
		sum += (uint64_t)atomic_exchange(a, 5); \
		sum += atomic_compare_exchange_strong(a, &expected, 6); \
		sum += atomic_compare_exchange_strong(a, &expected, 7) + (uint64_t)expected; \
		while (!atomic_compare_exchange_weak_explicit(a, &expected, 9, memory_order_acq_rel, memory_order_acquire)) \
			; \
		sum += (uint64_t)__sync_val_compare_and_swap((type *)a, 9, 10); \
		sum += (uint64_t)(type)__atomic_fetch_nand((type *)a, 2, __ATOMIC_SEQ_CST) & 0xff; \
		sum += (uint64_t)(type)__atomic_nand_fetch((type *)a, 2, __ATOMIC_SEQ_CST) & 0xff; \
		sum += (uint64_t)__atomic_load_n((type *)a, weak) & 0xff; \
	}
WIDTH(one, uint8_t)
WIDTH(two, uint16_t)
WIDTH(four, uint32_t)
WIDTH(eight, uint64_t)
#ifdef PROBE_128
WIDTH(sixteen, u128)
#endif

int main(int argc, char **argv)
{
	sizes(&plain, &restless);
	crooked(&odd, &bits, &odd);
	memory(&large, &other, (size_t)argc + 200);
	one(&one_object, memory_order_acquire);
	two(&two_object, memory_order_acquire);
	four(&four_object, memory_order_acquire);
	eight(&eight_object, memory_order_acquire);
#ifdef PROBE_128
	sixteen(&sixteen_object, memory_order_acquire);
#endif
	atomic_thread_fence(memory_order_seq_cst);
	atomic_thread_fence(memory_order_acquire);
	atomic_signal_fence(memory_order_seq_cst);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
