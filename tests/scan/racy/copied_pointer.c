/* A pointer copied by memcpy inside a struct still points to the same counter.
 * expect: A B */
#include <pthread.h>
#include <string.h>

struct handle {
	int id;
	long *counter;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;
static struct handle original = { 1, &counter };

static void *by_copy(void *arg)
{
	struct handle copy;

	memcpy(&copy, &original, sizeof(copy));
	*copy.counter += 1; /* @A */
	return arg;
}

static void *by_name(void *arg)
{
	pthread_mutex_lock(&lock);
	counter = 0; /* @B */
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, by_copy, NULL);
	pthread_create(&b, NULL, by_name, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return counter > 1;
}
