/* The result comes back by pthread_join.
 * never: A B */
#include <pthread.h>
#include <stdlib.h>

static void *compute(void *arg)
{
	long *answer = malloc(sizeof(*answer));

	if (!answer)
		return NULL;
	*answer = (long)arg * 2; /* @A */
	return answer;
}

int main(void)
{
	pthread_t t;
	void *answer = NULL;
	long value = 0;

	pthread_create(&t, NULL, compute, (void *)21);
	pthread_join(t, &answer);
	if (answer)
		value = *(long *)answer; /* @B */
	free(answer);
	return value < 0;
}
