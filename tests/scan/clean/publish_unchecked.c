/* Acquire load, and the data is read only when it is there.
 * never: A B */
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *writer(void *arg)
{
	data = 1; /* @A */
	atomic_store_explicit(&ready, 1, memory_order_release);
	return arg;
}

static void *reader(void *arg)
{
	int there = atomic_load_explicit(&ready, memory_order_acquire);
	int copy = 0;

	if (there)
		copy = data; /* @B */
	return copy ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
