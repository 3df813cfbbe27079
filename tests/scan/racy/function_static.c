/* A static inside a function that two threads call.
 * expect: A A */
#include <pthread.h>

static int next_id(void)
{
	static int last;
	int id;

	id = ++last; /* @A */
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
