/* Commands by number; the new one forgot the lock the others take.
 * expect: A B */
#include <pthread.h>

enum command { GET, SET, CLEAR };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int store;

static int execute(enum command command, int value)
{
	int r = 0;

	switch (command) {
	case GET:
		pthread_mutex_lock(&lock);
		r = store;
		pthread_mutex_unlock(&lock);
		break;
	case SET:
		pthread_mutex_lock(&lock);
		store = value; /* @A */
		pthread_mutex_unlock(&lock);
		break;
	case CLEAR:
		store = 0; /* @B */
		break;
	}
	return r;
}

static void *client(void *arg)
{
	execute(SET, 3);
	execute(GET, 0);
	return arg;
}

static void *admin(void *arg)
{
	execute(CLEAR, 0);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, client, NULL);
	pthread_create(&b, NULL, admin, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
