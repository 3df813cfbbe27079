/* A thread that starts itself again and waits before it goes on.
 * never: A A */
#include <pthread.h>

static int depth_sum;

static void *descend(void *arg)
{
	long depth = (long)arg;
	pthread_t t;

	if (depth < 2) {
		pthread_create(&t, NULL, descend, (void *)(depth + 1));
		pthread_join(t, NULL);
	}
	depth_sum++; /* @A */
	return NULL;
}

int main(void)
{
	descend((void *)0);
	return depth_sum > 3;
}
