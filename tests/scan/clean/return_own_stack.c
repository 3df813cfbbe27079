/* Each thread has a local and keeps it.
 * never: A B */
#include <pthread.h>
#include <stdatomic.h>

static void *owner(void *arg)
{
	int local = 1;

	for (int i = 0; i < 3; i++)
		local++; /* @A */
	return local > 1000000 ? arg : NULL;
}

static void *guest(void *arg)
{
	int own = 0;
	int *p = &own;

	*p = 2; /* @B */
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
