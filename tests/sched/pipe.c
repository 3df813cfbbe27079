/* Pipes: a reader waits for a writer, a large write for its reader, end of file and EPIPE arrive. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "expect.h"

#define LARGE (300 * 1024)

static int fds[2], back[2], event;
static char sent[LARGE];
static char path[64];

static void *echo(void *unused)
{
	char byte;
	ssize_t n;

	while ((n = read(fds[0], &byte, 1)) == 1)
		EXPECT(write(back[1], &byte, 1) == 1);
	EXPECT(n == 0);
	close(back[1]);
	return unused;
}

static void *large(void *unused)
{
	struct iovec parts[2] = { { sent, LARGE / 3 }, { sent + LARGE / 3, LARGE - LARGE / 3 } };

	EXPECT(write(fds[1], sent, LARGE) == LARGE);
	EXPECT(writev(fds[1], parts, 2) == LARGE);
	close(fds[1]);
	return unused;
}

static void *count_up(void *unused)
{
	eventfd_t value;

	EXPECT(eventfd_read(event, &value) == 0 && value == 5);
	EXPECT(write(back[1], "", 1) == 1);
	EXPECT(read(event, &value, sizeof(value)) == sizeof(value) && value == 7);
	return unused;
}

static void *open_writer(void *unused)
{
	int fd = open(path, O_WRONLY);

	EXPECT(fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0);
	return unused;
}

static void one_by_one(void)
{
	pthread_t t;
	char byte;

	EXPECT(pipe(fds) == 0 && pipe2(back, O_CLOEXEC) == 0);
	EXPECT_CODE(0, pthread_create(&t, NULL, echo, NULL));
	for (char c = 'a'; c < 'e'; c++) {
		EXPECT(write(fds[1], &c, 1) == 1);
		EXPECT(read(back[0], &byte, 1) == 1 && byte == c);
	}
	close(fds[1]);
	EXPECT(read(back[0], &byte, 1) == 0);
	EXPECT_CODE(0, pthread_join(t, NULL));
	close(fds[0]);
	close(back[0]);
}

static void all_at_once(void)
{
	static char got[LARGE];
	struct iovec part = { got, sizeof(got) };
	size_t total = 0;
	pthread_t t;
	ssize_t n;

	for (size_t i = 0; i < LARGE; i++)
		sent[i] = (char)(i * 7 + i / 256);
	EXPECT(pipe(fds) == 0);
	EXPECT_CODE(0, pthread_create(&t, NULL, large, NULL));
	while ((n = readv(fds[0], &part, 1)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			EXPECT(got[i] == sent[(total + (size_t)i) % LARGE]);
		total += (size_t)n;
	}
	EXPECT(n == 0 && total == 2 * LARGE);
	EXPECT_CODE(0, pthread_join(t, NULL));
	close(fds[0]);
}

static void errors(void)
{
	char byte;

	EXPECT_ERRNO(EBADF, (int)read(-1, &byte, 1));
	EXPECT(pipe2(fds, O_NONBLOCK) == 0);
	EXPECT_ERRNO(EAGAIN, (int)read(fds[0], &byte, 1));
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	EXPECT_ERRNO(EPIPE, (int)write(fds[1], "x", 1));
	close(fds[1]);
}

int main(void)
{
	pthread_t t;
	char byte;
	int fd;

	errors();
	one_by_one();
	all_at_once();
	event = eventfd(0, 0);
	EXPECT(pipe(back) == 0);
	EXPECT_CODE(0, pthread_create(&t, NULL, count_up, NULL));
	EXPECT(eventfd_write(event, 5) == 0);
	EXPECT(read(back[0], &byte, 1) == 1);
	EXPECT(write(event, &(uint64_t){ 7 }, 8) == 8);
	EXPECT_CODE(0, pthread_join(t, NULL));
	snprintf(path, sizeof(path), "/tmp%s", own_name());
	EXPECT(mkfifo(path, 0600) == 0);
	EXPECT_CODE(0, pthread_create(&t, NULL, open_writer, NULL));
	fd = open(path, O_RDONLY);
	EXPECT(fd >= 0 && read(fd, &byte, 1) == 1 && byte == 'x' && read(fd, &byte, 1) == 0);
	EXPECT_CODE(0, pthread_join(t, NULL));
	EXPECT(unlink(path) == 0);
	return 0;
}
