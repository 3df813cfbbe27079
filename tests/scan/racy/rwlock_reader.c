/* Readers that think a read needs no lock.
 * expect: A B */
#include <pthread.h>

struct table {
	pthread_rwlock_t lock;
	int rows[4];
};
static struct table table = { .lock = PTHREAD_RWLOCK_INITIALIZER };

static void *lookup(void *arg)
{
	int sum = 0;

	for (int i = 0; i < 4; i++)
		sum += table.rows[i]; /* @A */
	return sum ? arg : NULL;
}

static void *update(void *arg)
{
	pthread_rwlock_wrlock(&table.lock);
	for (int i = 0; i < 4; i++)
		table.rows[i] = i; /* @B */
	pthread_rwlock_unlock(&table.lock);
	return arg;
}

int main(void)
{
	pthread_t r1, r2, w;

	pthread_create(&w, NULL, update, NULL);
	pthread_create(&r1, NULL, lookup, NULL);
	pthread_create(&r2, NULL, lookup, NULL);
	pthread_join(r1, NULL);
	pthread_join(r2, NULL);
	pthread_join(w, NULL);
	return 0;
}
