#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static int cold;
static uint64_t out[2];
static int rounds = 60;
static void *work(void *arg)
{
	long me = (long)arg;
	unsigned char *buffer = malloc(1 << 20);
	uint64_t h = 14695981039346656037ull;
	for (int i = 0; i < 1 << 20; i++)
		buffer[i] = (unsigned char)(i * 7 + me);
	cold++;
	for (int r = 0; r < rounds; r++)
		for (int i = 0; i < 1 << 20; i++)
			h = (h ^ buffer[i]) * 1099511628211ull;
	out[me] = h;
	free(buffer);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	if (argc > 1)
		rounds = atoi(argv[1]);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%llx %llx\n", (unsigned long long)out[0], (unsigned long long)out[1]);
	return 0;
}
