/* Macros around the lock; the loop leaves it in one place.
 * never: A A */
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
#define ENTER() pthread_mutex_lock(&guard)
#define LEAVE() pthread_mutex_unlock(&guard)
static int rounds;

static void *spin(void *arg)
{
	for (int i = 0;; i++) {
		ENTER();
		if (i == 3) {
			rounds += i; /* @A */
			LEAVE();
			break;
		}
		rounds++;
		LEAVE();
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, spin, NULL);
	pthread_create(&b, NULL, spin, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return rounds != 12;
}
