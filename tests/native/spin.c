/* Spin locks. */
#include "spy.h"

static pthread_spinlock_t lock;

static void *others(void *nothing)
{
	CHECK(pthread_spin_trylock(&lock), EBUSY);
	return nothing;
}

int main(void)
{
	pthread_t thread;

	NAME(lock);
	/* > T0 destroy lock
	   > T0 want lock write
	   > T0 acquire lock write
	   > T0 create T1
	   > T1 start
	   > T1 end
	   > T0 join T1
	   > T0 release lock write
	   > T0 acquire lock write
	   > T0 release lock write
	   > T0 destroy lock
	   > end */
	CHECK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE), 0);
	CHECK(pthread_spin_lock(&lock), 0);
	pthread_create(&thread, NULL, others, NULL);
	pthread_join(thread, NULL);
	CHECK(pthread_spin_unlock(&lock), 0);
	CHECK(pthread_spin_trylock(&lock), 0);
	CHECK(pthread_spin_unlock(&lock), 0);
	CHECK(pthread_spin_destroy(&lock), 0);
	return 0;
}
