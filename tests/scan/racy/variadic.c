/* A variadic function that adds into what it is given, without the lock of one caller.
 * expect: A A */
#include <pthread.h>
#include <stdarg.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void add_all(long *to, int count, ...)
{
	va_list list;

	va_start(list, count);
	while (count-- > 0)
		*to += va_arg(list, int); /* @A */
	va_end(list);
}

static void *first(void *arg)
{
	pthread_mutex_lock(&lock);
	add_all(&total, 2, 1, 2);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *second(void *arg)
{
	add_all(&total, 1, 3);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return total != 6;
}
