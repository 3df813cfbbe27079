/*
 * spins KIND: one thread waits for another in a loop; every kind must end, under every
 * policy, also while the other is held back before `cold` (the pair of the test).
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int flag;
static volatile int seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int locked_flag, cold;
static const char *kind;

static int is(const char *name)
{
	return !strcmp(kind, name);
}

static void *sets(void *arg)
{
	cold = 1; /* @C */
	atomic_store(&flag, 1);
	seen = 1;
	pthread_mutex_lock(&m);
	locked_flag = 1;
	pthread_mutex_unlock(&m);
	return arg;
}

static int look_locked(void)
{
	int value;

	pthread_mutex_lock(&m);
	value = locked_flag;
	pthread_mutex_unlock(&m);
	return value;
}

static int try_locked(void)
{
	int value;

	if (pthread_mutex_trylock(&m))
		return 0;
	value = locked_flag;
	pthread_mutex_unlock(&m);
	return value;
}

static void compare_exchange(void)
{
	int expected;

	do
		expected = 1;
	while (!atomic_compare_exchange_weak(&flag, &expected, 2));
}

static void look_at_clock(void)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (!seen);
}

static void *waits(void *arg)
{
	if (is("atomic"))
		while (!atomic_load(&flag))
			;
	else if (is("volatile"))
		while (!seen)
			;
	else if (is("lock"))
		while (!look_locked())
			;
	else if (is("yield"))
		while (!atomic_load(&flag))
			sched_yield();
	else if (is("sleep"))
		while (!seen)
			usleep(1000);
	else if (is("exchange"))
		compare_exchange();
	else if (is("clock"))
		look_at_clock();
	else if (is("trylock"))
		while (!try_locked())
			;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t s, t;

	kind = argc > 1 ? argv[1] : "atomic";
	pthread_create(&t, NULL, waits, NULL);
	pthread_create(&s, NULL, sets, NULL);
	pthread_join(s, NULL);
	pthread_join(t, NULL);
	return 0;
}
