/* Each object has its lock and its own inside.
 * never: A A */
#include <pthread.h>

struct inner {
	int level;
};
struct outer {
	pthread_mutex_t lock;
	struct inner *inner;
};
static struct inner i1, i2;
static struct outer o1 = { .lock = PTHREAD_MUTEX_INITIALIZER, .inner = &i1 };
static struct outer o2 = { .lock = PTHREAD_MUTEX_INITIALIZER, .inner = &i2 };

static void raise_level(struct outer *o)
{
	pthread_mutex_lock(&o->lock);
	o->inner->level++; /* @A */
	pthread_mutex_unlock(&o->lock);
}

static void *first(void *arg)
{
	raise_level(&o1);
	return arg;
}

static void *second(void *arg)
{
	raise_level(&o2);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return i1.level + i2.level > 2;
}
