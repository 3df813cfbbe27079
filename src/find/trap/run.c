/*
 * run - start the program with rt/trace in it, put int3s, read what came of them.
 *
 * The budget is a share of the time of the program: the CPU time it uses, or that of the clock where this
 * is more (on a busy machine a stalled thread would mostly have waited for a core). Handlers take what
 * they used from it, stalls included, by the clock. What is executed often is only given an int3 while there is budget left for its
 * stall and for RESERVE more: those are for code that comes by rarely, whose int3s are waiting already.
 *
 * The program does not die with us; when we end first, nothing stays patched.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "find/preload.h"
#include "find/sample/run.h"
#include "find/trap/internal.h"

#define TICK_MS 5
#define RESERVE 3       /* stalls */
#define SAVED_MOST 12   /* stalls: an idle night does not allow for a stormy morning */
#define CPU_EVERY_MS 20
#define LIVE_MOST 32u   /* armed at one tick */

struct trapping {
	const struct trap_options *options;
	struct tracer tracer;
	struct trap_plan *plan;
	struct tables tables;
	struct processes processes;
	struct teller teller;
	struct trap_result *result;
	uint64_t began, next_cpu, cpu_ms, last_fresh;
	bool looking, ended;
};

static int no_chunk(void *context, const struct trace_chunk *chunk)
{
	return 0;
}

static void write_plan(struct trapping *t)
{
	const struct trap_options *o = t->options;

	t->plan->version = TRAP_VERSION;
	t->plan->mode = o->mode;
	t->plan->limit_ns = o->limit_us * 1000;
	t->plan->stall_ns = o->stall_us * 1000;
	t->plan->no_perf = o->no_watch;
}

static int open_all(struct trapping *t, const struct trap_options *options, struct sym *sym, const struct find_sink *sink,
		    struct trap_result *result)
{
	struct tracer_options how = { .mode = TRACE_TRAP, .plan_size = PLAN_BYTES, .chunk_count = 1024 };

	*t = (struct trapping){ .options = options, .result = result, .tracer.fd = -1, .began = monotonic_ms() };
	if (tracer_open(&t->tracer, &how))
		return -1;
	t->plan = tracer_plan(&t->tracer);
	t->tracer.header->active = !options->delay_ms;
	write_plan(t);
	site_tables_open(&t->tables, t->plan, t->tracer.plan_size);
	t->processes = (struct processes){
		.tables = &t->tables, .header = t->tracer.header, .sink = *sink,
		.random = options->seed * 0x9e3779b97f4a7c15ull + 0x1234567,
	};
	t->teller = (struct teller){
		.tables = &t->tables, .processes = &t->processes, .sym = sym, .sink = sink, .result = result,
	};
	t->last_fresh = t->next_cpu = t->began;
	return 0;
}

static void close_all(struct trapping *t)
{
	tell_end(&t->teller);
	processes_free(&t->processes);
	site_tables_close(&t->tables);
	tracer_close(&t->tracer);
}

/* ---- one tick ------------------------------------------------------------------------------------------- */

static void hand_out_budget(struct trapping *t, uint64_t now)
{
	int64_t most = (int64_t)(SAVED_MOST * t->plan->stall_ns), have;
	uint64_t cpu, past;

	if (now < t->next_cpu)
		return;
	past = now + CPU_EVERY_MS - t->next_cpu;
	t->next_cpu = now + CPU_EVERY_MS;
	cpu = processes_cpu_ms(&t->processes);
	if (cpu > t->cpu_ms + past)
		past = cpu - t->cpu_ms;
	__atomic_fetch_add(&t->plan->tokens_ns, (int64_t)(past * t->options->budget_ppm), __ATOMIC_RELAXED);
	t->cpu_ms = cpu;
	have = __atomic_load_n(&t->plan->tokens_ns, __ATOMIC_RELAXED);
	if (have > most)
		__atomic_fetch_sub(&t->plan->tokens_ns, have - most, __ATOMIC_RELAXED);
}

static unsigned fresh_now(struct trapping *t, uint64_t now)
{
	uint64_t due = (now - t->last_fresh) * t->options->rate / 1000;

	if (due)
		t->last_fresh = now;
	return due > 100000 ? 100000 : (unsigned)due;
}

static unsigned live_now(const struct trapping *t)
{
	int64_t have = __atomic_load_n(&t->plan->tokens_ns, __ATOMIC_RELAXED);
	int64_t one = (int64_t)(t->options->mode == TRAP_CLOCK ? 50000 : t->plan->stall_ns);
	int64_t count = have / one - (t->options->mode == TRAP_CLOCK ? 0 : RESERVE);

	return count <= 0 ? 0 : count > (int64_t)LIVE_MOST ? LIVE_MOST : (unsigned)count;
}

static void read_hits(struct trapping *t)
{
	for (uint32_t i = 0; i < TRAP_HITS; i++) {
		struct trap_hit *hit = &t->plan->hits[i];

		if (!__atomic_load_n(&hit->ready, __ATOMIC_ACQUIRE))
			continue;
		processes_hit(&t->processes, hit);
		__atomic_store_n(&hit->ready, 0, __ATOMIC_RELEASE);
	}
}

