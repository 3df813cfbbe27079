/*
 * querycache: results of queries are kept until the table changes, after the query cache race
 * of a database server (a status flag changed while readers use the block).
 *
 * What is wrong: a reader finds the block under the lock but reads its text after it has let
 * the lock go; the writer invalidates the block and frees the text meanwhile.
 *
 * expect: T N      the text's pointer read against its removal
 * expect: U N      the second read of the pointer likewise
 * harm: U N        the text is gone: a null pointer is followed
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 4, READERS = 2 };
static struct block { int query; const char *text; } block[BLOCKS];
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t statistics_lock = PTHREAD_MUTEX_INITIALIZER;
static long answers;
static int rounds = 1;

static struct block *find(int query)
{
	struct block *found = NULL;

	pthread_mutex_lock(&cache_lock);
	for (int i = 0; i < BLOCKS; i++)
		if (block[i].query == query)
			found = &block[i];
	pthread_mutex_unlock(&cache_lock);
	return found;
}

static void invalidate(int query)
{
	pthread_mutex_lock(&cache_lock);
	for (int i = 0; i < BLOCKS; i++)
		if (block[i].query == query)
			block[i].text = NULL; /* @N */
	pthread_mutex_unlock(&cache_lock);
}

static void count_answer(void)
{
	pthread_mutex_lock(&statistics_lock);
	answers++;
	pthread_mutex_unlock(&statistics_lock);
}

static size_t answer(int query)
{
	struct block *b = find(query);

	if (!b || !b->text) /* @T */
		return 0;
	count_answer();
	return strlen(b->text); /* @U */
}

static void *reader(void *arg)
{
	size_t *sum = arg;

	for (int i = 0; i < rounds; i++)
		*sum += answer(i % BLOCKS);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[READERS];
	size_t sums[READERS] = { 0 };

	rounds = argc > 1 ? atoi(argv[1]) : rounds;
	for (int i = 0; i < BLOCKS; i++)
		block[i] = (struct block){ i, "a row, another row" };
	for (int i = 0; i < READERS; i++)
		pthread_create(&thread[i], NULL, reader, &sums[i]);
	invalidate(0);
	for (int i = 0; i < READERS; i++)
		pthread_join(thread[i], NULL);
	puts("done");
	return 0;
}
