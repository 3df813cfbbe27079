/* A callback that is run outside the lock it was registered under.
 * expect: A A */
#include <pthread.h>

typedef void (*visitor)(int value, void *data);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int values[3] = { 1, 2, 3 };
static int total;

static void for_each(visitor visit, void *data)
{
	int copy[3];

	pthread_mutex_lock(&lock);
	for (int i = 0; i < 3; i++)
		copy[i] = values[i];
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		visit(copy[i], data);
}

static void add(int value, void *data)
{
	*(int *)data += value; /* @A */
}

static void *sum(void *arg)
{
	for_each(add, &total);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, sum, NULL);
	pthread_create(&b, NULL, sum, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return total != 12;
}
