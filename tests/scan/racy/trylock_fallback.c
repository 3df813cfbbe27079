/* When the lock is busy, the slow path writes without it.
 * expect: A B */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance;

static void deposit(long amount)
{
	if (pthread_mutex_trylock(&lock)) {
		balance += amount; /* @A */
		return;
	}
	balance += amount; /* @B */
	pthread_mutex_unlock(&lock);
}

static void *customer(void *arg)
{
	for (int i = 0; i < 4; i++)
		deposit(1);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, customer, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return balance < 0;
}
