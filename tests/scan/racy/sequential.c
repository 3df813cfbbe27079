/* Two stages; the second one is started before the first is waited for.
 * expect: A B */
#include <pthread.h>

static int data[4];

static void *stage_one(void *arg)
{
	for (int i = 0; i < 4; i++)
		data[i] = i; /* @A */
	return arg;
}

static void *stage_two(void *arg)
{
	for (int i = 0; i < 4; i++)
		data[i] *= 2; /* @B */
	return arg;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, stage_one, NULL);
	pthread_create(&two, NULL, stage_two, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return data[3] > 6;
}
