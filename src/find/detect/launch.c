/*
 * launch - one run of the program: its own stdin, stdout, stderr; our runtime by way of
 * LD_LIBRARY_PATH; the wire as an inherited file.
 *
 * While it runs, SIGINT, SIGTERM, SIGHUP and SIGQUIT do not kill the host: they are passed
 * on (unless the terminal already told the program too), and what was found is kept. A
 * second one kills the program for good.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "base/stuck.h"
#include "find/detect/internal.h"

/* Draining while the program runs costs it CPU: short runs are read when they are over. */
#define DRAIN_EVERY_MS 500

static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define HANDLED_COUNT (sizeof(handled) / sizeof(handled[0]))

static volatile sig_atomic_t caught_signal, caught_count, caught_from_terminal;

static void on_signal(int number, siginfo_t *info, void *context)
{
	caught_signal = number;
	caught_from_terminal = info->si_code == SI_KERNEL;
	caught_count++;
}

/* What is ignored stays ignored (nohup, background jobs). */
static void take_signals(struct sigaction saved[HANDLED_COUNT])
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	caught_count = 0;
	for (size_t i = 0; i < HANDLED_COUNT; i++) {
		sigaction(handled[i], NULL, &saved[i]);
		if (saved[i].sa_handler != SIG_IGN)
			sigaction(handled[i], &action, NULL);
	}
}

static void give_signals_back(const struct sigaction saved[HANDLED_COUNT])
{
	for (size_t i = 0; i < HANDLED_COUNT; i++)
		sigaction(handled[i], &saved[i], NULL);
}

/* The process to kill may be a child of a script: the one that claimed the wire. */
static void kill_target(const struct wire_host *wire, pid_t pid, int number)
{
	pid_t owner = (pid_t)__atomic_load_n(&wire->header->claimed_pid, __ATOMIC_ACQUIRE);

	if (owner > 0 && owner != pid)
		kill(owner, number);
	kill(pid, number);
}

/* Returns the count of signals dealt with. */
static int pass_on(struct launch *launch, const struct wire_host *wire, pid_t pid, int dealt)
{
	if (caught_count == dealt)
		return dealt;
	launch->interrupted = true;
	if (dealt)
		kill_target(wire, pid, SIGKILL);
	else if (!caught_from_terminal)
		kill_target(wire, pid, caught_signal);
	return caught_count;
}

static int watch(struct launch *launch, const struct wire_host *wire, struct drain *drain, pid_t pid)
{
	uint64_t start = monotonic_ms();
	struct stuck stuck = { 0 };
	int dealt = 0, result = 0;

	while (!spawn_wait(pid, DRAIN_EVERY_MS, &launch->status)) {
		dealt = pass_on(launch, wire, pid, dealt);
		if (!launch->deadlocked && stuck_look(&stuck, pid)) {
			launch->deadlocked = true;
			kill_target(wire, pid, SIGKILL);
		}
		if (launch->timeout_ms && !launch->timed_out && monotonic_ms() - start >= launch->timeout_ms) {
			launch->timed_out = true;
			kill_target(wire, pid, SIGKILL);
		}
		if (!result && drain_step(drain)) {
			result = -1;
			kill_target(wire, pid, SIGKILL);
		}
	}
	pass_on(launch, wire, pid, dealt);
	return result;
}

int launch_run(struct launch *launch, struct arena *arena, const struct wire_host *wire, struct drain *drain)
{
	struct spawn spawn = SPAWN_INIT;
	int null = -1;
	struct sigaction saved[HANDLED_COUNT];
	pid_t pid;
	int result;

	spawn.path = launch->program->path;
	spawn.argv = launch->program->argv;
	spawn.envp = target_environment(launch->program, arena, launch->runtime, wire_env(arena, wire, -1));
	spawn.cwd = launch->program->cwd;
	if (launch->mute)
		spawn.out = spawn.err = null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	spawn.keep = &wire->fd;
	spawn.keep_count = 1;
	if (!spawn.envp)
		return -1;
	take_signals(saved);
	result = spawn_start(&spawn, &pid);
	if (!result)
		result = watch(launch, wire, drain, pid);
	give_signals_back(saved);
	if (null >= 0)
		close(null);
	return result;
}
