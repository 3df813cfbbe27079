/* A reference count with atomics; the last one out frees.
 * never: A A */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
	atomic_int references;
	int value;
};

static void put(struct object *object)
{
	if (atomic_fetch_sub(&object->references, 1) == 1) /* @A */
		free(object);
}

static void *user(void *arg)
{
	struct object *object = arg;
	void *result = object->value ? arg : NULL;

	put(object);
	return result;
}

int main(void)
{
	struct object *object = malloc(sizeof(*object));
	pthread_t a, b;

	if (!object)
		return 0;
	object->references = 3;
	object->value = 1;
	pthread_create(&a, NULL, user, object);
	pthread_create(&b, NULL, user, object);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	put(object);
	return 0;
}
