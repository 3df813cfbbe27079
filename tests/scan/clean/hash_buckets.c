/* A lock for every bucket, and a counter in each.
 * never: B B */
#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 4
struct entry {
	struct entry *next;
	unsigned key;
};
struct bucket {
	pthread_mutex_t lock;
	struct entry *first;
	unsigned count;
};
static struct bucket table[BUCKETS];

static void insert(unsigned key)
{
	struct bucket *bucket = &table[key % BUCKETS];
	struct entry *entry = malloc(sizeof(*entry));

	if (!entry)
		return;
	entry->key = key;
	pthread_mutex_lock(&bucket->lock);
	entry->next = bucket->first; /* @A */
	bucket->first = entry;
	bucket->count++; /* @B */
	pthread_mutex_unlock(&bucket->lock);
}

static void *fill(void *arg)
{
	unsigned start = (unsigned)(long)arg;

	for (unsigned i = 0; i < 3; i++)
		insert(start + i);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	for (int i = 0; i < BUCKETS; i++)
		pthread_mutex_init(&table[i].lock, NULL);
	pthread_create(&a, NULL, fill, (void *)1);
	pthread_create(&b, NULL, fill, (void *)2);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
