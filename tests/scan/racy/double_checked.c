/* Double-checked locking with a plain pointer: the first look is a race.
 * expect: A B */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
	int verbose;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *instance;

static struct config *config_get(void)
{
	struct config *config = instance; /* @A */

	if (config)
		return config;
	pthread_mutex_lock(&lock);
	config = instance;
	if (!config) {
		config = calloc(1, sizeof(*config));
		if (!config)
			abort();
		config->verbose = 1;
		instance = config; /* @B */
	}
	pthread_mutex_unlock(&lock);
	return config;
}

static void *use(void *arg)
{
	return config_get()->verbose ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
