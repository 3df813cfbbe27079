/* The join is skipped when it is not asked for.
 * expect: A B */
#include <pthread.h>

static int result;

static void *work(void *arg)
{
	result = 3; /* @A */
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;
	int seen;

	pthread_create(&t, NULL, work, argv);
	if (argc > 1)
		pthread_join(t, NULL);
	seen = result; /* @B */
	return seen > 3;
}
