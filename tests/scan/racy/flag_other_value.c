/* The flag is set once at the start (1: begun) and once at the end (2: done); the reader takes any for done.
 * expect: A B */
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int state;

static void *writer(void *arg)
{
	atomic_store_explicit(&state, 1, memory_order_release);
	data = 7; /* @A */
	atomic_store_explicit(&state, 2, memory_order_release);
	return arg;
}

static void *reader(void *arg)
{
	if (atomic_load_explicit(&state, memory_order_acquire) == 0)
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
