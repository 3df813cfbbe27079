/*
 * keeper - see keeper.h.
 */
#include "find/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct keeper {
	pid_t pid;
	int pipe;
};

static void detach_from_world(int pipe)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	prctl(PR_SET_NAME, "deadheat-keeper");
	for (int i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
	if (pipe > 3)
		close_range(3, (unsigned)pipe - 1, 0);
	close_range((unsigned)pipe + 1, ~0u, 0);
	for (int i = 1; i < 32; i++)
		if (i != SIGCHLD && i != SIGSEGV && i != SIGBUS)
			signal(i, SIG_IGN);
}

static void keep(int pipe, void (*undo)(const void *), const void *context)
{
	char byte;
	ssize_t n;

	detach_from_world(pipe);
	do
		n = read(pipe, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0) /* else it said good-bye */
		undo(context);
	_exit(0);
}

struct keeper *keeper_start(void (*undo)(const void *context), const void *context)
{
	struct keeper *keeper = calloc(1, sizeof(*keeper));
	int ends[2];

	if (!keeper || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		free(keeper);
		return NULL;
	}
	keeper->pid = fork();
	if (!keeper->pid) {
		close(ends[1]);
		keep(ends[0], undo, context);
	}
	close(ends[0]);
	keeper->pipe = ends[1];
	if (keeper->pid < 0) {
		close(ends[1]);
		free(keeper);
		return NULL;
	}
	return keeper;
}

void keeper_end(struct keeper *keeper)
{
	int status;

	if (!keeper)
		return;
	while (send(keeper->pipe, "q", 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
	close(keeper->pipe);
	while (waitpid(keeper->pid, &status, 0) < 0 && errno == EINTR)
		;
	free(keeper);
}
