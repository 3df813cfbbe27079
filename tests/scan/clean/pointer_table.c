/* A table of pointers to different numbers; each thread has a row of its own.
 * never: A A */
#include <pthread.h>

static int x, y;
static int *const rows[2] = { &x, &y };

static void *set_first(void *arg)
{
	*rows[0] = 1; /* @A */
	return arg;
}

static void *set_second(void *arg)
{
	*rows[1] = 2;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, set_first, NULL);
	pthread_create(&b, NULL, set_second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return x + y == 0;
}
