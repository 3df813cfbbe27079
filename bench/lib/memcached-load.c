/*
 * memcached-load - linked into memcached (ld --wrap=main): `program SOCKET REQUESTS` is a memcached with two
 * worker threads and its own load, which ends when the load is done.
 *
 * So a server becomes a program like the others of Table 1: it can be run under detect, be brought to a
 * meeting by confirm, and ends by itself. Two clients, a thread each, speak to it through a Unix socket:
 * sets, gets, counting and deletions on common keys, statistics at the end. Every answer is read; a
 * connection that breaks, or an answer that is none, ends the process with status 9.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS = 2, KEYS = 16 };
int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

static const char *path;
static long requests;

static _Noreturn void give_up(const char *what)
{
	fprintf(stderr, "memcached-load: %s\n", what);
	_exit(9);
}

static FILE *dial(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	for (int i = 0; i < 6000; i++) { /* a minute: until the server listens */
		if (!connect(fd, (struct sockaddr *)&to, sizeof(to)))
			return fdopen(fd, "r+");
		usleep(10000);
	}
	give_up("the server does not listen");
}

/* Reads up to a line that begins with one of the last words an answer can have. */
static void answered(FILE *f)
{
	char line[512];

	do {
		if (!fgets(line, sizeof(line), f))
			give_up("the connection broke");
		if (!strncmp(line, "ERROR", 5) || !strncmp(line, "SERVER_ERROR", 12))
			give_up(line);
	} while (!strncmp(line, "VALUE ", 6) || !strncmp(line, "value-", 6) || !strncmp(line, "STAT ", 5));
}

static void ask(FILE *f, long i)
{
	int key = (int)(i / 4 % KEYS);

	switch (i % 4) {
	case 0: fprintf(f, "set k%d 0 0 12\r\nvalue-%06d\r\n", key, key); break;
	case 1: fprintf(f, "get k%d k%d\r\n", key, (key + 1) % KEYS); break;
	case 2: fprintf(f, "incr n 1\r\n"); break;
	default: fprintf(f, "delete k%d\r\n", (key + 3) % KEYS);
	}
	fflush(f);
	answered(f);
}

static void *client(void *arg)
{
	FILE *f = dial();

	setvbuf(f, NULL, _IOFBF, 4096);
	fprintf(f, "set n 0 0 1\r\n0\r\n");
	fflush(f);
	answered(f);
	for (long i = 0; i < requests; i++)
		ask(f, i + (long)arg);
	fprintf(f, "stats\r\n");
	fflush(f);
	answered(f);
	fclose(f);
	return NULL;
}

/*
 * memcached sets its limit of open files, the hard one too; valgrind refuses that to any program. Three connections
 * need no more than there is.
 */
int setrlimit(int what, const void *limit);
int setrlimit(int what, const void *limit)
{
	return 0;
}

static void *load(void *arg)
{
	pthread_t thread[CLIENTS];

	for (long i = 0; i < CLIENTS; i++)
		pthread_create(&thread[i], NULL, client, (void *)i);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(thread[i], NULL);
	exit(0); /* SIGTERM would wait a second for threads that sleep */
	return arg;
}

int __wrap_main(int argc, char **argv)
{
	char *words[] = { argv[0], "-s", argv[1], "-t", "2", "-m", "16", "-u", "root", NULL };
	pthread_t thread;

	if (argc != 3) {
		fprintf(stderr, "usage: %s SOCKET REQUESTS\n", argv[0]);
		return 2;
	}
	path = argv[1];
	requests = atol(argv[2]) / CLIENTS;
	unlink(path);
	pthread_create(&thread, NULL, load, NULL);
	pthread_detach(thread);
	return __real_main((int)(sizeof(words) / sizeof(*words)) - 1, words);
}
