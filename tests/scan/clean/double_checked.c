/* Double-checked locking with an acquire load and a release store.
 * never: A B */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
	int verbose;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *_Atomic instance;

static struct config *config_get(void)
{
	struct config *config = atomic_load_explicit(&instance, memory_order_acquire); /* @A */

	if (config)
		return config;
	pthread_mutex_lock(&lock);
	config = atomic_load_explicit(&instance, memory_order_relaxed);
	if (!config) {
		config = calloc(1, sizeof(*config));
		if (!config)
			abort();
		config->verbose = 1;
		atomic_store_explicit(&instance, config, memory_order_release); /* @B */
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
