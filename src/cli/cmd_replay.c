/*
 * cmd_replay - the schedule of a finding again; --verify step by step, --gdb to look at it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/session.h"

static bool verify, under_gdb;
static uint64_t times = 1;

static int say_result(const char *id, const struct replay_result *result, uint64_t repeated)
{
	if (result->difference) {
		printf("%s differs at %s\n", id, result->difference);
		printf("it ended with %s, recorded %s\n", result->outcome, result->recorded);
		return EXIT_OWN_FAILURE;
	}
	if (!result->repeated) {
		printf("%s: every step the same, but it ended with %s, recorded %s\n", id, result->outcome,
		       result->recorded);
		return EXIT_OWN_FAILURE;
	}
	if (times > 1)
		printf("%s repeated %" PRIu64 " times: %s, %" PRIu64 " steps%s, hash %016" PRIx64 "\n", id, repeated,
		       result->outcome, result->steps, verify ? " all the same" : "", result->hash);
	else
		printf("%s repeated: %s, %" PRIu64 " steps%s, hash %016" PRIx64 "\n", id, result->outcome,
		       result->steps, verify ? " all the same" : "", result->hash);
	return EXIT_CLEAN;
}

static int replay(struct session *session, const char *id)
{
	struct replay_result result = { .repeated = true };
	uint64_t n = 0;

	if (session_confirm(session))
		return cli_fail();
	if (under_gdb) {
		confirm_replay_gdb(&session->confirm, id);
		return cli_fail();
	}
	for (; n < times && result.repeated; n++)
		if (confirm_replay(&session->confirm, &session->arena, id, verify, &result))
			return cli_fail();
	return say_result(id, &result, n);
}

/* The full id, and the program its schedule was recorded with. 0 / -1. */
static int resolve(const char *word, char id[CANDIDATE_ID_SIZE], int64_t *program)
{
	struct arena arena = ARENA_INIT;
	struct store *store = store_open(cli_store, false);
	void *schedule;
	size_t size;
	int found = -1;

	if (store)
		found = store_resolve(store, word, id);
	if (!found)
		error_usage("%s is no finding in %s (deadheat list shows them)", word, cli_store_shown());
	if (found > 0) {
		found = store_get_schedule(store, &arena, id, &schedule, &size, program);
		if (!found)
			error_cannot("%s has no schedule yet: deadheat confirm %s", id, id);
	}
	store_close(store);
	arena_free(&arena);
	return found > 0 ? 0 : -1;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct session session;
	char id[CANDIDATE_ID_SIZE];
	int64_t program = 0;
	int status;

	if (!argc) {
		error_usage("replay: which finding? deadheat list shows their ids");
		return cli_fail();
	}
	if (resolve(argv[0], id, &program))
		return cli_fail();
	if (session_open(&session, "replay", argv + 1, program))
		status = cli_fail();
	else
		status = replay(&session, id);
	session_close(&session, status == EXIT_OWN_FAILURE ? "differs" : "exit 0");
	return status;
}

static struct option options[] = {
	{ "verify", 'v', OPTION_FLAG, &verify, NULL, "compare every step while it runs; name the first that differs", NULL, 0, 0 },
	{ "gdb", 'g', OPTION_FLAG, &under_gdb, NULL, "under gdb, stopped where both threads stand before their accesses", NULL, 0, 0 },
	{ "times", 'n', OPTION_NUMBER, &times, "N", "repeat so often, until one differs (default 1)", NULL, 1, 1000000 },
	OPTION_TIMEOUT, OPTION_STEPS, OPTION_SHOW_OUTPUT, OPTION_STDIN, OPTION_STORE, OPTION_QUIET, OPTION_END,
};

const struct command command_replay = {
	.name = "replay",
	.arguments = "ID [-- PROG [ARG...]]",
	.summary = "run the recorded schedule of a finding again",
	.text = "Repeats the schedule kept for a race, deadlock or failure, and says whether it went the same\n"
		"way and ended the same: exit status 0, else 1. A schedule belongs to one build of the program;\n"
		"another build-id is refused. With --gdb, `info threads` shows both threads where they meet;\n"
		"`continue` goes on.",
	.options = options,
	.run = run,
};
