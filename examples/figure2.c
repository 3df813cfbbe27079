/*
 * Figure 2 of the RaceFuzzer paper: figure2 [STATEMENTS]
 *
 * What is wrong: x is written at 10 and read at 8 without a common lock. In an ordinary
 * run thread 2 writes x at once and thread 1 reads it after a long critical section, so
 * the bad order (8 before 10) practically never happens, and a happens-before detector
 * sees the two ordered by L.
 * deadheat shows: the pair 8/10, suspected in every run, hit in every trial, ERROR in
 * about half of them, whatever STATEMENTS is.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int x;
static int statements = 10;
static int work1, work2;
static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;

static void *thread1(void *arg)
{
	pthread_mutex_lock(&L);
	for (int i = 0; i < statements; i++) /* 2 to 6: f1() ... f5() */
		work1 += i;
	pthread_mutex_unlock(&L);
	if (x == 0) { /* 8 */
		fputs("ERROR reached\n", stderr);
		abort();
	}
	return arg;
}

static void *thread2(void *arg)
{
	x = 1; /* 10 */
	pthread_mutex_lock(&L);
	work2++; /* 12: f6() */
	pthread_mutex_unlock(&L);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t1, t2;

	if (argc > 1)
		statements = atoi(argv[1]);
	pthread_create(&t2, NULL, thread2, NULL);
	pthread_create(&t1, NULL, thread1, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
