/* Two mutexes, mixed up.
 * expect: A B */
#include <pthread.h>

static pthread_mutex_t in_lock = PTHREAD_MUTEX_INITIALIZER, out_lock = PTHREAD_MUTEX_INITIALIZER;
static long bytes_in, bytes_out;

static void *receive(void *arg)
{
	pthread_mutex_lock(&in_lock);
	bytes_in += 10; /* @A */
	pthread_mutex_unlock(&in_lock);
	return arg;
}

static void *transmit(void *arg)
{
	pthread_mutex_lock(&out_lock);
	bytes_out += 10;
	bytes_in += 1; /* @B */
	pthread_mutex_unlock(&out_lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, receive, NULL);
	pthread_create(&b, NULL, transmit, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return bytes_in + bytes_out != 21;
}
