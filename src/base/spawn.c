/* spawn - see spawn.h. A close-on-exec pipe carries execve's errno back from the child. */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

/* What the child could not do, for the message in the parent. */
struct failure_report {
	int step; /* enum spawn_step */
	int error;
};
enum spawn_step { STEP_CHDIR, STEP_FILES, STEP_EXEC };

uint64_t monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void child_fail(int pipe_end, enum spawn_step step)
{
	struct failure_report report = { step, errno };

	if (write(pipe_end, &report, sizeof(report)) < 0)
		_exit(126);
	_exit(127);
}

/* Signals as a fresh program expects them: what we handle is back at its default. */
static void child_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGXFSZ, SIG_DFL); /* main ignores it to hear EFBIG instead */
}

static int child_files(const struct spawn *spawn)
{
	const int wanted[3] = { spawn->in, spawn->out, spawn->err };

	for (int i = 0; i < 3; i++)
		if (wanted[i] != SPAWN_SAME && wanted[i] != i && dup2(wanted[i], i) < 0)
			return -1;
	for (size_t i = 0; i < spawn->keep_count; i++)
		if (fcntl(spawn->keep[i], F_SETFD, 0))
			return -1;
	return 0;
}

static void child(const struct spawn *spawn, int pipe_end, pid_t parent)
{
	extern char **environ;

	child_signals();
	if (!spawn->outlives) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent) /* it died before we asked */
			_exit(126);
	}
	if (spawn->own_group)
		setpgid(0, 0);
	if (spawn->cwd && chdir(spawn->cwd))
		child_fail(pipe_end, STEP_CHDIR);
	if (child_files(spawn))
		child_fail(pipe_end, STEP_FILES);
	execve(spawn->path, spawn->argv, spawn->envp ? spawn->envp : environ);
	child_fail(pipe_end, STEP_EXEC);
}

static int start_error(const struct spawn *spawn, const struct failure_report *report)
{
	const char *why = strerror(report->error);

	switch (report->step) {
	case STEP_CHDIR:
		return error_cannot("cannot enter folder %s: %s", spawn->cwd, why);
	case STEP_FILES:
		return error("cannot hand files to %s: %s", spawn->path, why);
	default:
		return error_cannot("cannot start %s: %s", spawn->path, why);
	}
}

/* 0: execve happened (the pipe closed); -1 with a message. */
static int await_exec(const struct spawn *spawn, int pipe_end, pid_t pid)
{
	struct failure_report report;
	ssize_t n;

	do
		n = read(pipe_end, &report, sizeof(report));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(report))
		return 0;
	waitpid(pid, NULL, 0);
	return start_error(spawn, &report);
}

int spawn_start(const struct spawn *spawn, pid_t *pid)
{
	pid_t parent = getpid();
	int pipe_ends[2], result;

	if (pipe2(pipe_ends, O_CLOEXEC))
		return error("cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	*pid = fork();
	if (*pid < 0) {
		close(pipe_ends[0]);
		close(pipe_ends[1]);
		return error("cannot start %s: %s", spawn->path, strerror(errno));
	}
	if (!*pid)
		child(spawn, pipe_ends[1], parent);
	close(pipe_ends[1]);
	result = await_exec(spawn, pipe_ends[0], *pid);
	close(pipe_ends[0]);
	return result;
}

static int reap(pid_t pid, int flags, int *status)
{
	pid_t r = waitpid(pid, status, flags);

	return r == pid ? 1 : 0;
}

int spawn_wait(pid_t pid, int timeout_ms, int *status)
{
	struct pollfd ready = { .events = POLLIN };
	int r;

	if (reap(pid, WNOHANG, status))
		return 1;
	ready.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (ready.fd < 0) /* an old kernel: wait without a limit */
		return reap(pid, 0, status);
	r = poll(&ready, 1, timeout_ms);
	if (r >= 0)
		errno = 0;
	close(ready.fd);
	return reap(pid, WNOHANG, status);
}

int spawn_run(const struct spawn *spawn, int *status)
{
	pid_t pid;

	if (spawn_start(spawn, &pid))
		return -1;
	while (!spawn_wait(pid, -1, status))
		;
	return 0;
}

const char *signal_name(int signal)
{
	static __thread char buffer[32];
	const char *abbreviation = sigabbrev_np(signal);

	if (abbreviation)
		snprintf(buffer, sizeof(buffer), "SIG%s", abbreviation);
	else
		snprintf(buffer, sizeof(buffer), "signal %d", signal);
	return buffer;
}

const char *spawn_status_name(struct arena *arena, int status)
{
	if (WIFEXITED(status))
		return arena_printf(arena, "exit %d", WEXITSTATUS(status));
	return arena_strdup(arena, signal_name(WTERMSIG(status)));
}

int spawn_exit_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool env_is(const char *entry, const char *name, size_t length)
{
	return !strncmp(entry, name, length) && entry[length] == '=';
}

const char *env_get(char *const *envp, const char *name)
{
	size_t length = strlen(name);

	for (; envp && *envp; envp++)
		if (env_is(*envp, name, length))
			return *envp + length + 1;
	return NULL;
}

char **env_set(struct arena *arena, char *const *envp, const char *name, const char *value)
{
	size_t count = 0, kept = 0, length = strlen(name);
	char **out;

	while (envp && envp[count])
		count++;
	out = ARENA_ARRAY(arena, char *, count + 2);
	for (size_t i = 0; i < count; i++)
		if (!env_is(envp[i], name, length))
			out[kept++] = envp[i];
	if (value)
		out[kept++] = arena_printf(arena, "%s=%s", name, value);
	return out;
}
