/* Key destructors: after the thread's function, again while values are set, with locks inside. */
#include <pthread.h>
#include <sched.h>

#include "expect.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t once_key, twice_key;
static int inside, destroyed, again;

static void destroy(void *value)
{
	pthread_mutex_lock(&m);
	EXPECT(inside++ == 0);
	sched_yield();
	destroyed += *(int *)value;
	inside--;
	pthread_mutex_unlock(&m);
}

static void destroy_twice(void *value)
{
	pthread_mutex_lock(&m);
	again++;
	pthread_mutex_unlock(&m);
	if (++*(int *)value == 1)
		pthread_setspecific(twice_key, value);
}

static void *run(void *argument)
{
	int *numbers = argument;

	EXPECT(pthread_getspecific(once_key) == NULL);
	EXPECT_CODE(0, pthread_setspecific(once_key, &numbers[0]));
	EXPECT_CODE(0, pthread_setspecific(twice_key, &numbers[1]));
	sched_yield();
	EXPECT(pthread_getspecific(once_key) == &numbers[0]);
	return NULL;
}

int main(void)
{
	static int numbers[3][2] = { { 1, 0 }, { 2, 0 }, { 4, 0 } };
	pthread_t t[3];

	EXPECT_CODE(0, pthread_key_create(&once_key, destroy));
	EXPECT_CODE(0, pthread_key_create(&twice_key, destroy_twice));
	for (int i = 0; i < 3; i++)
		EXPECT_CODE(0, pthread_create(&t[i], NULL, run, numbers[i]));
	for (int i = 0; i < 3; i++)
		EXPECT_CODE(0, pthread_join(t[i], NULL));
	EXPECT(destroyed == 7 && again == 6);
	EXPECT_CODE(0, pthread_key_delete(once_key));
	EXPECT_CODE(EINVAL, pthread_setspecific(once_key, NULL));
	return 0;
}
