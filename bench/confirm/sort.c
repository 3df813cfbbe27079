#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int cold;
static int size = 400000;
static void sort(int *a, int n)
{
	int i = 0, j = n - 1, p = a[n / 2];
	if (n < 2) return;
	while (i <= j) {
		while (a[i] < p) i++;
		while (a[j] > p) j--;
		if (i <= j) { int t = a[i]; a[i++] = a[j]; a[j--] = t; }
	}
	sort(a, j + 1);
	sort(a + i, n - i);
}
static void *work(void *arg)
{
	int *a = malloc(size * sizeof(*a));
	cold++;
	for (int r = 0; r < 10; r++) {
		unsigned s = 1 + (unsigned)(long)arg + r;
		for (int i = 0; i < size; i++)
			a[i] = (int)(s = s * 1103515245u + 12345u);
		sort(a, size);
	}
	free(a);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	if (argc > 1) size = atoi(argv[1]);
	for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	return 0;
}
