/*
 * server - one fork server: the target, stopped before main, forks a trial when told.
 *
 * The target is started with our scheduler runtime (LD_LIBRARY_PATH), the wire and a
 * control socket, in a process group of its own, pinned to one core: a baton passed by
 * futex costs 3 us on one core and ten times that across two. Its stdin is /dev/null or a
 * file (rewound before each trial), stdout and stderr an append-only memory file which is
 * truncated between trials.
 *
 * I1  READY once, then per trial RUN -> STARTED -> ENDED; plan and wire are only written
 *     while the server is idle.
 * I2  Whatever hangs, the host does not: past its deadline a trial is killed, and a server
 *     that does not answer then is killed with its group (and started anew by the pool).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "confirm/internal.h"

#define READY_MS 30000      /* loading and relocating even a huge program takes a few seconds */
#define GRACE_MS 2000       /* the watchdog inside the target acts first */
#define PLAN_BYTES ((size_t)32 << 20)  /* choices of a replay: 24 bytes a step; pages come as touched */
#define STEPS_MAX ((uint64_t)4 << 20)  /* 128 MiB of steps at most; a longer trial replays by seed */
#define OUTPUT_MAX ((off_t)64 << 20)   /* a trial that prints for ever must not eat the memory */

int server_input(const struct confirm_options *options)
{
	const char *path = options->stdin_file ? options->stdin_file : "/dev/null";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_cannot("cannot open %s for the program's input: %s", path, strerror(errno));
	return fd;
}

int server_output_file(void)
{
	int fd = memfd_create("deadheat-output", MFD_CLOEXEC);

	if (fd >= 0 && fcntl(fd, F_SETFL, O_APPEND)) {
		close(fd);
		fd = -1;
	}
	return fd < 0 ? error("cannot make a file for the program's output: %s", strerror(errno)) : fd;
}

static uint64_t steps_wanted(const struct confirm_options *options)
{
	uint64_t limit = options->step_limit ? options->step_limit + 64 : STEPS_MAX;

	return limit < STEPS_MAX ? limit : STEPS_MAX;
}

/* The child inherits our affinity: set it, start, set it back. */
static int start_pinned(const struct spawn *spawn, pid_t *pid, int core)
{
	cpu_set_t old, one;
	int result;

	CPU_ZERO(&one);
	if (core >= 0)
		CPU_SET(core, &one);
	if (core < 0 || sched_getaffinity(0, sizeof(old), &old))
		return spawn_start(spawn, pid);
	sched_setaffinity(0, sizeof(one), &one);
	result = spawn_start(spawn, pid);
	sched_setaffinity(0, sizeof(old), &old);
	return result;
}

static int spawn_target(struct server *server, const struct confirm_context *context, int control)
{
	struct arena arena = ARENA_INIT;
	int keep[2] = { server->wire.fd, control };
	const struct program *program = context->program;
	bool shown = context->options.show_output;
	struct spawn spawn = {
		.path = program->path, .argv = program->argv, .cwd = program->cwd, .in = server->input,
		.out = shown ? SPAWN_SAME : server->output, .err = shown ? SPAWN_SAME : server->output,
		.keep = keep, .keep_count = 2, .own_group = true,
	};
	int result = -1;

	spawn.envp = target_environment(program, &arena, "sched", wire_env(&arena, &server->wire, control));
	if (spawn.envp)
		result = start_pinned(&spawn, &server->pid, server->core);
	arena_free(&arena);
	return result;
}

/* The target ended, or went silent, before it stood before main: say why. */
static int not_ready(struct server *server, const struct confirm_context *context)
{
	const char *path = context->program->path;
	int status;

	if (!spawn_wait(server->pid, 1000, &status)) {
		if (wire_check_claim(&server->wire, path))
			return -1;
		return error_cannot("%s did not come as far as main within %d s", path, READY_MS / 1000);
	}
	server->pid = 0;
	if (wire_check_claim(&server->wire, path)) {
		if (WIFSIGNALED(status) && server->wire.header->state == WIRE_IDLE)
			return error_cannot("%s crashes before main (%s), before our runtime is loaded: "
					    "does it start alone?", path, signal_name(WTERMSIG(status)));
		return -1;
	}
	if (WIFSIGNALED(status))
		return error_cannot("%s crashes before main (%s): does it start alone?", path,
				    signal_name(WTERMSIG(status)));
	return error_cannot("%s ended before main with exit %d", path, WEXITSTATUS(status));
}

static int receive(struct server *server, struct wire_control *message)
{
	ssize_t n;

	do
		n = recv(server->control, message, sizeof(*message), 0);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*message) ? 0 : -1;
}

static int wait_message(struct server *server, int timeout_ms, struct wire_control *message)
{
	struct pollfd ready = { .fd = server->control, .events = POLLIN };
	uint64_t end = monotonic_ms() + (uint64_t)timeout_ms;

	for (;;) {
		uint64_t now = monotonic_ms();
		int n = poll(&ready, 1, now < end ? (int)(end - now) : 0);

		if (n > 0)
			return receive(server, message);
		if (pool_interrupted() || (n == 0 && now >= end))
			return -1;
	}
}

