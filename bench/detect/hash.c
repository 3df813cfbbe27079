/*
 * hash - a kernel of ours: threads fill and look up a shared hash table with a lock per
 * stripe, chains on the heap. Many small critical sections, pointers all over the heap.
 * Usage: hash [THREADS [OPERATIONS]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 65536
#define STRIPES 64

struct node {
	struct node *next;
	uint64_t key;
	uint64_t value;
};

static struct node *buckets[BUCKETS];
static pthread_mutex_t stripes[STRIPES];
static unsigned long operations = 2000000;

static uint64_t step(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static struct node *find(unsigned bucket, uint64_t key)
{
	struct node *node = buckets[bucket];

	while (node && node->key != key)
		node = node->next;
	return node;
}

static void put(unsigned bucket, uint64_t key)
{
	struct node *node = find(bucket, key);

	if (!node) {
		node = malloc(sizeof(*node));
		node->key = key;
		node->value = 0;
		node->next = buckets[bucket];
		buckets[bucket] = node;
	}
	node->value++;
}

static void *work(void *argument)
{
	uint64_t state = (uintptr_t)argument + 1, sum = 0;

	for (unsigned long i = 0; i < operations; i++) {
		uint64_t key = step(&state) % 200000;
		unsigned bucket = (unsigned)(key * 2654435761u) % BUCKETS;
		pthread_mutex_t *lock = &stripes[bucket % STRIPES];
		struct node *node;

		pthread_mutex_lock(lock);
		if (i % 4 == 0)
			put(bucket, key);
		else if ((node = find(bucket, key)))
			sum += node->value;
		pthread_mutex_unlock(lock);
	}
	return (void *)(uintptr_t)sum;
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
	pthread_t id[64];
	uint64_t sum = 0;

	if (argc > 2)
		operations = strtoul(argv[2], NULL, 0);
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&stripes[i], NULL);
	for (unsigned i = 0; i < threads && i < 64; i++)
		pthread_create(&id[i], NULL, work, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < threads && i < 64; i++) {
		void *part;

		pthread_join(id[i], &part);
		sum += (uintptr_t)part;
	}
	printf("%lu\n", (unsigned long)sum);
	return 0;
}
