/*
 * reference - what the program ends as when nobody disturbs it, and what then is harm.
 *
 * The plain program (runtime nop) is run once with the trials' input. If that ends with
 * exit 0 it is all we need. If not, it may be that the race shows by itself, so it is run
 * up to RUNS times, and the pool adds a few undirected trials: a program that can end well
 * is measured by that.
 *
 * Harm is a bad ending which the undisturbed program does not have:
 *   exit 0            never
 *   watchdog          never: our clock ended it, perhaps we were not fair to it
 *   hang              not if an undirected trial does not end within its steps either
 *   what it also has  only if it can end better: exit 0, or any exit instead of a crash
 *   anything else     yes
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "base/stuck.h"
#include "confirm/internal.h"

#define RUNS 3

static bool is_exit(const char *outcome)
{
	return !strncmp(outcome, "exit ", 5);
}

bool reference_harm(const struct reference *reference, const char *outcome)
{
	if (!strcmp(outcome, "exit 0") || !strcmp(outcome, "watchdog"))
		return false;
	if (reference->endless && !strcmp(outcome, "hang"))
		return false;
	if (reference->good)
		return true;
	if (!is_exit(outcome) && reference->normal)
		return true;
	for (size_t i = 0; i < reference->outcomes.count; i++)
		if (!strcmp(reference->outcomes.items[i], outcome))
			return false;
	return true;
}

void reference_add(struct reference *reference, const struct ending *ending)
{
	VEC_PUSH(&reference->outcomes, ending->outcome);
	reference->normal |= ending->normal;
	reference->good |= !strcmp(ending->outcome, "exit 0");
}

void reference_free(struct reference *reference)
{
	VEC_FREE(&reference->outcomes);
	strbuf_release(&reference->output);
	*reference = (struct reference){ .output = STRBUF_INIT };
}

#define LOOK_MS 250

/* 1 it ended by itself; 0 not in its time, or it never will (*deadlocked). */
static int wait_for(pid_t pid, uint64_t wall_ms, int *status, bool *deadlocked)
{
	uint64_t end = monotonic_ms() + wall_ms;
	struct stuck stuck = { 0 };

	*deadlocked = false;
	for (;;) {
		uint64_t now = monotonic_ms();

		if (spawn_wait(pid, now + LOOK_MS < end ? LOOK_MS : now < end ? (int)(end - now) : 0, status))
			return 1;
		*deadlocked = stuck_look(&stuck, pid);
		if (*deadlocked || now >= end || pool_interrupted())
			return 0;
	}
}

/* One undisturbed run; *killed: its time was over, or it deadlocked by itself. */
static int run_plain(const struct confirm_context *context, struct server *files, int *status, bool *killed,
		     bool *deadlocked)
{
	struct arena arena = ARENA_INIT;
	const struct program *program = context->program;
	struct spawn spawn = {
		.path = program->path, .argv = program->argv, .cwd = program->cwd, .in = files->input,
		.out = files->output, .err = files->output, .own_group = true,
		.envp = target_environment(program, &arena, "nop", NULL),
	};
	pid_t pid;
	int result = spawn.envp ? spawn_start(&spawn, &pid) : -1;

	arena_free(&arena);
	if (result)
		return -1;
	*killed = !wait_for(pid, context->options.wall_ms, status, deadlocked);
	kill(-pid, SIGKILL); /* and whatever it left behind */
	while (*killed && !spawn_wait(pid, -1, status))
		;
	return 0;
}

static int take_one(struct confirm_context *context, struct reference *reference, struct server *files)
{
	struct strbuf output = STRBUF_INIT;
	struct ending ending;
	uint64_t began = monotonic_ms(), took;
	bool killed, deadlocked;
	int status;

	lseek(files->input, 0, SEEK_SET);
	if (ftruncate(files->output, 0))
		return error("cannot empty the file of the program's output: %s", strerror(errno));
	if (run_plain(context, files, &status, &killed, &deadlocked))
		return -1;
	took = monotonic_ms() - began;
	reference->took_ms = took > reference->took_ms ? took : reference->took_ms;
	server_output(files, &output);
	judge_ending(&ending, NULL, NULL, status, killed, output.buf);
	if (deadlocked)
		ending.outcome = judge_word("deadlock");
	if (!reference->outcomes.count)
		strbuf_add(&reference->output, output.buf, output.len);
	reference_add(reference, &ending);
	strbuf_release(&output);
	return 0;
}

int reference_take(struct confirm_context *context, struct reference *reference)
{
	struct server files = { .input = server_input(&context->options), .output = -1 };
	int result = -1;

	if (files.input < 0)
		return -1;
	files.output = server_output_file();
	if (files.output < 0)
		goto out;
	result = 0;
	for (int i = 0; i < RUNS && !result && !reference->good && !pool_interrupted(); i++)
		result = take_one(context, reference, &files);
	close(files.output);
out:
	close(files.input);
	return result;
}
