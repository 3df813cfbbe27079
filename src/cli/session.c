/* session - see session.h. */
#include "cli/session.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/internal.h"

struct trial_options trial_options = {
	.trials = 100, .seed = 1, .policy = "pair", .fill = "random", .depth = 3,
};

static int remember_program(struct session *session)
{
	struct program *p = &session->program;
	struct store_program row = {
		.path = p->path, .build_id = p->build_id, .cwd = p->cwd, .argv = p->argv, .envp = p->envp,
	};

	if (store_put_program(session->store, &row))
		return -1;
	session->program_id = row.id;
	return 0;
}

/* A remembered program may have been rebuilt since: its build-id is read anew. */
static int recall_program(struct session *session, int64_t id)
{
	struct store_program row;
	struct program *p = &session->program;
	int found = store_get_program(session->store, &session->arena, id, &row);

	if (found < 0)
		return -1;
	if (!found)
		return error_usage("%s remembers no program: name one, -- PROG [ARG...]", cli_store_shown());
	*p = (struct program){ .path = row.path, .argv = row.argv, .envp = row.envp, .cwd = row.cwd };
	if (access(p->path, X_OK))
		return error_cannot("%s, the program %s remembers, is not there any more: name one, -- PROG [ARG...]",
				    p->path, cli_store_shown());
	if (sym_build_id(p->path, p->build_id))
		p->build_id[0] = 0;
	return 0;
}

static int find_program(struct session *session, char **argv, int64_t id)
{
	if (!argv || !argv[0])
		return recall_program(session, id);
	return program_from_argv(&session->program, &session->arena, argv);
}

/* Without instrumentation too: then its instructions are the sites (find/plain/plain.h). */
static int require(struct session *session)
{
	return target_require(&session->program, &session->is_plain);
}

int session_open(struct session *session, const char *stage, char **argv, int64_t program)
{
	bool named = argv && argv[0];

	*session = (struct session){ .arena = ARENA_INIT, .is_named = named };
	/* A program that cannot run must not leave an empty store behind. */
	if (named && (find_program(session, argv, 0) || require(session)))
		return -1;
	session->store = store_open(cli_store, named);
	if (!session->store || cli_use_suppressions(session->store))
		return -1;
	if (!named && (find_program(session, NULL, program) || require(session)))
		return -1;
	session->sym = sym_open();
	if (remember_program(session))
		return -1;
	return store_begin_run(session->store, stage, session->program_id, &session->run);
}

static void say_note(const char *line)
{
	cli_say("%s", line);
}

int session_confirm(struct session *session)
{
	const struct trial_options *o = &trial_options;
	struct confirm_options *c = &session->confirm.options;

	if (o->stdin_file && access(o->stdin_file, R_OK))
		return error_usage("--stdin: cannot read %s", o->stdin_file);
	session->confirm = (struct confirm_context){
		.store = session->store, .sym = session->sym, .program = &session->program,
		.program_id = session->program_id, .run = session->run, .options = confirm_defaults,
		.note = say_note, .plain = session->is_plain ? plain_open() : NULL,
	};
	c->trials = (unsigned)o->trials;
	c->jobs = (unsigned)o->jobs;
	c->seed = o->seed;
	c->policy = o->policy;
	c->fill = o->fill;
	c->depth = (unsigned)o->depth;
	c->step_limit = o->steps;
	c->wall_auto = !o->wall_ms;
	if (o->wall_ms)
		c->wall_ms = o->wall_ms;
	c->exhaust = o->exhaust;
	c->compare_output = o->compare_output;
	c->spurious = o->spurious;
	c->pin = !o->no_pin;
	c->shrink = !o->no_shrink;
	c->show_output = o->show_output;
	c->stdin_file = o->stdin_file;
	return 0;
}

void session_close(struct session *session, const char *ended)
{
	confirm_close(&session->confirm);
	plain_close(session->confirm.plain);
	if (session->store && session->run)
		store_end_run(session->store, session->run, ended);
	if (session->sym)
		sym_close(session->sym);
	store_close(session->store);
	arena_free(&session->arena);
}
