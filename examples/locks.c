/*
 * Two accounts, two locks, taken in opposite orders.
 *
 * What is wrong: transfer(a, b) and transfer(b, a) can each hold one lock and wait for
 * the other. No data race: every balance is read and written under its own lock.
 * deadheat shows: a suspected deadlock from the lock order of one ordinary run, then the
 * real one, with who holds and who waits.
 */
#include <pthread.h>

struct account {
	pthread_mutex_t lock;
	int balance;
};

static struct account first = { PTHREAD_MUTEX_INITIALIZER, 100 };
static struct account second = { PTHREAD_MUTEX_INITIALIZER, 100 };

static void transfer(struct account *from, struct account *to)
{
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock);
	from->balance -= 10;
	to->balance += 10;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

static void *forth(void *arg)
{
	transfer(&first, &second);
	return arg;
}

static void *back(void *arg)
{
	transfer(&second, &first);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, forth, NULL);
	pthread_create(&b, NULL, back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
