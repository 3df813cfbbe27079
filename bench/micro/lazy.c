/* lazy init: tested without the lock, made under it, published before it is complete. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static struct object { int ready; } *object;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct object *get(void)
{
	if (!object) {
		pthread_mutex_lock(&lock);
		if (!object) {
			object = calloc(1, sizeof(*object));
			object->ready = 1;
		}
		pthread_mutex_unlock(&lock);
	}
	return object;
}

static void *user(void *arg)
{
	assert(get()->ready);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, user, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
