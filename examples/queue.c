/*
 * A bounded queue with two condition variables.
 *
 * What is wrong: take() re-reads `count` for its return value after it has unlocked, and
 * the wait for "not empty" is guarded by `if` instead of `while`: with two consumers a
 * woken one can find the queue empty again.
 * deadheat shows: the unlocked read of queue.count against the writes, confirmed; harmful:
 * the consumer takes from an empty queue and aborts.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM 2
#define ITEMS 4

static struct {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	int items[ROOM];
	int count;
} queue = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.not_empty = PTHREAD_COND_INITIALIZER,
	.not_full = PTHREAD_COND_INITIALIZER,
};

static void put(int item)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.count == ROOM)
		pthread_cond_wait(&queue.not_full, &queue.lock);
	queue.items[queue.count++] = item;
	pthread_cond_signal(&queue.not_empty);
	pthread_mutex_unlock(&queue.lock);
}

static int take(int *left)
{
	int item;

	pthread_mutex_lock(&queue.lock);
	if (queue.count == 0) /* wrong: must be while */
		pthread_cond_wait(&queue.not_empty, &queue.lock);
	if (queue.count == 0) {
		fputs("took from an empty queue\n", stderr);
		abort();
	}
	item = queue.items[--queue.count];
	pthread_cond_signal(&queue.not_full);
	pthread_mutex_unlock(&queue.lock);
	*left = queue.count; /* wrong: not under the lock any more */
	return item;
}

static void *consumer(void *arg)
{
	int left;

	for (int i = 0; i < ITEMS / 2; i++)
		take(&left);
	return arg;
}

static void *producer(void *arg)
{
	for (int i = 0; i < ITEMS; i++)
		put(i);
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, consumer, NULL);
	pthread_create(&threads[1], NULL, consumer, NULL);
	pthread_create(&threads[2], NULL, producer, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
