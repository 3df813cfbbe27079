/*
 * A lock in inline assembly: its loop passes no point, so the turn must be taken from the one
 * who spins. expect: @A @A under the lock never meet, @B @B beside it do.
 */
#include <pthread.h>
#include <string.h>

static int word, inside, beside, rounds = 2;

static void lock(void)
{
	int taken;

	do {
		taken = 1;
		__asm__ volatile("xchgl %0, %1" : "+r"(taken), "+m"(word) : : "memory");
	} while (taken);
}

static void unlock(void)
{
	__asm__ volatile("movl $0, %0" : "=m"(word) : : "memory");
}

static void *worker(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		lock();
		inside++; /* @A */
		unlock();
		beside++; /* @B */
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return inside != 2 * rounds;
}
