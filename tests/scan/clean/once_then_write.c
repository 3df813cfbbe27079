/* Made once, and only read later.
 * never: A B */
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int level;

static void make(void)
{
	level = 1;
}

static void *reader(void *arg)
{
	pthread_once(&once, make);
	return level ? arg : NULL; /* @A */
}

static void *changer(void *arg)
{
	pthread_once(&once, make);
	return level > 5 ? arg : NULL; /* @B */
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, changer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
