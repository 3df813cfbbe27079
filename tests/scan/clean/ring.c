/* Producer and consumer with a ring under a lock.
 * never: A B */
#include <pthread.h>

#define SIZE 4
static struct {
	pthread_mutex_t lock;
	unsigned head, tail;
	int items[SIZE];
} ring = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int put(int item)
{
	int ok = 0;

	pthread_mutex_lock(&ring.lock);
	if (ring.head - ring.tail < SIZE) {
		ring.items[ring.head % SIZE] = item;
		ring.head++; /* @A */
		ok = 1;
	}
	pthread_mutex_unlock(&ring.lock);
	return ok;
}

static int get(int *item)
{
	int ok = 0;

	pthread_mutex_lock(&ring.lock);
	if (ring.head != ring.tail) { /* @B */
		*item = ring.items[ring.tail++ % SIZE];
		ok = 1;
	}
	pthread_mutex_unlock(&ring.lock);
	return ok;
}

static void *producer(void *arg)
{
	for (int i = 0; i < 3; i++)
		put(i);
	return arg;
}

static void *consumer(void *arg)
{
	int item, sum = 0;

	for (int i = 0; i < 3; i++)
		if (get(&item))
			sum += item;
	return sum ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
