/* Buffers are swapped by exchanging two pointers, unlocked on the drawing side.
 * expect: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int storage[2][4];
static int *front = storage[0], *back = storage[1];

static void *swapper(void *arg)
{
	int *old;

	pthread_mutex_lock(&lock);
	old = front;
	front = back; /* @A */
	back = old;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *drawer(void *arg)
{
	int pixel;

	pixel = front[0]; /* @B */
	return pixel ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, swapper, NULL);
	pthread_create(&b, NULL, drawer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
