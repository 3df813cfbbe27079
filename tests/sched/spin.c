/* Spin locks exclude; spinning by hand, with and without yield, comes to an end. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "expect.h"

static pthread_spinlock_t spin;
static int inside, count;
static atomic_int flag, ticket;
static volatile int told;
static atomic_flag own = ATOMIC_FLAG_INIT;

static void *locked(void *unused)
{
	for (int i = 0; i < 3; i++) {
		EXPECT_CODE(0, pthread_spin_lock(&spin));
		EXPECT(inside++ == 0);
		sched_yield();
		count++;
		inside--;
		EXPECT_CODE(0, pthread_spin_unlock(&spin));
	}
	return unused;
}

static void *by_hand(void *unused)
{
	for (int i = 0; i < 2; i++) {
		while (atomic_flag_test_and_set(&own))
			;
		EXPECT(inside++ == 0);
		atomic_fetch_add(&ticket, 1);
		inside--;
		atomic_flag_clear(&own);
	}
	while (!atomic_load(&flag))
		;
	return unused;
}

static void *yielding(void *unused)
{
	while (!atomic_load(&flag))
		sched_yield();
	return unused;
}

static void *on_volatile(void *unused)
{
	while (!told)
		;
	return unused;
}

static void *tell(void *unused)
{
	while (atomic_load(&ticket) < 4)
		sched_yield();
	told = 1;
	atomic_store(&flag, 1);
	return unused;
}

static void *try(void *unused)
{
	EXPECT_CODE(EBUSY, pthread_spin_trylock(&spin));
	return unused;
}

static void run(void *(*const *functions)(void *))
{
	pthread_t t[8];
	int n = 0;

	for (; functions[n]; n++)
		EXPECT_CODE(0, pthread_create(&t[n], NULL, functions[n], NULL));
	while (n)
		EXPECT_CODE(0, pthread_join(t[--n], NULL));
}

int main(void)
{
	EXPECT_CODE(0, pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
	run((void *(*const[])(void *)){ locked, locked, locked, NULL });
	EXPECT(count == 9);
	EXPECT_CODE(0, pthread_spin_trylock(&spin));
	run((void *(*const[])(void *)){ try, NULL });
	EXPECT_CODE(0, pthread_spin_unlock(&spin));
	EXPECT_CODE(0, pthread_spin_destroy(&spin));
	run((void *(*const[])(void *)){ by_hand, yielding, on_volatile, tell, by_hand, NULL });
	return 0;
}
