/* Semaphores: hand-over, limits, every error, named ones. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "expect.h"

static sem_t items, room;
static int ring[2], in, out, sum;

static void *produce(void *unused)
{
	for (int i = 1; i <= 10; i++) {
		EXPECT(sem_wait(&room) == 0);
		ring[in++ % 2] = i;
		EXPECT(sem_post(&items) == 0);
	}
	return unused;
}

static void *consume(void *unused)
{
	for (int i = 1; i <= 10; i++) {
		EXPECT(sem_wait(&items) == 0);
		EXPECT(ring[out % 2] == i);
		sum += ring[out++ % 2];
		EXPECT(sem_post(&room) == 0);
	}
	return unused;
}

static void *post(void *sem)
{
	EXPECT(sem_post(sem) == 0);
	return NULL;
}

static void errors(void)
{
	struct timespec past = in_ms(CLOCK_REALTIME, -5), soon = in_ms(CLOCK_MONOTONIC, 5), bad = { 0, -1 };
	sem_t s;
	int value;

	EXPECT_ERRNO(EINVAL, sem_init(&s, 0, (unsigned)SEM_VALUE_MAX + 1));
	EXPECT(sem_init(&s, 0, 0) == 0);
	EXPECT_ERRNO(EAGAIN, sem_trywait(&s));
	EXPECT_ERRNO(ETIMEDOUT, sem_timedwait(&s, &past));
	EXPECT_ERRNO(ETIMEDOUT, sem_clockwait(&s, CLOCK_MONOTONIC, &soon));
	EXPECT_ERRNO(EINVAL, sem_timedwait(&s, &bad));
	EXPECT_ERRNO(EINVAL, sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &soon));
	EXPECT(sem_post(&s) == 0 && sem_post(&s) == 0);
	EXPECT(sem_getvalue(&s, &value) == 0 && value == 2);
	EXPECT(sem_trywait(&s) == 0 && sem_timedwait(&s, &past) == 0);
	EXPECT(sem_getvalue(&s, &value) == 0 && value == 0);
	EXPECT(sem_destroy(&s) == 0);
	EXPECT(sem_init(&s, 0, SEM_VALUE_MAX) == 0);
	EXPECT_ERRNO(EOVERFLOW, sem_post(&s));
	EXPECT(sem_destroy(&s) == 0);
}

static void named(void)
{
	pthread_t t;
	sem_t *s;
	int value;

	s = sem_open(own_name(), O_CREAT | O_EXCL, 0600, 1);
	EXPECT(s != SEM_FAILED);
	EXPECT(sem_unlink(own_name()) == 0);
	EXPECT(sem_wait(s) == 0);
	EXPECT_ERRNO(EAGAIN, sem_trywait(s));
	EXPECT_CODE(0, pthread_create(&t, NULL, post, s));
	EXPECT(sem_wait(s) == 0);
	EXPECT_CODE(0, pthread_join(t, NULL));
	EXPECT(sem_getvalue(s, &value) == 0 && value == 0);
	EXPECT(sem_close(s) == 0);
}

int main(void)
{
	pthread_t a, b;

	errors();
	EXPECT(sem_init(&items, 0, 0) == 0 && sem_init(&room, 0, 2) == 0);
	EXPECT_CODE(0, pthread_create(&a, NULL, produce, NULL));
	EXPECT_CODE(0, pthread_create(&b, NULL, consume, NULL));
	EXPECT_CODE(0, pthread_join(a, NULL));
	EXPECT_CODE(0, pthread_join(b, NULL));
	EXPECT(sum == 55);
	named();
	return 0;
}
