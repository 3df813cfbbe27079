/* Relaxed accesses of a flag, and the fences forgotten on the reader's side.
 * expect: A B
 * confirm: none */
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
