/* A copy of the first half only.
 * never: A B */
#include <pthread.h>
#include <string.h>

static char text[32];
static char source[32];

static void *copier(void *arg)
{
	memcpy(text, source, 16); /* @A */
	return arg;
}

static void *setter(void *arg)
{
	text[16] = 'x'; /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, copier, NULL);
	pthread_create(&b, NULL, setter, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return text[0] == 'x';
}
