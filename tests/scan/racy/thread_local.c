/* A thread-local buffer whose address the thread gives away.
 * expect: A B */
#include <pthread.h>

static __thread int mine;
static int *_Atomic leaked;

static void *owner(void *arg)
{
	leaked = &mine;
	while (leaked)
		mine++; /* @A */
	return arg;
}

static void *guest(void *arg)
{
	int *theirs;

	while (!(theirs = leaked))
		;
	*theirs = 0; /* @B */
	leaked = NULL;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, owner, NULL);
	pthread_create(&b, NULL, guest, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
