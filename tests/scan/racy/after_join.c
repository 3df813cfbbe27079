/* The result is used before the last thread is waited for.
 * expect: A B */
#include <pthread.h>

static int left, right;

static void *do_left(void *arg)
{
	left = 21;
	return arg;
}

static void *do_right(void *arg)
{
	right = 21; /* @A */
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int answer;

	pthread_create(&a, NULL, do_left, NULL);
	pthread_create(&b, NULL, do_right, NULL);
	pthread_join(a, NULL);
	answer = left + right; /* @B */
	pthread_join(b, NULL);
	return answer < 0;
}
