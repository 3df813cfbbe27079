/* Relaxed accesses of a flag with fences around them.
 * never: A B */
#include <pthread.h>
#include <stdatomic.h>

static int box;
static atomic_int full;

static void *put(void *arg)
{
	box = 3; /* @A */
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&full, 1, memory_order_relaxed);
	return arg;
}

static void *get(void *arg)
{
	if (!atomic_load_explicit(&full, memory_order_relaxed))
		return NULL;
	atomic_thread_fence(memory_order_acquire);
	return box == 3 ? arg : NULL; /* @B */
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, put, NULL);
	pthread_create(&b, NULL, get, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
