/* Each thread publishes the address of a local, and the other one writes there.
 * expect: A B */
#include <pthread.h>
#include <stdatomic.h>

static int *_Atomic mailbox;

static void *owner(void *arg)
{
	int local = 1;

	mailbox = &local;
	while (mailbox)
		local++; /* @A */
	return local > 1000000 ? arg : NULL;
}

static void *guest(void *arg)
{
	int *p;

	while (!(p = mailbox))
		;
	*p = 0; /* @B */
	mailbox = NULL;
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
