/* File locks, System V queues and semaphores, POSIX queues between the threads of one process. */
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

#include "expect.h"

struct message {
	long type;
	int value;
};

static char path[64];
static int queue, set, inside;
static mqd_t posix;

static void *in_flock(void *unused)
{
	int fd = open(path, O_RDWR);

	for (int i = 0; i < 2; i++) {
		EXPECT(flock(fd, LOCK_EX) == 0);
		EXPECT(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0);
		sched_yield();
		__atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
		EXPECT(flock(fd, LOCK_UN) == 0);
	}
	close(fd);
	return unused;
}

static void *in_record_lock(void *unused)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
	int fd = open(path, O_RDWR);

	EXPECT(fcntl(fd, F_OFD_SETLKW, &lock) == 0);
	EXPECT(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0);
	sched_yield();
	__atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
	lock.l_type = F_UNLCK;
	EXPECT(fcntl(fd, F_OFD_SETLK, &lock) == 0);
	close(fd);
	return unused;
}

static void *in_queue(void *unused)
{
	struct message got;

	for (int i = 0; i < 3; i++)
		EXPECT(msgrcv(queue, &got, sizeof(int), 0, 0) == sizeof(int) && got.value == i);
	return unused;
}

static void *in_semop(void *unused)
{
	struct sembuf down = { 0, -1, 0 }, up = { 0, 1, 0 };

	EXPECT(semop(set, &down, 1) == 0);
	EXPECT(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0);
	sched_yield();
	__atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
	EXPECT(semop(set, &up, 1) == 0);
	return unused;
}

static void *in_posix_queue(void *unused)
{
	char byte[16];

	for (int i = 0; i < 4; i++)
		EXPECT(mq_receive(posix, byte, sizeof(byte), NULL) == 1 && byte[0] == 'a' + i);
	return unused;
}

static void run(void *(*function)(void *))
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		EXPECT_CODE(0, pthread_create(&t[i], NULL, function, NULL));
	for (int i = 0; i < 2; i++)
		EXPECT_CODE(0, pthread_join(t[i], NULL));
}

static void system_five(void)
{
	struct message out = { 1, 0 };
	pthread_t t;

	queue = msgget(IPC_PRIVATE, 0600);
	set = semget(IPC_PRIVATE, 1, 0600);
	EXPECT(queue >= 0 && set >= 0);
	EXPECT_CODE(0, pthread_create(&t, NULL, in_queue, NULL));
	for (out.value = 0; out.value < 3; out.value++)
		EXPECT(msgsnd(queue, &out, sizeof(int), 0) == 0);
	EXPECT_CODE(0, pthread_join(t, NULL));
	EXPECT_ERRNO(ENOMSG, (int)msgrcv(queue, &out, sizeof(int), 0, IPC_NOWAIT));
	EXPECT(msgctl(queue, IPC_RMID, NULL) == 0);
	EXPECT(semctl(set, 0, SETVAL, 1) == 0);
	run(in_semop);
	EXPECT(semctl(set, 0, IPC_RMID) == 0);
}

static void posix_queue(void)
{
	struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = 16 };
	struct timespec past = in_ms(CLOCK_REALTIME, -1);
	char byte[16];
	pthread_t t;

	posix = mq_open(own_name(), O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	if (posix < 0)
		return; /* no queues in this container */
	EXPECT(mq_unlink(own_name()) == 0);
	EXPECT_ERRNO(ETIMEDOUT, (int)mq_timedreceive(posix, byte, sizeof(byte), NULL, &past));
	EXPECT_CODE(0, pthread_create(&t, NULL, in_posix_queue, NULL));
	for (char c = 'a'; c < 'e'; c++)
		EXPECT(mq_send(posix, &c, 1, 0) == 0);
	EXPECT_CODE(0, pthread_join(t, NULL));
	mq_close(posix);
}

int main(void)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp%s", own_name());
	fd = open(path, O_RDWR | O_CREAT, 0600);
	EXPECT(fd >= 0 && close(fd) == 0);
	run(in_flock);
	run(in_record_lock);
	EXPECT(unlink(path) == 0);
	system_five();
	posix_queue();
	return 0;
}
