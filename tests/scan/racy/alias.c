/* One thread knows the variable by name, the other by a pointer.
 * expect: A B */
#include <pthread.h>

static int speed, limit;
static int *setting = &speed;

static void *direct(void *arg)
{
	speed = 30; /* @A */
	return arg;
}

static void *indirect(void *arg)
{
	*setting = 50; /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, direct, NULL);
	pthread_create(&b, NULL, indirect, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return speed + limit == 0;
}
