/*
 * gdb - a replay under gdb, stopped where both threads stand before their accesses.
 *
 * No fork server: gdb starts the program itself, with the scheduler runtime and the wire in
 * its environment (set for the program only, gdb keeps its own libraries). The runtime raises
 * SIGTRAP at the meeting; each thread is parked with its frames intact, so `info threads`,
 * `thread 2`, `up` and `print` work as always. `continue` goes on with the schedule.
 *
 * In a program that is not instrumented the sites are traps of ours; for gdb's sake (which never lets SIGTRAP
 * through unharmed) they come as SIGILL there (rt/plain/plain.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "confirm/internal.h"

static const char *set_variable(struct arena *arena, const char *name, char *const *envp)
{
	const char *value = env_get(envp, name);

	return value ? arena_printf(arena, "set environment %s %s", name, value)
		     : arena_printf(arena, "unset environment %s", name);
}

/* Where the two stand, as far as the finding knows their functions. */
static void find_functions(struct confirm_context *context, struct arena *arena, const char *id,
			   const char *functions[2])
{
	struct store_findings findings;

	functions[0] = functions[1] = "main";
	if (store_read(context->store, arena, &findings))
		return;
	for (size_t i = 0; i < findings.candidate_count; i++)
		for (int side = 0; side < 2 && !strcmp(findings.candidates[i].id, id); side++)
			functions[side] = findings.candidates[i].access[side].function;
}

static int put_schedule(struct confirm_context *context, struct arena *arena, const char *id, struct wire_host *wire)
{
	struct schedule schedule;
	struct wire_plan_parts parts;
	struct wire_sizes sizes = { .plan = 1 << 20 };

	if (replay_open(context, arena, id, &schedule))
		return -1;
	replay_plan(context, arena, &schedule, false, &parts);
	parts.plan.flags &= ~(uint32_t)WIRE_FORK_SERVER;
	parts.plan.flags |= WIRE_STOP_AT_HIT;
	parts.plan.wall_ms = 0; /* a person is looking at it */
	sizes.plan += schedule.head->step_count * sizeof(struct wire_choice);
	sizes.steps = (schedule.head->step_count + 65536) * sizeof(struct wire_step);
	if (wire_open(wire, WIRE_RT_SCHED, &sizes))
		return -1;
	return server_put_plan(wire, context, &parts);
}

/* gdb's own command line; room is for the program's arguments too. */
static char **command_line(struct confirm_context *context, struct arena *arena, const char *id, char *const *envp)
{
	const struct program *program = context->program;
	const char *functions[2];

	find_functions(context, arena, id, functions);
	const char *fixed[] = {
		"gdb", "-q", "-ex", "set startup-with-shell off", "-ex", "set print thread-events off",
		"-ex", set_variable(arena, "LD_LIBRARY_PATH", envp), "-ex", set_variable(arena, "LD_PRELOAD", envp),
		"-ex", set_variable(arena, WIRE_ENV, envp),
		"-ex", set_variable(arena, "GOMP_SPINCOUNT", envp), "-ex", set_variable(arena, "KMP_BLOCKTIME", envp),
		"-ex", "handle SIG62 nostop noprint pass", /* rt/sched/preempt.c */
		"-ex", arena_printf(arena, "set cwd %s", program->cwd ? program->cwd : "."),
		"-ex", context->plain ? "handle SIGILL nostop noprint pass" : "echo", "-ex", "run",
		"-ex", "info threads",
		"-ex", arena_printf(arena, "thread apply all -s -q frame function %s", functions[0]),
		"-ex", strcmp(functions[0], functions[1])
			       ? arena_printf(arena, "thread apply all -s -q frame function %s", functions[1])
			       : "echo \\n",
		"--args", program->path,
	};
	size_t fixed_count = sizeof(fixed) / sizeof(*fixed), count = 0;
	char **argv;

	while (program->argv[count])
		count++;
	argv = ARENA_ARRAY(arena, char *, fixed_count + count + 1);
	for (size_t i = 0; i < fixed_count; i++)
		argv[i] = arena_strdup(arena, fixed[i]);
	for (size_t i = 1; i < count; i++)
		argv[fixed_count + i - 1] = program->argv[i];
	return argv;
}

int confirm_replay_gdb(struct confirm_context *context, const char *id)
{
	struct arena arena = ARENA_INIT;
	struct wire_host wire = { .fd = -1 };
	char **argv, **envp;

	if (put_schedule(context, &arena, id, &wire))
		return -1;
	envp = target_environment(context->program, &arena, "sched", wire_env(&arena, &wire, -1));
	if (!envp)
		return -1;
	argv = command_line(context, &arena, id, envp);
	fcntl(wire.fd, F_SETFD, 0); /* gdb hands on what it inherited */
	execvp(argv[0], argv);
	return error_cannot("cannot start gdb: %s; install gdb, or replay without --gdb", strerror(errno));
}
