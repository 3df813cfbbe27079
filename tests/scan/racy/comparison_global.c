/* The comparison of a sort counts its calls in a global.
 * expect: A A */
#include <pthread.h>
#include <stdlib.h>

static int comparisons;

static int compare(const void *a, const void *b)
{
	comparisons++; /* @A */
	return *(const int *)a - *(const int *)b;
}

static void *sorter(void *arg)
{
	int numbers[3] = { 3, 1, 2 };

	qsort(numbers, 3, sizeof(int), compare);
	return numbers[0] == 1 ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, sorter, NULL);
	pthread_create(&b, NULL, sorter, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
