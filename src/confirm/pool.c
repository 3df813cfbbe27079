/*
 * pool - J fork servers, one poll loop, trials counted in order.
 *
 * Servers live as long as the context: the plan is rewritten between trials, so the next
 * candidate does not pay for loading the program again. Trials may end in any order; they
 * are handed to the job by index, so that where a search stops, and what it stores, is the
 * same for every --jobs. What runs beyond the stop is ended and forgotten.
 *
 * We are the subreaper of what trials leave behind (daemons, forked helpers): it is ended
 * after the trial. Ctrl-C and SIGTERM end the loop; every trial finished by then counts.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "base/tty.h"
#include "confirm/internal.h"

#define TICK_MS 100
#define KILLS 3

static volatile sig_atomic_t interrupted;
static struct sigaction old_int, old_term;

bool pool_interrupted(void)
{
	return interrupted;
}

static void on_signal(int number)
{
	interrupted = number;
}

static unsigned catchers;

void signals_catch(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	if (catchers++)
		return;
	interrupted = 0;
	sigaction(SIGINT, &action, &old_int);
	sigaction(SIGTERM, &action, &old_term);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void signals_release(void)
{
	if (--catchers)
		return;
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* ---- processes left behind ----------------------------------------------------------- */

static bool is_server(const struct confirm_pool *pool, pid_t pid)
{
	for (unsigned i = 0; i < pool->count; i++)
		if (pool->servers[i].pid == pid)
			return true;
	return false;
}

static void end_strays(struct confirm_pool *pool)
{
	char path[64];
	FILE *children;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	children = fopen(path, "re");
	if (!children)
		return;
	while (fscanf(children, "%d", &pid) == 1) {
		if (is_server(pool, pid))
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		pool->strays++;
	}
	fclose(children);
}

/* ---- cores ----------------------------------------------------------------------------- */

/* The i-th of the cores we may use, round and round. */
static int core_of(unsigned i)
{
	cpu_set_t allowed;
	unsigned count, seen = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	count = (unsigned)CPU_COUNT(&allowed);
	for (int core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET(core, &allowed) && seen++ == i % count)
			return core;
	return -1;
}

static unsigned jobs_wanted(const struct confirm_options *options)
{
	cpu_set_t allowed;

	if (options->jobs)
		return options->jobs;
	return sched_getaffinity(0, sizeof(allowed), &allowed) ? 1 : (unsigned)CPU_COUNT(&allowed);
}

/* ---- one run of a job -------------------------------------------------------------------- */

struct run {
	struct confirm_context *context;
	const struct pool_job *job;
	unsigned next;              /* first index not yet started */
	unsigned settled;           /* indices below are counted */
	VEC(struct trial *) ended;  /* not yet counted */
	struct {
		unsigned index;
		bool second;        /* its second run, with the highest step limit */
		bool other;         /* by the job's other plan */
		unsigned kills;     /* runs of it that somebody else ended by SIGKILL */
	} *slot;                    /* what each server runs */
	bool hangs;                 /* a hang was seen to be one: the next needs no second run */
	uint64_t longest;           /* steps of a trial that ended by itself */
	bool stop;
	int result;
	uint64_t started;
};

static const struct reference *compared(const struct confirm_context *context)
{
	return context->options.compare_output && context->pool->have_reference ? &context->pool->reference : NULL;
}

/* Past the first limit again, and only the clock ended it: that is a hang too. */
static void judge_second(struct run *run, unsigned at, struct trial *trial)
{
	if (!run->slot[at].second)
		return;
	if (!strcmp(trial->ending.outcome, "watchdog") && trial->steps >= plan_step_limit(run->context, false))
		trial->ending.outcome = judge_word("hang");
	run->hangs |= !strcmp(trial->ending.outcome, "hang");
}

static void take_trial(struct run *run, unsigned at)
{
	struct confirm_pool *pool = run->context->pool;
	struct trial *trial = malloc(sizeof(*trial));

	if (!trial)
		BUG("out of memory");
	*trial = (struct trial)TRIAL_INIT;
	trial->index = run->slot[at].index;
	trial->other = run->slot[at].other;
	trial->seed = run->job->seed + trial->index;
	trial_read(trial, &pool->servers[at], &pool->meetings, run->context->sym, compared(run->context));
	if (trial->ending.normal && trial->steps > run->longest)
		run->longest = trial->steps;
	judge_second(run, at, trial);
	pool->blind |= !strcmp(trial->ending.outcome, "watchdog");
	if (run->job->keeps && run->job->keeps(run->job->context, trial))
		trial_keep(trial, &pool->servers[at]);
	if (trial->children)
		end_strays(pool);
	VEC_PUSH(&run->ended, trial);
}

