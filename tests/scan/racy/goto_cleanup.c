/* The cleanup label touches the shared state after the unlock.
 * expect: A A */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int busy, failures;

static int operate(int input)
{
	int r = -1;

	pthread_mutex_lock(&lock);
	busy = 1;
	if (input < 0)
		goto out;
	if (input > 100) {
		failures++;
		goto out;
	}
	r = input;
out:
	pthread_mutex_unlock(&lock);
	busy = 0; /* @A */
	return r;
}

static void *work(void *arg)
{
	operate(-1);
	operate(5);
	operate(500);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return failures > 2;
}
