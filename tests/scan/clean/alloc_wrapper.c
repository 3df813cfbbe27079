/* Each thread has an object of its own; both come out of the same allocation wrapper, two calls deep. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct counter {
	int value;
};
static struct counter *mine, *yours;

static void *need(size_t size)
{
	void *p = malloc(size);

	if (!p)
		abort();
	return p;
}

static struct counter *counter_new(void)
{
	struct counter *c = need(sizeof(*c));

	memset(c, 0, sizeof(*c));
	return c;
}

static void *first(void *arg)
{
	mine->value++;
	return arg;
}

static void *second(void *arg)
{
	yours->value++;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	mine = counter_new();
	yours = counter_new();
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return mine->value + yours->value != 2;
}
