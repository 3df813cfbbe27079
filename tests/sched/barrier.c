/* A barrier is used again and again; one of each round is told it is the serial thread. */
#include <pthread.h>

#include "expect.h"

#define THREADS 4
#define ROUNDS 3

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int arrived[ROUNDS], serial[ROUNDS];

static void add(int *counter)
{
	pthread_mutex_lock(&lock);
	++*counter;
	pthread_mutex_unlock(&lock);
}

static void *run(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		int code;

		add(&arrived[i]);
		code = pthread_barrier_wait(&barrier);
		EXPECT(code == 0 || code == PTHREAD_BARRIER_SERIAL_THREAD);
		pthread_mutex_lock(&lock);
		EXPECT(arrived[i] == THREADS);
		pthread_mutex_unlock(&lock);
		if (code)
			add(&serial[i]);
	}
	return unused;
}

/* The one that is told may destroy it at once, even while the others are leaving. */
static void *leave(void *argument)
{
	if (pthread_barrier_wait(argument) == PTHREAD_BARRIER_SERIAL_THREAD) {
		EXPECT_CODE(0, pthread_barrier_destroy(argument));
		memset(argument, 0xff, sizeof(pthread_barrier_t));
	}
	return NULL;
}

static void start(void *(*function)(void *), void *argument)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		EXPECT_CODE(0, pthread_create(&t[i], NULL, function, argument));
	for (int i = 0; i < THREADS; i++)
		EXPECT_CODE(0, pthread_join(t[i], NULL));
}

int main(void)
{
	pthread_barrier_t one;

	EXPECT_CODE(EINVAL, pthread_barrier_init(&barrier, NULL, 0));
	EXPECT_CODE(0, pthread_barrier_init(&one, NULL, 1));
	EXPECT_CODE(PTHREAD_BARRIER_SERIAL_THREAD, pthread_barrier_wait(&one));
	EXPECT_CODE(PTHREAD_BARRIER_SERIAL_THREAD, pthread_barrier_wait(&one));
	EXPECT_CODE(0, pthread_barrier_destroy(&one));
	EXPECT_CODE(0, pthread_barrier_init(&barrier, NULL, THREADS));
	start(run, NULL);
	for (int i = 0; i < ROUNDS; i++)
		EXPECT(serial[i] == 1);
	EXPECT_CODE(0, pthread_barrier_destroy(&barrier));
	EXPECT_CODE(0, pthread_barrier_init(&barrier, NULL, THREADS));
	start(leave, &barrier);
	return 0;
}