static int read_finds(struct trapping *t)
{
	for (uint32_t i = 0; i < TRAP_FINDS; i++) {
		struct trap_find *find = &t->plan->finds[i];

		if (!__atomic_load_n(&find->ready, __ATOMIC_ACQUIRE))
			continue;
		if (tell_find(&t->teller, find))
			return -1;
		__atomic_store_n(&find->ready, 0, __ATOMIC_RELEASE);
	}
	return 0;
}

static void window(struct trapping *t, uint64_t now)
{
	const struct trap_options *o = t->options;
	uint64_t past = now - t->began;
	bool wanted = past >= o->delay_ms && (!o->duration_ms || past < o->delay_ms + o->duration_ms);

	if (wanted != t->looking) {
		__atomic_store_n(&t->tracer.header->active, wanted, __ATOMIC_RELAXED);
		if (!wanted)
			processes_restore(&t->processes);
	}
	t->looking = wanted;
}

static int tick(struct trapping *t)
{
	uint64_t now = monotonic_ms();

	processes_look(&t->processes, now);
	window(t, now);
	hand_out_budget(t, now);
	read_hits(t);
	if (read_finds(t))
		return -1;
	if (t->looking)
		processes_arm(&t->processes, now, fresh_now(t, now), live_now(t));
	tracer_drain(&t->tracer, false, no_chunk, NULL);
	return 0;
}

/* ---- the program ---------------------------------------------------------------------------------------------- */

static int watch(struct trapping *t, pid_t pid, struct trap_result *result)
{
	bool ended = false, over = false;
	int dealt = 0;

	/* A program that puts itself into the background goes on in its children. */
	while (!ended || (tracer_running(&t->tracer) && !dealt && !over)) {
		over = run_over(ended ? 0 : pid, t->began, t->options->timeout_ms);
		if (!ended)
			ended = spawn_wait(pid, TICK_MS, &result->exit_status) == 1;
		else
			usleep(TICK_MS * 1000);
		run_pass_on(pid, &dealt);
		if (tick(t))
			return -1;
	}
	processes_restore(&t->processes);
	result->interrupted = dealt;
	return read_finds(t);
}

static int launch(struct trapping *t, const struct program *program, struct arena *arena, struct trap_result *result)
{
	struct spawn spawn = SPAWN_INIT;
	struct run_signals saved;
	pid_t pid;
	int status;

	spawn.path = program->path;
	spawn.argv = program->argv;
	spawn.envp = preload_environment(program, arena, &t->tracer);
	spawn.cwd = program->cwd;
	spawn.outlives = true;
	if (!spawn.envp)
		return -1;
	run_take_signals(&saved);
	status = spawn_start(&spawn, &pid);
	if (!status)
		status = watch(t, pid, result);
	run_give_signals_back(&saved);
	if (!status)
		result->ended = spawn_status_name(arena, result->exit_status);
	return status;
}

static void finish(struct trapping *t, const struct find_sink *sink)
{
	static const char *const names[TRAP_C_COUNT] = {
#define X(symbol, name) [symbol] = name,
		TRAP_COUNTERS(X)
#undef X
	};
	struct trap_result *r = t->result;

	for (int i = 0; i < TRAP_C_COUNT; i++)
		if (t->plan->counters[i] && sink->counter)
			sink->counter(sink->context, names[i], t->plan->counters[i]);
	if (t->teller.outside && sink->counter)
		sink->counter(sink->context, "finds_outside", t->teller.outside);
	if (t->teller.atomics && sink->counter)
		sink->counter(sink->context, "finds_of_atomics", t->teller.atomics);
	r->sites = t->tables.sites;
	r->modules = t->plan->table_count;
	r->processes = t->tracer.header->process_count;
	r->hits = t->plan->counters[TRAP_C_HITS];
	r->stalls = t->plan->counters[TRAP_C_STALLS];
	r->stall_ms = t->plan->counters[TRAP_C_STALL_NS] / 1000000;
	r->cpu_ms = t->cpu_ms;
	r->without_watch = t->plan->counters[TRAP_C_NO_WATCH] > 0;
}

static int check_claim(const struct trapping *t, const struct program *program)
{
	if (t->tracer.header->process_count)
		return 0;
	return error_cannot("%s did not load deadheat's library: is it (or what it starts) static, setuid, or does it clear its "
			    "environment?", program->argv[0]);
}

int trap_run(const struct program *program, const struct trap_options *options, struct sym *sym,
	     const struct find_sink *sink, struct arena *arena, struct trap_result *result)
{
	struct trapping t;
	int status;

	*result = (struct trap_result){ .ended = "not started" };
	if (preload_check(program) || open_all(&t, options, sym, sink, result))
		return -1;
	status = launch(&t, program, arena, result);
	if (!status)
		status = check_claim(&t, program);
	if (!status)
		finish(&t, sink);
	close_all(&t);
	return status;
}
