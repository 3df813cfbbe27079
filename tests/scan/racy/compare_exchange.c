/* The winner of a compare-and-swap fills the slot, the loser reads it at once.
 * expect: A B */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner;
static int ticket;

static void *claim(void *arg)
{
	int nobody = 0;

	if (atomic_compare_exchange_strong(&owner, &nobody, (int)(long)arg))
		ticket = 7; /* @A */
	else
		return ticket ? arg : NULL; /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, claim, (void *)1);
	pthread_create(&b, NULL, claim, (void *)2);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