static struct trial *take_settled(struct run *run)
{
	for (size_t i = 0; i < run->ended.count; i++) {
		struct trial *trial = run->ended.items[i];

		if (trial->index != run->settled)
			continue;
		run->ended.items[i] = run->ended.items[--run->ended.count];
		return trial;
	}
	return NULL;
}

static void forget(struct trial *trial)
{
	trial_free(trial);
	free(trial);
}

static void settle(struct run *run)
{
	struct trial *trial;
	int r;

	while (!run->stop && (trial = take_settled(run))) {
		run->settled++;
		r = run->job->finished(run->job->context, trial);
		forget(trial);
		if (r) {
			run->stop = true;
			run->result = r < 0 ? -1 : 0;
		}
	}
}

/* The automatic limit also follows what other trials needed. */
static uint64_t limit_of(const struct run *run, unsigned at, uint64_t planned)
{
	uint64_t needed = run->longest * 10;

	if (run->slot[at].second)
		planned = plan_step_limit(run->context, true);
	return run->context->options.step_limit || planned > needed ? planned : needed;
}

static unsigned letter_every(const struct pool_job *job)
{
	return job->letter_every ? job->letter_every : 2;
}

static int start_index(struct run *run, unsigned at, unsigned index, bool second)
{
	const struct pool_job *job = run->job;
	bool other = job->other && (index % letter_every(job) || run->context->pool->blind);
	struct wire_plan_parts parts = other ? *job->other : job->parts;
	struct server *server = &run->context->pool->servers[at];

	if (server->state == SERVER_DOWN && server_start(server, run->context, server->core))
		return -1;
	run->slot[at].index = index;
	run->slot[at].second = second;
	run->slot[at].other = other;
	parts.plan.seed = job->seed + index;
	parts.plan.step_limit = limit_of(run, at, parts.plan.step_limit);
	if (job->plan && job->plan(job->context, index, &parts))
		return -1;
	return server_run(server, run->context, &parts);
}

static int start_trial(struct run *run, unsigned at)
{
	run->slot[at].kills = 0;
	return start_index(run, at, run->next++, false);
}

/* Until one hang was seen to be one, with five times the steps (plan_step_limit). */
static bool wants_second_run(const struct run *run, unsigned at)
{
	const struct server *server = &run->context->pool->servers[at];
	struct wire_cursor cursor = { 0 };
	const struct wire_record *record;

	if (run->slot[at].second || run->hangs || run->context->options.step_limit || !run->context->pool->length)
		return false;
	while ((record = wire_next(&server->wire, &cursor)))
		if (record->type == WIRE_EV_END)
			return ((const struct wire_ev_end *)record)->how == WIRE_END_HANG;
	return false;
}

static unsigned start_idle(struct run *run)
{
	struct confirm_pool *pool = run->context->pool;
	unsigned busy = 0;

	for (unsigned i = 0; i < pool->count && !run->stop; i++) {
		if (pool->servers[i].state != SERVER_BUSY && run->next < run->job->count && start_trial(run, i)) {
			run->stop = true;
			run->result = -1;
		}
		busy += pool->servers[i].state == SERVER_BUSY;
	}
	return busy;
}

/* The whole server is gone: by our deadline, or the trial took its parent with it. */
static void bury(struct run *run, unsigned at)
{
	struct server *server = &run->context->pool->servers[at];
	int core = server->core;

	server->status = SIGKILL;
	take_trial(run, at);
	server_stop(server);
	server->core = core;
}

/*
 * SIGKILL, and not by us: the kernel was out of memory, or somebody killed the wrong process.
 * That says nothing about the schedule, so it is tried again; three times in a row it is the
 * program's own doing.
 */
static bool was_killed(struct run *run, unsigned at, bool whole_server)
{
	const struct server *server = &run->context->pool->servers[at];

	if (server->killed || (whole_server ? monotonic_ms() >= server->deadline
					    : !WIFSIGNALED(server->status) || WTERMSIG(server->status) != SIGKILL))
		return false;
	return ++run->slot[at].kills < KILLS && !interrupted;
}

/* 1 the trial runs again. */
static bool run_again(struct run *run, unsigned at, bool whole_server)
{
	struct server *server = &run->context->pool->servers[at];
	int core = server->core;

	if (!was_killed(run, at, whole_server))
		return false;
	if (whole_server) {
		server_stop(server);
		server->core = core;
	}
	return !start_index(run, at, run->slot[at].index, run->slot[at].second);
}

