/* Data published by a relaxed store: nothing orders it.
 * expect: A B
 * confirm: none */
#include <pthread.h>
#include <stdatomic.h>

static int payload;
static atomic_int ready;

static void *writer(void *arg)
{
	payload = 42; /* @A */
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	return arg;
}

static void *reader(void *arg)
{
	if (atomic_load_explicit(&ready, memory_order_relaxed))
		return payload == 42 ? arg : NULL; /* @B */
	return NULL;
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
