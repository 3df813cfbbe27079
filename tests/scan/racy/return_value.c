/* The result goes through a global that main reads at once.
 * expect: A B */
#include <pthread.h>
#include <stdlib.h>

static long *_Atomic result;

static void *compute(void *arg)
{
	long *answer = malloc(sizeof(*answer));

	if (!answer)
		return NULL;
	result = answer;
	*answer = (long)arg * 2; /* @A */
	return answer;
}

int main(void)
{
	pthread_t t;
	void *answer = NULL;
	long value = 0;

	pthread_create(&t, NULL, compute, (void *)21);
	while (!(answer = result))
		;
	value = *(long *)answer; /* @B */
	pthread_join(t, &answer);
	free(answer);
	return value < 0;
}
