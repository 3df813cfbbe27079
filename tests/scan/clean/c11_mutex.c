/* C11 threads and a mutex.
 * never: A B */
#include <threads.h>

static mtx_t mutex;
static int balance;

static int deposit(void *arg)
{
	mtx_lock(&mutex);
	balance += 5; /* @A */
	mtx_unlock(&mutex);
	return arg != NULL;
}

static int audit(void *arg)
{
	int seen;

	mtx_lock(&mutex);
	seen = balance; /* @B */
	mtx_unlock(&mutex);
	return seen < 0 && arg;
}

int main(void)
{
	thrd_t a, b;

	mtx_init(&mutex, mtx_plain);
	thrd_create(&a, deposit, NULL);
	thrd_create(&b, audit, NULL);
	thrd_join(a, NULL);
	thrd_join(b, NULL);
	mtx_destroy(&mutex);
	return 0;
}
