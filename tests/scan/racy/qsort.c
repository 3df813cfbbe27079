/* Sorts the shared table while somebody reads it.
 * expect: A B */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int table[4] = { 3, 1, 2, 0 };

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b; /* @A */
}

static void *sorter(void *arg)
{
	pthread_mutex_lock(&lock);
	qsort(table, 4, sizeof(table[0]), compare);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *setter(void *arg)
{
	table[1] = 7; /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, sorter, NULL);
	pthread_create(&b, NULL, setter, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return table[0] < 0;
}
