/* Published with release, and written once more afterwards.
 * expect: A B */
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int ready;

static void *writer(void *arg)
{
	data = 1;
	atomic_store_explicit(&ready, 1, memory_order_release);
	data = 2; /* @A */
	return arg;
}

static void *reader(void *arg)
{
	if (!atomic_load_explicit(&ready, memory_order_acquire))
		return NULL;
	return data ? arg : NULL; /* @B */
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
