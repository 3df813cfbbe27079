/* account: every step is locked, the transfer as a whole is not; an audit sees the money in between. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int balance[2] = { 100, 100 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(int which, int by)
{
	pthread_mutex_lock(&lock);
	balance[which] += by;
	pthread_mutex_unlock(&lock);
}

static void *transfer(void *arg)
{
	for (int i = 0; i < 3; i++) {
		add(0, -10);
		add(1, 10);
	}
	return arg;
}

static void *audit(void *arg)
{
	pthread_mutex_lock(&lock);
	int sum = balance[0] + balance[1];
	pthread_mutex_unlock(&lock);
	assert(sum == 200);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, transfer, NULL);
	pthread_create(&b, NULL, audit, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
