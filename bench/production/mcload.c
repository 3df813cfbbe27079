/*
 * mcload - load for memcached: mcload PORT CONNECTIONS REQUESTS. One process a connection, sets
 * and gets in turn, 16 on the way; every answer is checked. Prints "failed N".
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH 16

static int dial(int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		return -1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

/* DEPTH requests out, as many answers back: STORED, or VALUE ... END. */
static int batch(FILE *in, int fd, unsigned from)
{
	char out[DEPTH * 96], line[256];
	int used = 0, failed = 0;

	for (unsigned i = 0; i < DEPTH; i++) {
		unsigned key = (from + i) / 2 % 10000;

		if ((from + i) % 2 == 0)
			used += sprintf(out + used, "set k%u 0 0 32\r\nvalue-of-thirty-two-bytes-%06u\r\n", key, key);
		else
			used += sprintf(out + used, "get k%u\r\n", key);
	}
	if (write(fd, out, (size_t)used) != used)
		return DEPTH;
	for (unsigned i = 0; i < DEPTH; i++) {
		if (!fgets(line, sizeof(line), in))
			return DEPTH;
		if ((from + i) % 2 == 0) {
			failed += strcmp(line, "STORED\r\n") != 0;
		} else if (!strncmp(line, "VALUE ", 6)) {
			failed += !fgets(line, sizeof(line), in) || strncmp(line, "value-of-", 9);
			failed += !fgets(line, sizeof(line), in) || strcmp(line, "END\r\n");
		} else {
			failed++;
		}
	}
	return failed;
}

static int serve(int port, long requests)
{
	int fd = dial(port), failed = 0;
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	if (!in)
		return 1;
	for (long n = 0; n < requests; n += DEPTH)
		failed += batch(in, fd, (unsigned)n);
	return failed > 0;
}

int main(int argc, char **argv)
{
	int port, connections, failed = 0, status;
	long requests;

	if (argc != 4)
		return 2;
	port = atoi(argv[1]);
	connections = atoi(argv[2]);
	requests = atol(argv[3]);
	for (int i = 0; i < connections; i++)
		if (!fork())
			_exit(serve(port, requests / connections));
	while (wait(&status) > 0)
		failed += status != 0;
	printf("failed %d\n", failed);
	return failed > 0;
}
