/* A spin lock made of an atomic flag.
 * never: A A */
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int shared;

static void enter(void)
{
	while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
		;
}

static void leave(void)
{
	atomic_flag_clear_explicit(&busy, memory_order_release);
}

static void *work(void *arg)
{
	enter();
	shared++; /* @A */
	leave();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return shared != 2;
}
