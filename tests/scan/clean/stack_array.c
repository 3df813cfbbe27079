/* A local array (alloca), an element for each thread.
 * never: A A */
#include <alloca.h>
#include <pthread.h>

static void *fill(void *arg)
{
	int *slot = arg;

	*slot = 1; /* @A */
	return NULL;
}

int main(void)
{
	int *slots = alloca(2 * sizeof(*slots));
	pthread_t a, b;

	slots[0] = slots[1] = 0;
	pthread_create(&a, NULL, fill, &slots[0]);
	pthread_create(&b, NULL, fill, &slots[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return slots[0] != 1;
}
