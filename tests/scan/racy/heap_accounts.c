/* Accounts on the heap; closing one does not take its lock.
 * expect: A B */
#include <pthread.h>
#include <stdlib.h>

struct account {
	pthread_mutex_t lock;
	long money;
};

static struct account *account_new(long money)
{
	struct account *account = malloc(sizeof(*account));

	if (!account)
		abort();
	pthread_mutex_init(&account->lock, NULL);
	account->money = money;
	return account;
}

static void deposit(struct account *account, long amount)
{
	pthread_mutex_lock(&account->lock);
	account->money += amount; /* @A */
	pthread_mutex_unlock(&account->lock);
}

static void empty(struct account *account)
{
	account->money = 0; /* @B */
}

static void *payer(void *arg)
{
	deposit(arg, 5);
	return NULL;
}

static void *thief(void *arg)
{
	empty(arg);
	return NULL;
}

int main(void)
{
	struct account *account = account_new(1), *other = account_new(2);
	pthread_t a, b;

	pthread_create(&a, NULL, payer, account);
	pthread_create(&b, NULL, thief, account);
	deposit(other, 1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(account);
	free(other);
	return 0;
}
