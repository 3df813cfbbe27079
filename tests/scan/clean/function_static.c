/* A static inside a function, and a static lock beside it.
 * never: A A */
#include <pthread.h>

static int next_id(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int last;
	int id;

	pthread_mutex_lock(&lock);
	id = ++last; /* @A */
	pthread_mutex_unlock(&lock);
	return id;
}

static void *make(void *arg)
{
	return next_id() ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, make, NULL);
	pthread_create(&b, NULL, make, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
