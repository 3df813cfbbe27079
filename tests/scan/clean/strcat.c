/* A shared text that two threads append to, locked.
 * never: A A */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[64];

static void add(const char *word)
{
	pthread_mutex_lock(&lock);
	strcat(text, word); /* @A */
	pthread_mutex_unlock(&lock);
}

static void *writer(void *arg)
{
	add(arg);
	return NULL;
}

int main(void)
{
	char one[] = "one ", two[] = "two ";
	pthread_t a, b;

	pthread_create(&a, NULL, writer, one);
	pthread_create(&b, NULL, writer, two);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return strlen(text) > 8;
}
