/* A thread that starts itself again, twice at most, and waits for nobody in between.
 * expect: A A */
#include <pthread.h>

static int depth_sum;

static void *descend(void *arg)
{
	long depth = (long)arg;
	pthread_t t;

	if (depth < 2)
		pthread_create(&t, NULL, descend, (void *)(depth + 1));
	depth_sum++; /* @A */
	if (depth < 2)
		pthread_join(t, NULL);
	return NULL;
}

int main(void)
{
	descend((void *)0);
	return depth_sum > 3;
}
