/*
 * place - stores for unit tests, on either engine: with TEST_POSTGRESQL=FOLDER (of a server's
 * socket, tests/store/engines.t) each is a database there, else a folder.
 */
#ifndef TESTS_UNIT_PLACE_H
#define TESTS_UNIT_PLACE_H

#include "base/error.h"
#include "findings.h"
#include "unit.h"

/* Folder or database of this name; a database is made when it is asked for the first time. */
static inline const char *place(const char *name)
{
	static char url[512], made[64][32];
	static int count;
	const char *server = getenv("TEST_POSTGRESQL");
	char command[700];
	int i;

	if (!server)
		return unit_path(name);
	snprintf(url, sizeof(url), "postgresql://deadheat@/u_%s?host=%s", name, server);
	for (i = 0; i < count; i++)
		if (!strcmp(made[i], name))
			return url;
	snprintf(command, sizeof(command), "psql -h %s -U deadheat -d template1 -XAtqc 'CREATE DATABASE u_%s STRATEGY file_copy'",
		 server, name);
	if (system(command))
		fail_msg("%s", command);
	snprintf(made[count++], sizeof(made[0]), "%s", name);
	return url;
}

static inline void only_a_folder(void)
{
	if (getenv("TEST_POSTGRESQL"))
		skip();
}

static inline struct store *fresh(const char *name)
{
	struct store *store = store_open(place(name), true);

	if (!store)
		fail_msg("%s", error_message());
	return store;
}

static inline int64_t begin(struct store *store, int64_t *program)
{
	struct store_program p = { .path = "/w/counter", .build_id = BUILD, .cwd = "/w",
				   .argv = (char *[]){ "counter", "a b", "tab\there", "", NULL },
				   .envp = (char *[]){ "HOME=/root", "X=back\\slash\nline", NULL } };
	int64_t run;

	assert_int_equal(store_put_program(store, &p), 0);
	assert_int_equal(store_begin_run(store, "test", p.id, &run), 0);
	*program = p.id;
	return run;
}

#endif
