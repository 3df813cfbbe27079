/* A timer that notifies by a thread of libc's own: ordered after what was done before it was made. */
#include "spy.h"

#include <semaphore.h>
#include <signal.h>

static sem_t done;
static int fired;

static void fires(union sigval value)
{
	*(int *)value.sival_ptr += 1;
	sem_post(&done);
}

int main(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = fires };
	struct itimerspec soon = { .it_value.tv_nsec = 1 };
	timer_t timer;

	sem_init(&done, 0, 0);
	fired = 1;
	event.sigev_value.sival_ptr = &fired;
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	CHECK(timer_settime(timer, 0, &soon, NULL), 0);
	CHECK(sem_wait(&done), 0);
	CHECK(fired, 2);
	CHECK(timer_delete(timer), 0);
	return 0;
}
