/*
 * stress - four threads that compute the same as one did before, again and again; every access
 * goes through memory. Exit 1 if any result differs. For int3s under running threads: there are thousands of
 * instructions that touch memory, of all widths, and all of them are executed again and again.
 *
 *     stress SECONDS     0: to the end of its standard input
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define N 512 /* mix_all uses 336 of them */

struct node {
	struct node *next;
	uint64_t value;
	unsigned char byte;
	float real;
};

static uint64_t expected;
static atomic_bool over;
static atomic_ulong rounds, wrong;

static void sort(uint32_t *a, int n)
{
	for (int i = 1; i < n; i++) {
		uint32_t x = a[i];
		int j = i;

		for (; j && a[j - 1] > x; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

static uint64_t walk(struct node *list)
{
	uint64_t sum = 0;

	for (; list; list = list->next) {
		list->byte ^= (unsigned char)list->value;
		list->value += sum;
		list->real = list->real * 1.5f + (float)list->byte;
		sum = sum * 31 + list->value + list->byte + (uint64_t)list->real % 1000;
		list->value |= 1;
	}
	return sum;
}

/* 256 functions of different code; all their accesses are by pointer. */
#define MIX(n) \
	static __attribute__((noinline)) uint64_t mix_##n(uint32_t *a) \
	{ \
		volatile uint32_t *p = a + n % 64; \
		volatile uint16_t *q = (volatile uint16_t *)(a + 64 + n % 32); \
		volatile unsigned char *r = (volatile unsigned char *)(a + 128 + n % 16); \
		volatile uint64_t *s = (volatile uint64_t *)(a + 256 + n % 32 * 2); \
		p[0] += n; p[1] ^= p[0]; p[2] = p[1] + p[3]; p[3]++; q[0] = (uint16_t)p[2]; q[1] ^= q[0]; q[2]--; \
		r[0] += (unsigned char)q[1]; r[1] = r[0] ^ (unsigned char)n; r[2] |= 5; s[0] += p[1] * (uint64_t)n; s[1] ^= s[0] >> 3; \
		return s[1] + p[3] + q[2] + r[2] + r[1]; \
	}
#define FOUR(do, n) do(n##0) do(n##1) do(n##2) do(n##3)
#define SIXTEEN(do, n) FOUR(do, n##0) FOUR(do, n##1) FOUR(do, n##2) FOUR(do, n##3)
#define MANY(do) SIXTEEN(do, 1) SIXTEEN(do, 2) SIXTEEN(do, 3) SIXTEEN(do, 4) SIXTEEN(do, 5) SIXTEEN(do, 6) SIXTEEN(do, 7) SIXTEEN(do, 8) \
	SIXTEEN(do, 11) SIXTEEN(do, 12) SIXTEEN(do, 13) SIXTEEN(do, 14) SIXTEEN(do, 15) SIXTEEN(do, 16) SIXTEEN(do, 17) SIXTEEN(do, 18)
MANY(MIX)

static uint64_t mix_all(uint32_t *a)
{
	uint64_t h = 0;

#define CALL(n) h = h * 31 + mix_##n(a);
	MANY(CALL)
	return h;
}

static uint64_t compute(void *memory)
{
	uint32_t *a = memory;
	struct node *nodes = (struct node *)(a + N);
	uint64_t h = 1469598103934665603ull;
	uint32_t x = 12345;

	for (int i = 0; i < N; i++) {
		x = x * 1664525u + 1013904223u;
		a[i] = x;
		nodes[i] = (struct node){ i + 1 < N ? &nodes[i + 1] : NULL, x, (unsigned char)x, 1.0f };
	}
	h ^= mix_all(a);
	sort(a, N);
	for (int i = 0; i < N; i++)
		h = (h ^ a[i]) * 1099511628211ull;
	return h ^ walk(nodes);
}

static void *work(void *memory)
{
	while (!atomic_load(&over)) {
		if (compute(memory) != expected)
			atomic_fetch_add(&wrong, 1);
		atomic_fetch_add(&rounds, 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct timespec length = { argc > 1 ? atoi(argv[1]) : 2, 0 };
	size_t size = N * (sizeof(uint32_t) + sizeof(struct node));
	pthread_t t[4];
	void *memory[4];
	char byte;

	for (int i = 0; i < 4; i++)
		memory[i] = malloc(size);
	expected = compute(memory[0]);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, memory[i]);
	if (length.tv_sec)
		nanosleep(&length, NULL);
	else
		while (read(0, &byte, 1) > 0)
			;
	atomic_store(&over, true);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("rounds %lu wrong %lu\n", atomic_load(&rounds), atomic_load(&wrong));
	return atomic_load(&wrong) != 0;
}