static void serve(struct run *run, unsigned at)
{
	int r = server_event(&run->context->pool->servers[at]);

	if (r && run_again(run, at, r < 0))
		return;
	if (r < 0)
		bury(run, at);
	else if (r > 0 && !(wants_second_run(run, at) && !start_index(run, at, run->slot[at].index, true)))
		take_trial(run, at);
}

static void poll_servers(struct run *run)
{
	struct confirm_pool *pool = run->context->pool;
	struct pollfd ready[pool->count];
	uint64_t now;

	for (unsigned i = 0; i < pool->count; i++) {
		bool busy = pool->servers[i].state == SERVER_BUSY;

		ready[i] = (struct pollfd){ .fd = busy ? pool->servers[i].control : -1, .events = POLLIN };
	}
	if (poll(ready, pool->count, TICK_MS) < 0)
		return;
	now = monotonic_ms();
	for (unsigned i = 0; i < pool->count; i++) {
		if (ready[i].revents)
			serve(run, i);
		else
			server_tick(&pool->servers[i], now);
	}
}

static void show_progress(const struct run *run)
{
	double seconds = (double)(monotonic_ms() - run->started) / 1000 + 1e-3;
	double rate = run->settled / seconds;
	unsigned left = run->job->count - run->settled, hits;

	hits = run->job->hits ? run->job->hits(run->job->context) : 0;
	progress_show("%s: %u of %u trials, %u hit%s, %.0f/s, at most %.0f s left", run->job->title, run->settled,
		      run->job->count, hits, hits == 1 ? "" : "s", rate, rate > 0 ? left / rate : 0.0);
}

static void clean_up(struct run *run)
{
	struct confirm_pool *pool = run->context->pool;

	for (unsigned i = 0; i < pool->count; i++)
		server_cancel(&pool->servers[i]);
	for (size_t i = 0; i < run->ended.count; i++)
		forget(run->ended.items[i]);
	VEC_FREE(&run->ended);
	free(run->slot);
	progress_clear();
}

int pool_run(struct confirm_context *context, const struct pool_job *job)
{
	struct run run = { .context = context, .job = job, .next = job->first, .settled = job->first, .started = monotonic_ms() };

	run.slot = calloc(context->pool->count, sizeof(*run.slot));
	if (!run.slot)
		BUG("out of memory");
	while (!run.stop && !interrupted && start_idle(&run)) {
		poll_servers(&run);
		settle(&run);
		show_progress(&run);
		if (context->tick)
			context->tick(context);
	}
	clean_up(&run);
	if (interrupted && !run.result)
		return error("interrupted: the %u trials finished by then are kept", run.settled);
	return run.result;
}

/* ---- lifetime --------------------------------------------------------------------------------- */

static int start_servers(struct confirm_context *context)
{
	struct confirm_pool *pool = context->pool;

	pool->count = jobs_wanted(&context->options);
	pool->servers = calloc(pool->count, sizeof(*pool->servers));
	if (!pool->servers)
		BUG("out of memory");
	for (unsigned i = 0; i < pool->count; i++)
		pool->servers[i] = (struct server){ .core = core_of(context->options.first_core + i), .control = -1, .input = -1, .output = -1,
						    .wire = { .fd = -1 } };
	/* The first at once, to hear of trouble; the others when there is work for them. */
	return server_start(&pool->servers[0], context, pool->servers[0].core);
}

int pool_open(struct confirm_context *context)
{
	if (context->pool)
		return 0;
	context->pool = calloc(1, sizeof(*context->pool));
	if (!context->pool)
		BUG("out of memory");
	context->pool->reference.output = (struct strbuf)STRBUF_INIT;
	signals_catch();
	return start_servers(context);
}

void pool_close(struct confirm_context *context)
{
	struct confirm_pool *pool = context->pool;

	if (!pool)
		return;
	for (unsigned i = 0; i < pool->count; i++)
		server_stop(&pool->servers[i]);
	end_strays(pool);
	signals_release();
	reference_free(&pool->reference);
	meetings_free(&pool->meetings);
	for (size_t i = 0; i < pool->module_ids.count; i++)
		free(pool->module_ids.items[i].module);
	VEC_FREE(&pool->module_ids);
	VEC_FREE(&pool->orders);
	free(pool->servers);
	free(pool);
	context->pool = NULL;
}
