/* The pointers come in by "...".
 * expect: A B */
#include <pthread.h>
#include <stdarg.h>

static int shared, *one, *two;

static void keep(int count, ...)
{
	va_list list;

	va_start(list, count);
	one = va_arg(list, int *);
	if (count > 1)
		two = va_arg(list, int *);
	va_end(list);
}

static void *first(void *arg)
{
	*one = 1; /* @A */
	return arg;
}

static void *second(void *arg)
{
	*two = 2; /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	keep(2, &shared, &shared);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return shared == 0;
}
