/* account_get() returns the account with its lock held.
 * never: A A */
#include <pthread.h>

struct account {
	pthread_mutex_t lock;
	long balance;
};
static struct account shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct account *account_get(void)
{
	pthread_mutex_lock(&shared.lock);
	return &shared;
}

static void account_put(struct account *account)
{
	pthread_mutex_unlock(&account->lock);
}

static void *pay(void *arg)
{
	struct account *account = account_get();

	account->balance += 10; /* @A */
	account_put(account);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, pay, NULL);
	pthread_create(&b, NULL, pay, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return shared.balance != 20;
}
