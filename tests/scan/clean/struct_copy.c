/* A whole struct copied under the lock that guards its members.
 * never: A B */
#include <pthread.h>

struct position {
	long x, y, z, t;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct position current;

static void *move(void *arg)
{
	pthread_mutex_lock(&lock);
	current.y++; /* @A */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *draw(void *arg)
{
	struct position copy;

	pthread_mutex_lock(&lock);
	copy = current; /* @B */
	pthread_mutex_unlock(&lock);
	return copy.x + copy.y > 5 ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, move, NULL);
	pthread_create(&b, NULL, draw, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
