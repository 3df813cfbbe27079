/* The constructor registers the object in a global list before it returns it.
 * expect: A B */
#include <pthread.h>
#include <stdlib.h>

struct item {
	int weight;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *registered;

static void item_register(struct item *item)
{
	pthread_mutex_lock(&lock);
	registered = item;
	pthread_mutex_unlock(&lock);
}

static struct item *item_new(void)
{
	struct item *item = calloc(1, sizeof(*item));

	if (!item)
		abort();
	item_register(item);
	return item;
}

static void *producer(void *arg)
{
	struct item *item = item_new();

	item->weight = 3; /* @A */
	return arg;
}

static void *consumer(void *arg)
{
	int weight = 0;

	pthread_mutex_lock(&lock);
	if (registered)
		weight = registered->weight; /* @B */
	pthread_mutex_unlock(&lock);
	return weight ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
