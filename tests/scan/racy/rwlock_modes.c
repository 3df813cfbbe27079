/* A cache whose refresh writes while it holds the lock for reading only.
 * expect: A B */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static long cached, age;

static void *reader(void *arg)
{
	long seen;

	pthread_rwlock_rdlock(&lock);
	seen = cached; /* @A */
	pthread_rwlock_unlock(&lock);
	return seen > 100 ? arg : NULL;
}

static void *refresh(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	cached = 42; /* @B */
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, refresh, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	age = cached;
	return age < 0;
}
