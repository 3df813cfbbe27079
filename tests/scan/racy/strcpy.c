/* A name changed by strcpy while another thread measures it.
 * expect: A B */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char name[32] = "nobody";

static void *rename_it(void *arg)
{
	pthread_mutex_lock(&lock);
	strcpy(name, "somebody"); /* @A */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *measure(void *arg)
{
	size_t length;

	length = strlen(name); /* @B */
	return length ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, rename_it, NULL);
	pthread_create(&b, NULL, measure, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
