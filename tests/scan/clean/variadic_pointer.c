/* The pointers come in by "...", to an object each. */
#include <pthread.h>
#include <stdarg.h>

static int mine, yours, *one, *two;

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
	*one = 1;
	return arg;
}

static void *second(void *arg)
{
	*two = 2;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	keep(2, &mine, &yours);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return mine == yours;
}
