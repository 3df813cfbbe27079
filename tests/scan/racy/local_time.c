/* localtime returns a buffer of the library, the same for all threads.
 * expect: A A
 * confirm: none */
#include <pthread.h>
#include <time.h>

static void *today(void *arg)
{
	time_t now = time(NULL);
	struct tm *tm = localtime(&now); /* @A */

	return tm && tm->tm_year > 0 ? arg : NULL;
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
