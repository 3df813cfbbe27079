/*
 * stress - four threads that compute the same as one did before, again and again; every access
 * goes through memory. Exit 1 at the first result that differs. For int3s under running threads.
 *
 *     stress SECONDS
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 512

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

	for (int i = 0; i < 4; i++)
		memory[i] = malloc(size);
	expected = compute(memory[0]);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, memory[i]);
	nanosleep(&length, NULL);
	atomic_store(&over, true);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("rounds %lu wrong %lu\n", atomic_load(&rounds), atomic_load(&wrong));
	return atomic_load(&wrong) != 0;
}
