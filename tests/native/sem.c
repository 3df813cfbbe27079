/* Semaphores, named and not. */
#include "spy.h"

#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>

static sem_t s;
static int stop;

static void nothing(int signal)
{
}

/* The waiter is known to be in sem_wait only by being interrupted there, over and over. */
static void *interrupts(void *main_thread)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		pthread_kill(*(pthread_t *)main_thread, SIGUSR1);
	return NULL;
}

static int interrupted(void)
{
	struct sigaction action = { .sa_handler = nothing };
	pthread_t self = pthread_self(), thread;
	int result, error;

	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, interrupts, &self);
	do {
		struct timespec far = { 1ll << 40, 0 };

		result = sem_timedwait(&s, &far);
		error = errno;
	} while (result == 0 || error == ETIMEDOUT); /* under the scheduler any wait may time out */
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return error;
}

int main(void)
{
	struct timespec t = past();
	char name[64];
	sem_t *named;

	NAME(s);
	/* > T0 destroy s
	   > T0 receive s
	   > T0 send s
	   > T0 receive s
	   > T0 send s
	   > T0 receive s */
	CHECK(sem_init(&s, 0, 1), 0);
	CHECK(sem_wait(&s), 0);
	CHECK(sem_trywait(&s), -1);
	CHECK(errno, EAGAIN);
	CHECK(sem_timedwait(&s, &t), -1);
	CHECK(errno, ETIMEDOUT);
	CHECK(sem_clockwait(&s, CLOCK_MONOTONIC, &t), -1);
	CHECK(errno, ETIMEDOUT);
	CHECK(sem_post(&s), 0);
	CHECK(sem_trywait(&s), 0);
	CHECK(sem_post(&s), 0);
	CHECK(sem_timedwait(&s, &t), 0);
	/* > T0 create T1
	   > T1 start
	   > T1 end
	   > T0 join T1
	   > T0 destroy s
	   > end */
	CHECK(interrupted(), EINTR);
	CHECK(sem_destroy(&s), 0);
	snprintf(name, sizeof(name), "/deadheat-test-%d", (int)getpid());
	named = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	CHECK(named != SEM_FAILED, 1);
	CHECK(sem_post(named), 0);
	CHECK(sem_wait(named), 0);
	CHECK(sem_close(named), 0);
	CHECK(sem_unlink(name), 0);
	return 0;
}
