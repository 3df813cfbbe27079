/* Wrappers around the lock: what they take and give back is the callers' matter.
 * never: A B */
#include <pthread.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static int length;

static void list_enter(void)
{
	pthread_mutex_lock(&list_lock);
}

static void list_leave(void)
{
	pthread_mutex_unlock(&list_lock);
}

static void *append(void *arg)
{
	list_enter();
	length++; /* @A */
	list_leave();
	return arg;
}

static void *report(void *arg)
{
	int seen;

	list_enter();
	seen = length; /* @B */
	list_leave();
	return seen ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, append, NULL);
	pthread_create(&b, NULL, report, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
