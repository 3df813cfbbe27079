/* locks[i] guards cells[i], but the swap only takes one of the two.
 * expect: A B */
#include <pthread.h>

static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int cells[2];

static void *left(void *arg)
{
	pthread_mutex_lock(&locks[0]);
	cells[0] = 1; /* @A */
	pthread_mutex_unlock(&locks[0]);
	return arg;
}

static void *right(void *arg)
{
	pthread_mutex_lock(&locks[1]);
	cells[1] = cells[0]; /* @B */
	pthread_mutex_unlock(&locks[1]);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, left, NULL);
	pthread_create(&b, NULL, right, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return cells[0] + cells[1] > 3;
}
