/* Cancellation acts at cancellation points only; cleanup runs inside out; a wait gives the mutex back. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "expect.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t started, never;
static char order[8];
static int waits, worked, pipe_fd[2];
static pthread_key_t key;

static void note(void *letter)
{
	order[strlen(order)] = *(char *)letter;
}

static void unlock(void *mutex)
{
	EXPECT_CODE(0, pthread_mutex_unlock(mutex));
	note("u");
}

static void *in_cond(void *unused)
{
	pthread_setspecific(key, "k");
	pthread_mutex_lock(&m);
	waits = 1;
	pthread_cleanup_push(note, "o");
	pthread_cleanup_push(unlock, &m);
	sem_post(&started);
	for (;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return unused;
}

static void *in_sem(void *unused)
{
	pthread_cleanup_push(note, "s");
	sem_post(&started);
	sem_wait(&never);
	pthread_cleanup_pop(0);
	return unused;
}

static void *in_read(void *unused)
{
	char byte;

	sem_post(&started);
	EXPECT(read(pipe_fd[0], &byte, 1) != 1);
	EXPECT(!"comes here");
	return unused;
}

static void *in_sleep(void *unused)
{
	sem_post(&started);
	for (;;)
		sleep(1000);
	return unused;
}

static void *in_join(void *other)
{
	sem_post(&started);
	pthread_join(*(pthread_t *)other, NULL);
	return NULL;
}

static void *disabled(void *unused)
{
	int old;

	EXPECT_CODE(0, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
	EXPECT(old == PTHREAD_CANCEL_ENABLE);
	sem_post(&started);
	sem_wait(&never);
	pthread_testcancel();
	worked = 1;
	EXPECT_CODE(0, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
	pthread_testcancel();
	EXPECT(!"comes here");
	return unused;
}

static void *asynchronous(void *unused)
{
	static volatile int spin = 1;

	EXPECT_CODE(0, pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	sem_post(&started);
	while (spin)
		;
	return unused;
}

static void *polite(void *unused)
{
	pthread_mutex_lock(&m); /* no cancellation point */
	pthread_mutex_unlock(&m);
	worked = 2;
	return unused;
}

static pthread_t start(void *(*function)(void *), void *argument)
{
	pthread_t t;

	EXPECT_CODE(0, pthread_create(&t, NULL, function, argument));
	if (function != polite)
		sem_wait(&started);
	return t;
}

static void cancel(pthread_t t)
{
	void *result;

	EXPECT_CODE(0, pthread_cancel(t));
	EXPECT(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
}

int main(void)
{
	pthread_t t, u;
	void *result;

	sem_init(&started, 0, 0);
	sem_init(&never, 0, 0);
	EXPECT(pipe(pipe_fd) == 0);
	EXPECT_CODE(0, pthread_key_create(&key, note));
	cancel(start(in_cond, NULL));
	EXPECT(!strcmp(order, "uok"));
	EXPECT_CODE(0, pthread_mutex_trylock(&m));
	EXPECT_CODE(0, pthread_mutex_unlock(&m));
	memset(order, 0, sizeof(order));
	cancel(start(in_sem, NULL));
	EXPECT(!strcmp(order, "s"));
	cancel(start(in_read, NULL));
	cancel(start(in_sleep, NULL));
	t = start(in_sem, NULL);
	u = start(in_join, &t);
	cancel(u);
	cancel(t);
	t = start(disabled, NULL);
	EXPECT_CODE(0, pthread_cancel(t));
	sem_post(&never);
	EXPECT(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED && worked == 1);
	cancel(start(asynchronous, NULL));
	t = start(polite, NULL);
	EXPECT_CODE(0, pthread_cancel(t));
	EXPECT(pthread_join(t, &result) == 0 && result == NULL && worked == 2);
	EXPECT_CODE(EINVAL, pthread_setcancelstate(77, NULL));
	EXPECT_CODE(EINVAL, pthread_setcanceltype(77, NULL));
	return 0;
}
