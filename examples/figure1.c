/*
 * Figure 1 of the RaceFuzzer paper (Sen, PLDI 2008); the numbers are the paper's.
 *
 * What is wrong: nothing protects z. Thread 2 may set it (7) while thread 1 looks at
 * it (5), and then ERROR1 is reached.
 * What looks wrong but is not: x is written at 1 and read at 10 without a common lock,
 * yet 10 is only reached after y was seen to be 1, and y is set after x under L.
 * deadheat shows: both pairs are suspected; 5/7 is confirmed and harmful (abort in about
 * half of the trials), 1/10 stays suspected with 0 hits however often it is tried.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int x, y, z;
static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;

static void error(const char *which)
{
	fprintf(stderr, "%s reached\n", which);
	abort();
}

static void *thread1(void *arg)
{
	x = 1; /* 1 */
	pthread_mutex_lock(&L);
	y = 1; /* 3 */
	pthread_mutex_unlock(&L);
	if (z == 1) /* 5 */
		error("ERROR1");
	return arg;
}

static void *thread2(void *arg)
{
	z = 1; /* 7 */
	pthread_mutex_lock(&L);
	if (y == 1) /* 9 */
		if (x != 1) /* 10 */
			error("ERROR2");
	pthread_mutex_unlock(&L);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, thread1, NULL);
	pthread_create(&t2, NULL, thread2, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
