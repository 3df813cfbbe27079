/* A whole struct copied while one member changes.
 * expect: A B */
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

	copy = current; /* @B */
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
