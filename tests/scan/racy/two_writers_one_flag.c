/* Two writers set the same flag; the reader waits for it once and reads what both wrote.
 * expect: A B */
#include <pthread.h>
#include <stdatomic.h>

static int left, right;
static atomic_int left_ready, right_ready;

static void *write_left(void *arg)
{
	left = 1; /* @A */
	atomic_store(&left_ready, 1);
	return arg;
}

static void *write_right(void *arg)
{
	right = 1;
	atomic_store(&left_ready, 1);
	return arg;
}

static void *reader(void *arg)
{
	if (!atomic_load(&left_ready))
		return NULL;
	return left + right ? arg : NULL; /* @B */
}

int main(void)
{
	pthread_t a, b, c;

	pthread_create(&a, NULL, write_left, NULL);
	pthread_create(&b, NULL, write_right, NULL);
	pthread_create(&c, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	return atomic_load(&right_ready) > 1;
}
