/* One once control for one routine.
 * never: A A */
#include <pthread.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int made;

static void make(void)
{
	made++; /* @A */
}

static void *first(void *arg)
{
	pthread_once(&control, make);
	return arg;
}

static void *second(void *arg)
{
	pthread_once(&control, make);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return made > 2;
}
