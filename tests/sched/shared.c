/* Objects in memory shared with another process: the child is not scheduled, waiting still works. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

static struct shared {
	sem_t to_child, to_parent;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	pthread_rwlock_t rwlock;
	pthread_barrier_t barrier;
	int turns, inside, ready;
} *s;

static void make(void)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;
	pthread_rwlockattr_t rwlock;
	pthread_barrierattr_t barrier;

	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_rwlockattr_init(&rwlock);
	pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
	pthread_barrierattr_init(&barrier);
	pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
	EXPECT(sem_init(&s->to_child, 1, 0) == 0 && sem_init(&s->to_parent, 1, 0) == 0);
	EXPECT_CODE(0, pthread_mutex_init(&s->mutex, &mutex));
	EXPECT_CODE(0, pthread_cond_init(&s->cond, &cond));
	EXPECT_CODE(0, pthread_rwlock_init(&s->rwlock, &rwlock));
	EXPECT_CODE(0, pthread_barrier_init(&s->barrier, &barrier, 2));
}

static void enter(void)
{
	for (int i = 0; i < 5; i++) {
		EXPECT_CODE(0, pthread_mutex_lock(&s->mutex));
		EXPECT(s->inside++ == 0);
		sched_yield();
		s->inside--;
		EXPECT_CODE(0, pthread_mutex_unlock(&s->mutex));
		EXPECT_CODE(0, pthread_rwlock_wrlock(&s->rwlock));
		s->turns++;
		EXPECT_CODE(0, pthread_rwlock_unlock(&s->rwlock));
	}
}

static void child(void)
{
	EXPECT(sem_wait(&s->to_child) == 0 && sem_post(&s->to_parent) == 0);
	enter();
	EXPECT(pthread_barrier_wait(&s->barrier) <= 0);
	pthread_mutex_lock(&s->mutex);
	s->ready = 1;
	pthread_cond_signal(&s->cond);
	pthread_mutex_unlock(&s->mutex);
	_exit(0);
}

static void *worker(void *unused)
{
	enter();
	return unused;
}

int main(void)
{
	pthread_t t;
	int status;
	pid_t pid;

	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	EXPECT(s != MAP_FAILED);
	make();
	pid = fork();
	if (!pid)
		child();
	EXPECT_CODE(0, pthread_create(&t, NULL, worker, NULL));
	EXPECT(sem_post(&s->to_child) == 0 && sem_wait(&s->to_parent) == 0);
	enter();
	EXPECT_CODE(0, pthread_join(t, NULL));
	EXPECT(pthread_barrier_wait(&s->barrier) <= 0);
	pthread_mutex_lock(&s->mutex);
	while (!s->ready)
		EXPECT_CODE(0, pthread_cond_wait(&s->cond, &s->mutex));
	pthread_mutex_unlock(&s->mutex);
	EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
	EXPECT(s->turns == 15);
	return 0;
}
