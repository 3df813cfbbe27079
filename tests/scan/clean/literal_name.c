/* Both names may be the same literal, and are else a buffer of the thread's own: that makes no one buffer of the two. */
#include <pthread.h>

static char left[8], right[8];
static char *mine, *yours;

static void *first(void *arg)
{
	mine[0] = '1';
	return arg;
}

static void *second(void *arg)
{
	yours[0] = '2';
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	mine = yours = (char *)"none";
	if (argc > 5 && argv)
		return 1;
	mine = left;
	yours = right;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return *mine == *yours;
}
