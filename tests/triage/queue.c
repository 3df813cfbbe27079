/* One race, whatever the schedule: put writes, take reads, nothing between them. Found by every run of detect. */
#include <pthread.h>

static struct { int count; } queue;
static volatile int seen;

static __attribute__((noinline)) void put(void)
{
	queue.count = 1;
}

static __attribute__((noinline)) void take(void)
{
	seen = queue.count;
}

static void *producer(void *arg)
{
	put();
	return arg;
}

static void *consumer(void *arg)
{
	take();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	if (pthread_create(&a, 0, producer, 0) || pthread_create(&b, 0, consumer, 0))
		return 1;
	pthread_join(a, 0);
	return pthread_join(b, 0);
}
