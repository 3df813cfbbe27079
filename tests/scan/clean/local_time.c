/* localtime_r with a buffer of this thread's own.
 * never: A A */
#include <pthread.h>
#include <time.h>

static void *today(void *arg)
{
	time_t now = time(NULL);
	struct tm tm;

	return localtime_r(&now, &tm) && tm.tm_year > 0 ? arg : NULL; /* @A */
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, today, NULL);
	pthread_create(&b, NULL, today, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