static int await_ready(struct server *server, const struct confirm_context *context)
{
	struct wire_control message = { 0 };

	if (wait_message(server, READY_MS, &message) || message.kind != WIRE_CTL_READY)
		return not_ready(server, context);
	server->state = SERVER_IDLE;
	return 0;
}

static int open_files(struct server *server, const struct confirm_context *context)
{
	struct wire_sizes sizes = {
		.plan = PLAN_BYTES, .steps = steps_wanted(&context->options) * sizeof(struct wire_step),
	};

	server->input = server_input(&context->options);
	if (server->input < 0)
		return -1;
	server->output = server_output_file();
	if (server->output < 0)
		return -1;
	return wire_open(&server->wire, WIRE_RT_SCHED, &sizes);
}

int server_start(struct server *server, const struct confirm_context *context, int core)
{
	struct wire_plan_parts parts;
	int ends[2], result;

	*server = (struct server){ .core = core, .control = -1, .input = -1, .output = -1,
				   .wire = { .fd = -1 } };
	if (open_files(server, context))
		goto failed;
	plan_start(&parts, context);
	if (wire_put_plan(&server->wire, &parts))
		goto failed;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		error("cannot make a control socket: %s", strerror(errno));
		goto failed;
	}
	server->control = ends[0];
	result = spawn_target(server, context, ends[1]);
	close(ends[1]);
	if (!result && !await_ready(server, context))
		return 0;
failed:
	server_stop(server);
	return -1;
}

static void close_file(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void server_stop(struct server *server)
{
	int status;

	close_file(&server->control);
	if (server->trial > 0)
		kill(server->trial, SIGKILL);
	if (server->pid > 0) {
		kill(-server->pid, SIGKILL);
		kill(server->pid, SIGKILL);
		while (!spawn_wait(server->pid, -1, &status))
			;
	}
	server->pid = server->trial = 0;
	close_file(&server->input);
	close_file(&server->output);
	wire_close(&server->wire);
	server->state = SERVER_DOWN;
}

/* With the instructions of an uninstrumented program, which are read anew: the sites are known only now. */
int server_put_plan(struct wire_host *wire, const struct confirm_context *context, const struct wire_plan_parts *parts)
{
	struct wire_plan_parts all = *parts;
	struct arena arena = ARENA_INIT;
	int result;

	if (context->plain)
		plain_describe(context->plain, &arena, &all);
	result = wire_put_plan(wire, &all);
	arena_free(&arena);
	return result;
}

int server_run(struct server *server, const struct confirm_context *context, const struct wire_plan_parts *parts)
{
	struct wire_control message = { .kind = WIRE_CTL_RUN };

	wire_reset(&server->wire);
	if (server_put_plan(&server->wire, context, parts))
		return -1;
	lseek(server->input, 0, SEEK_SET);
	if (ftruncate(server->output, 0))
		return error("cannot empty the file of the program's output: %s", strerror(errno));
	server->trial = 0;
	server->killed = false;
	server->deadline = monotonic_ms() + context->options.wall_ms + GRACE_MS;
	if (send(server->control, &message, sizeof(message), MSG_NOSIGNAL) != (ssize_t)sizeof(message))
		return error("the fork server of %s is gone", context->program->path);
	server->state = SERVER_BUSY;
	return 0;
}

int server_event(struct server *server)
{
	struct wire_control message;

	if (receive(server, &message))
		return -1;
	if (message.kind == WIRE_CTL_STARTED)
		server->trial = message.value;
	if (message.kind != WIRE_CTL_ENDED)
		return 0;
	server->status = message.value;
	server->trial = 0;
	server->state = SERVER_IDLE;
	return 1;
}

static void bound_output(struct server *server)
{
	struct stat about;

	if (fstat(server->output, &about) || about.st_size <= OUTPUT_MAX)
		return;
	if (!ftruncate(server->output, 0))
		server->dropped += (uint64_t)about.st_size;
}

void server_tick(struct server *server, uint64_t now)
{
	if (server->state != SERVER_BUSY)
		return;
	bound_output(server);
	if (now < server->deadline)
		return;
	if (server->killed || server->trial <= 0) { /* told once and still there: the whole group */
		kill(-server->pid, SIGKILL);
		kill(server->pid, SIGKILL);
		return;
	}
	kill(server->trial, SIGKILL);
	server->killed = true;
	server->deadline = now + GRACE_MS;
}

void server_cancel(struct server *server)
{
	struct pollfd ready = { .fd = server->control, .events = POLLIN };

	while (server->state == SERVER_BUSY) {
		if (server->trial > 0 && !server->killed) {
			kill(server->trial, SIGKILL);
			server->killed = true;
		}
		if (poll(&ready, 1, GRACE_MS) == 0 || server_event(server) < 0) {
			server_stop(server);
			return;
		}
	}
}

void server_output(const struct server *server, struct strbuf *text)
{
	char buffer[4096];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(server->output, buffer, sizeof(buffer), at)) > 0) {
		strbuf_add(text, buffer, (size_t)n);
		at += n;
	}
}
