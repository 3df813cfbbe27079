/* Starting programs: ends, failures, environments. */
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/spawn.h"

static int run(const char *script, int *status)
{
	char *argv[] = { "sh", "-c", (char *)script, NULL };
	struct spawn spawn = SPAWN_INIT;

	spawn.path = "/bin/sh";
	spawn.argv = argv;
	return spawn_run(&spawn, status);
}

static void ends_have_names(void **state)
{
	struct arena arena = ARENA_INIT;
	int status;

	assert_int_equal(run("exit 3", &status), 0);
	assert_string_equal(spawn_status_name(&arena, status), "exit 3");
	assert_int_equal(spawn_exit_code(status), 3);
	assert_int_equal(run("kill -SEGV $$", &status), 0);
	assert_string_equal(spawn_status_name(&arena, status), "SIGSEGV");
	assert_int_equal(spawn_exit_code(status), 128 + SIGSEGV);
	assert_string_equal(signal_name(SIGABRT), "SIGABRT");
	assert_string_equal(signal_name(SIGRTMIN + 3), "signal 37");
	arena_free(&arena);
}

static void a_program_that_cannot_start_says_why(void **state)
{
	char *argv[] = { "x", NULL };
	struct spawn spawn = SPAWN_INIT;
	pid_t pid;

	spawn.path = "/no/such/program";
	spawn.argv = argv;
	assert_int_equal(spawn_start(&spawn, &pid), -1);
	assert_non_null(strstr(error_message(), "/no/such/program"));
	assert_int_equal(error_status(), 3);
	spawn.path = "/bin/sh";
	spawn.cwd = "/no/such/folder";
	assert_int_equal(spawn_start(&spawn, &pid), -1);
	assert_non_null(strstr(error_message(), "/no/such/folder"));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nothing left behind */
}

static void waiting_has_a_limit(void **state)
{
	char *argv[] = { "sleep", "1000", NULL };
	struct spawn spawn = SPAWN_INIT;
	pid_t pid;
	int status;

	spawn.path = "/bin/sleep";
	spawn.argv = argv;
	assert_int_equal(spawn_start(&spawn, &pid), 0);
	assert_int_equal(spawn_wait(pid, 1, &status), 0);
	kill(pid, SIGKILL);
	assert_int_equal(spawn_wait(pid, -1, &status), 1);
	assert_true(WIFSIGNALED(status));
}

static void files_are_handed_over(void **state)
{
	char *argv[] = { "sh", "-c", "echo there >&$FD; read -r line; [ \"$line\" = hello ]", NULL };
	struct arena arena = ARENA_INIT;
	struct spawn spawn = SPAWN_INIT;
	int in[2], kept[2], status;
	char buffer[16] = "";

	assert_int_equal(pipe2(in, 02000000) | pipe2(kept, 02000000), 0);
	assert_int_equal(write(in[1], "hello\n", 6), 6);
	spawn.path = "/bin/sh";
	spawn.argv = argv;
	spawn.envp = env_set(&arena, (char *[]){ NULL }, "FD", arena_printf(&arena, "%d", kept[1]));
	spawn.in = in[0];
	spawn.keep = &kept[1];
	spawn.keep_count = 1;
	assert_int_equal(spawn_run(&spawn, &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(read(kept[0], buffer, sizeof(buffer)), 6);
	arena_free(&arena);
}

static void environments(void **state)
{
	struct arena arena = ARENA_INIT;
	char *old[] = { "A=1", "AB=2", "C=", NULL };
	char **new = env_set(&arena, old, "A", "9");

	assert_string_equal(env_get(new, "A"), "9");
	assert_string_equal(env_get(new, "AB"), "2");
	assert_string_equal(env_get(new, "C"), "");
	assert_null(env_get(new, "B"));
	assert_string_equal(env_get(old, "A"), "1");
	new = env_set(&arena, new, "AB", NULL);
	assert_null(env_get(new, "AB"));
	assert_null(env_get(env_set(&arena, NULL, "X", NULL), "X"));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_have_names), cmocka_unit_test(a_program_that_cannot_start_says_why),
		cmocka_unit_test(waiting_has_a_limit), cmocka_unit_test(files_are_handed_over),
		cmocka_unit_test(environments),
	};

	return cmocka_run_group_tests(tests, NULL, unit_clean);
}
