/* Statistics cleared by memset while they are counted.
 * expect: A B */
#include <pthread.h>
#include <string.h>

static struct {
	long in, out, errors;
} stats;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
	pthread_mutex_lock(&lock);
	stats.errors++; /* @A */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *clear(void *arg)
{
	memset(&stats, 0, sizeof(stats)); /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, clear, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
