/* A listener registered in a heap object and called by the thread, without the lock.
 * expect: A B */
#include <pthread.h>
#include <stdlib.h>

struct source {
	void (*listener)(void *data);
	void *data;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int heard;

static void on_event(void *data)
{
	*(int *)data = 1; /* @A */
}

static void *emit(void *arg)
{
	struct source *source = arg;

	source->listener(source->data);
	return NULL;
}

int main(void)
{
	struct source *source = malloc(sizeof(*source));
	pthread_t t;
	int seen;

	if (!source)
		return 0;
	source->listener = on_event;
	source->data = &heard;
	pthread_create(&t, NULL, emit, source);
	pthread_mutex_lock(&lock);
	seen = heard; /* @B */
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	free(source);
	return seen > 1;
}
