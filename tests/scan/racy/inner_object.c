/* The shell is locked, the object inside is reached by a pointer kept from before.
 * expect: A B */
#include <pthread.h>
#include <stdlib.h>

struct inner {
	int level;
};
struct outer {
	pthread_mutex_t lock;
	struct inner *inner;
};

static void *raise_level(void *arg)
{
	struct outer *outer = arg;

	pthread_mutex_lock(&outer->lock);
	outer->inner->level++; /* @A */
	pthread_mutex_unlock(&outer->lock);
	return NULL;
}

static void *lower_level(void *arg)
{
	struct outer *outer = arg;
	struct inner *inner;

	pthread_mutex_lock(&outer->lock);
	inner = outer->inner;
	pthread_mutex_unlock(&outer->lock);
	inner->level--; /* @B */
	return NULL;
}

int main(void)
{
	struct outer *outer = malloc(sizeof(*outer));
	pthread_t a, b;

	if (!outer)
		return 0;
	pthread_mutex_init(&outer->lock, NULL);
	outer->inner = calloc(1, sizeof(*outer->inner));
	if (!outer->inner)
		return 0;
	pthread_create(&a, NULL, raise_level, outer);
	pthread_create(&b, NULL, lower_level, outer);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(outer->inner);
	free(outer);
	return 0;
}
