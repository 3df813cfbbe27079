/*
 * time - run a command, print wall seconds, CPU seconds and the largest resident set (KiB) of it
 * and of all it waited for; its output is thrown away. Ends like the command.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	double start = now();
	struct rusage use;
	int status;
	pid_t pid = fork();

	if (argc < 2 || pid < 0)
		return 1;
	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), 1);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &use) != pid)
		return 1;
	printf("%.3f %.3f %ld\n", now() - start, seconds(use.ru_utime) + seconds(use.ru_stime), use.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
