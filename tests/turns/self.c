/* A normal mutex locked twice by its owner, when the other thread has been there before. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int visits;

static void *visit(void *again)
{
	pthread_mutex_lock(&m);
	if (visits++ && again)
		pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t s, t;

	pthread_create(&s, NULL, visit, &m);
	pthread_create(&t, NULL, visit, NULL);
	pthread_join(s, NULL);
	pthread_join(t, NULL);
	return 0;
}
