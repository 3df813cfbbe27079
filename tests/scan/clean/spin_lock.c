/* A spin lock.
 * never: A A */
#include <pthread.h>

static pthread_spinlock_t spin;
static unsigned sequence;

static void *stamp(void *arg)
{
	pthread_spin_lock(&spin);
	sequence++; /* @A */
	pthread_spin_unlock(&spin);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&a, NULL, stamp, NULL);
	pthread_create(&b, NULL, stamp, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return sequence != 2;
}
