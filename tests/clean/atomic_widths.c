/* never: A A */
#include <stdint.h>
#include "../threads.h"
static uint8_t a;
static uint16_t b;
static uint32_t c;
static uint64_t d;
static void *f(void *p) {
	__atomic_add_fetch(&a, 1, __ATOMIC_RELAXED), __atomic_or_fetch(&b, 1, __ATOMIC_ACQ_REL), __atomic_exchange_n(&c, 2, __ATOMIC_RELEASE), __atomic_sub_fetch(&d, 1, __ATOMIC_SEQ_CST); /* @A */
	return p;
}
int main(void) { run2(f, f); return a != 2 || b != 1 || c != 2 || d != (uint64_t)-2; }
