/*
 * Programs with an order in which they wait for ever: found as a deadlock, whatever they
 * wait in. With a second argument each keeps to one order and must never be reported.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <threads.h>

#include "expect.h"

static int safe;
static pthread_rwlock_t rw[2] = { PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER };
static pthread_mutex_t mutex[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once[2] = { PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT };
static pthread_spinlock_t spin[2];
static sem_t sem[2];
static mtx_t c11[2];
static atomic_int word, late;
static int ready;

/* 0 then 1 in one thread, 1 then 0 in the other. */
#define CROSSED(name, lock, unlock, objects) \
	static void *name(void *number) \
	{ \
		long i = safe ? 0 : (long)number; \
		lock(&objects[i]); \
		lock(&objects[1 - i]); \
		unlock(&objects[1 - i]); \
		unlock(&objects[i]); \
		return NULL; \
	}
CROSSED(in_rwlock, pthread_rwlock_wrlock, pthread_rwlock_unlock, rw)
CROSSED(in_mutex, pthread_mutex_lock, pthread_mutex_unlock, mutex)
CROSSED(in_spin, pthread_spin_lock, pthread_spin_unlock, spin)
CROSSED(in_sem, sem_wait, sem_post, sem)
CROSSED(in_c11, mtx_lock, mtx_unlock, c11)

/* A pipe with one byte in it is a lock, too. */
static struct ends {
	int fd[2];
} pipes[2];

static void take(struct ends *ends)
{
	char byte;

	EXPECT(read(ends->fd[0], &byte, 1) == 1);
}

static void put(struct ends *ends)
{
	EXPECT(write(ends->fd[1], "", 1) == 1);
}
CROSSED(in_pipe, take, put, pipes)

/* Beside a thread that waits for signals: none comes. */
static void *take_signals(void *unused)
{
	sigset_t set;
	int sig;

	sigfillset(&set);
	sigwait(&set, &sig);
	return unused;
}

static void *beside_signals(void *number)
{
	pthread_t t;

	if (number)
		EXPECT(pthread_create(&t, NULL, take_signals, NULL) == 0 && pthread_detach(t) == 0);
	return in_mutex(number);
}

static void nothing(void)
{
}

static void second_once(void)
{
	pthread_once(&once[1], nothing);
}

static void first_once(void)
{
	pthread_once(&once[0], nothing);
}

static void *in_once(void *number)
{
	if (number && !safe)
		pthread_once(&once[1], first_once);
	else
		pthread_once(&once[0], second_once);
	return NULL;
}

/* Each reads what the other wants to write. */
static void *in_upgrade(void *number)
{
	long i = safe ? 0 : (long)number;

	pthread_rwlock_rdlock(&rw[i]);
	pthread_rwlock_wrlock(&rw[1 - i]);
	pthread_rwlock_unlock(&rw[1 - i]);
	pthread_rwlock_unlock(&rw[i]);
	return NULL;
}

/* The waker looks whether anybody waits; the waiter says so too late. */
static void *in_cond(void *number)
{
	pthread_mutex_lock(&mutex[0]);
	if (number) {
		ready = 1;
		pthread_cond_signal(&cond);
	} else if (safe) {
		while (!ready)
			pthread_cond_wait(&cond, &mutex[0]);
	} else {
		pthread_cond_wait(&cond, &mutex[0]);
	}
	pthread_mutex_unlock(&mutex[0]);
	return NULL;
}

static void *in_futex(void *number)
{
	if (number) {
		if (safe)
			atomic_store(&word, 1);
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	} else {
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	}
	return NULL;
}

static pthread_barrier_t barrier;

/* Who comes late thinks the barrier is not needed any more. */
static void *in_barrier(void *unused)
{
	if (safe || !atomic_load(&late))
		pthread_barrier_wait(&barrier);
	return unused;
}

static void *be_late(void *unused)
{
	atomic_store(&late, 1);
	return unused;
}

static const struct {
	const char *name;
	void *(*function)(void *);
} cases[] = {
	{ "rwlock", in_rwlock }, { "upgrade", in_upgrade }, { "mutex", in_mutex }, { "spin", in_spin },
	{ "sem", in_sem }, { "c11", in_c11 }, { "once", in_once }, { "cond", in_cond }, { "futex", in_futex },
	{ "barrier", in_barrier }, { "pipe", in_pipe }, { "signals", beside_signals },
};

static void start(void)
{
	for (int i = 0; i < 2; i++) {
		pthread_spin_init(&spin[i], 0);
		sem_init(&sem[i], 0, 1);
		mtx_init(&c11[i], mtx_plain);
		EXPECT(pipe(pipes[i].fd) == 0);
		put(&pipes[i]);
	}
	pthread_barrier_init(&barrier, NULL, 2);
}

int main(int argc, char **argv)
{
	pthread_t t[3];

	EXPECT(argc >= 2);
	safe = argc > 2;
	start();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(cases[i].name, argv[1]))
			continue;
		for (long k = 0; k < 2; k++)
			EXPECT_CODE(0, pthread_create(&t[k], NULL, cases[i].function, (void *)k));
		EXPECT_CODE(0, pthread_create(&t[2], NULL, be_late, NULL));
		for (int k = 0; k < 3; k++)
			EXPECT_CODE(0, pthread_join(t[k], NULL));
		return 0;
	}
	return 2;
}
