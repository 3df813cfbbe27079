/* Both names may be the same literal, and are else the same buffer.
 * expect: A B */
#include <pthread.h>

static char left[8];
static char *mine, *yours;

static void *first(void *arg)
{
	mine[0] = '1'; /* @A */
	return arg;
}

static void *second(void *arg)
{
	yours[0] = '2'; /* @B */
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	mine = yours = (char *)"none";
	if (argc > 5 && argv)
		return 1;
	mine = left;
	yours = left;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return *mine == *yours;
}
