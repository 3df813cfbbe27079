// Handlers at exit, destructors of statics another thread made, timers with a thread.
#include "spy.h"

#include <csignal>
#include <semaphore.h>
#include <string>

static sem_t done;
static int fired, over;

struct Made {
	std::string text = "made by another thread, long enough for the heap";
	~Made() { if (text.size() < 10) abort(); }
};

static void *makes(void *nothing)
{
	static Made made;
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	return nothing;
}

static void fires(union sigval value)
{
	*(int *)value.sival_ptr = 1;
	sem_post(&done);
}

static void timer()
{
	struct sigevent event = {};
	struct itimerspec soon = {};
	timer_t timer;

	event.sigev_notify = SIGEV_THREAD;
	event.sigev_notify_function = fires;
	event.sigev_value.sival_ptr = &fired;
	soon.it_value.tv_nsec = 1;
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	CHECK(timer_settime(timer, 0, &soon, NULL), 0);
	CHECK(sem_wait(&done), 0);
	CHECK(fired, 1);
	CHECK(timer_delete(timer), 0);
}

int main()
{
	pthread_attr_t attributes;
	pthread_t thread;

	sem_init(&done, 0, 0);
	timer();
	// Detached: nothing but the list of handlers orders it before the destructor.
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attributes, makes, NULL);
	atexit([] { puts("handler ran"); });
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		sched_yield();
	return 0;
}
