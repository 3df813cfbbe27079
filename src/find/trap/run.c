/*
 * run - start the program with rt/trace in it, put int3s, read what came of them.
 *
 * The budget is a share of the time of the program: the CPU time it uses, or that of the clock where this
 * is more (on a busy machine a stalled thread would mostly have waited for a core). Handlers take what
 * they used from it, stalls included, by the clock; we take our own CPU time, but for what is done once (decoding a
 * module, telling a find). First int3s take no more than a quarter of the share of the CPU time the program uses (where it is
 * idle, or starved, a tenth of the share of the clock). What is executed often is only given an int3 while there is budget left for its
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
#include "find/inject.h"
#include "find/keeper.h"
#include "find/preload.h"
#include "find/sample/run.h"
#include "find/trap/internal.h"

#define TICK_MS 50      /* at TICK_PPM, where half a stall is handed out then; a larger budget ticks faster */
#define TICK_PPM 10000
#define FRESH_SHARE 4   /* of the budget one part in so many is for first int3s */
#define IDLE_SHARE 10   /* ... of the clock's */
#define IDLE_MS 100     /* ... while the program does nothing */
#define SCAN_MS 1000    /* rings are read up to their ends; what was being written then, so often */
#define RESERVE 3       /* stalls */
#define SAVED_MOST 6   /* stalls: an idle night does not allow for a stormy morning */
#define ARM_NS 3000     /* one byte, by /proc/PID/mem */
#define ARMING_MOST 20000000 /* ns */
#define RUNNING_MS 200
#define WATCH_NS 20000  /* a hit, and now and then a watch */
#define LIVE_MOST 1024u /* armed at one tick */

static int tick_ms(const struct trap_options *options)
{
	uint64_t ms = (uint64_t)TICK_MS * TICK_PPM / options->budget_ppm;

	return ms > TICK_MS ? TICK_MS : ms ? (int)ms : 1;
}

static uint64_t own_cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
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

int trapping_open(struct trapping *t, const struct trap_options *options, struct sym *sym, const struct find_sink *sink,
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
	t->tables.cache = options->cache;
	t->processes = (struct processes){
		.tables = &t->tables, .header = t->tracer.header, .sink = *sink,
		.own_filters = inject_filters(getpid()), .random = options->seed * 0x9e3779b97f4a7c15ull + 0x1234567,
	};
	t->teller = (struct teller){
		.tables = &t->tables, .processes = &t->processes, .sym = sym, .sink = sink, .result = result,
	};
	t->last_fresh = t->last = t->began;
	t->nap_ms = tick_ms(options);
	t->own_ns = own_cpu_ns();
	return 0;
}

void trapping_close(struct trapping *t)
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
	uint64_t past = now - t->last, cpu = processes_cpu_ms(&t->processes), own = own_cpu_ns(), charged;
	uint64_t used = cpu - t->cpu_ms;
	uint64_t busy = used * t->options->budget_ppm / FRESH_SHARE, idle = past * t->options->budget_ppm / IDLE_SHARE; /* ns */

	charged = own - t->own_ns - t->once_ns - t->tables.made_ns;
	t->own_ns = own;
	t->once_ns = t->tables.made_ns = 0;
	t->nap_ms = cpu == t->cpu_ms && !processes_have_fresh(&t->processes) ? IDLE_MS : tick_ms(t->options);
	t->arming_ns += (int64_t)(busy > idle ? busy : idle);
	if (t->arming_ns > ARMING_MOST)
		t->arming_ns = ARMING_MOST;
	if (used > past)
		past = used;
	t->cpu_ms = cpu;
	t->last = now;
	t->plan->counters[TRAP_C_HOST_NS] += charged;
	have = __atomic_add_fetch(&t->plan->tokens_ns, (int64_t)(past * t->options->budget_ppm) - (int64_t)charged, __ATOMIC_RELAXED);
	if (have > most || have < -most) /* nor does one bad moment stop us for long */
		__atomic_fetch_add(&t->plan->tokens_ns, (have > most ? most : -most) - have, __ATOMIC_RELAXED);
}

static unsigned fresh_now(struct trapping *t, uint64_t now)
{
	int64_t tokens = __atomic_load_n(&t->plan->tokens_ns, __ATOMIC_RELAXED);
	int64_t room = (tokens < t->arming_ns ? tokens : t->arming_ns) / ARM_NS;
	uint64_t due = (now - t->last_fresh) * t->options->rate / 1000;

	if (due)
		t->last_fresh = now;
	if (room <= 0 || !processes_have_fresh(&t->processes))
		return 0;
	due = due > (uint64_t)room ? (uint64_t)room : due;
	t->arming_ns -= (int64_t)due * ARM_NS;
	return (unsigned)due;
}

static unsigned live_now(const struct trapping *t)
{
	int64_t have = __atomic_load_n(&t->plan->tokens_ns, __ATOMIC_RELAXED);
	int64_t one = (int64_t)(t->options->mode == TRAP_CLOCK ? WATCH_NS : t->plan->stall_ns);
	int64_t count = have / one - (t->options->mode == TRAP_CLOCK ? 0 : RESERVE);

	return count <= 0 ? 0 : count > (int64_t)LIVE_MOST ? LIVE_MOST : (unsigned)count;
}

static void read_hit(struct trapping *t, uint32_t n)
{
	struct trap_hit *hit = &t->plan->hits[n % TRAP_HITS];

	if (!__atomic_load_n(&hit->ready, __ATOMIC_ACQUIRE))
		return;
	processes_hit(&t->processes, hit);
	__atomic_store_n(&hit->ready, 0, __ATOMIC_RELEASE);
}

static int read_find(struct trapping *t, uint32_t n)
{
	struct trap_find *find = &t->plan->finds[n % TRAP_FINDS];
	uint64_t began;
	int status;

	if (!__atomic_load_n(&find->ready, __ATOMIC_ACQUIRE))
		return 0;
	began = own_cpu_ns();
	status = tell_find(&t->teller, find);
	__atomic_store_n(&find->ready, 0, __ATOMIC_RELEASE);
	t->once_ns += own_cpu_ns() - began;
	return status;
}

/* From where we were to where they are; whole rings now and then. */
static int read_rings(struct trapping *t, uint64_t now, bool all)
{
	uint32_t hits = __atomic_load_n(&t->plan->hit_next, __ATOMIC_RELAXED);
	uint32_t finds = __atomic_load_n(&t->plan->find_next, __ATOMIC_RELAXED);

	if (all || now >= t->next_scan || hits - t->hit_read > TRAP_HITS)
		t->hit_read = hits - TRAP_HITS;
	if (all || now >= t->next_scan || finds - t->find_read > TRAP_FINDS)
		t->find_read = finds - TRAP_FINDS;
	if (now >= t->next_scan)
		t->next_scan = now + SCAN_MS;
	for (; t->hit_read != hits; t->hit_read++)
		read_hit(t, t->hit_read);
	for (; t->find_read != finds; t->find_read++)
		if (read_find(t, t->find_read))
			return -1;
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
	t->over = o->duration_ms && past >= o->delay_ms + o->duration_ms;
}

int trapping_tick(struct trapping *t)
{
	uint64_t now = monotonic_ms();

	processes_look(&t->processes, now);
	window(t, now);
	hand_out_budget(t, now);
	if (read_rings(t, now, false))
		return -1;
	if (t->looking)
		processes_arm(&t->processes, now, fresh_now(t, now), live_now(t));
	return 0;
}

int trapping_stop(struct trapping *t)
{
	t->looking = false;
	__atomic_store_n(&t->tracer.header->active, 0, __ATOMIC_RELAXED);
	processes_restore(&t->processes);
	return read_rings(t, monotonic_ms(), true);
}

/* ---- the program ---------------------------------------------------------------------------------------------- */

static int watch(struct trapping *t, pid_t pid, struct trap_result *result)
{
	bool ended = false, running = true, over = false;
	uint64_t next_running = 0;
	int dealt = 0;

	/* A program that puts itself into the background goes on in its children. */
	while (!ended || (running && !dealt && !over)) {
		over = run_over(ended ? 0 : pid, t->began, t->options->timeout_ms);
		if (!ended)
			ended = spawn_wait(pid, t->nap_ms, &result->exit_status) == 1;
		else
			usleep((useconds_t)t->nap_ms * 1000);
		if (ended && t->last >= next_running) {
			running = tracer_running(&t->tracer);
			next_running = t->last + RUNNING_MS;
		}
		run_pass_on(pid, &dealt);
		if (trapping_tick(t))
			return -1;
	}
	result->interrupted = dealt;
	return trapping_stop(t);
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
	t->keeper = keeper_start(restore_undo, &(struct restore){ .tracer = &t->tracer, .plan = t->plan });
	t->own_ns = own_cpu_ns();
	run_take_signals(&saved);
	status = spawn_start(&spawn, &pid);
	if (!status)
		status = watch(t, pid, result);
	keeper_end(t->keeper);
	run_give_signals_back(&saved);
	if (!status)
		result->ended = spawn_status_name(arena, result->exit_status);
	return status;
}

void trapping_finish(struct trapping *t, const struct find_sink *sink)
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
	if (t->tables.cached && sink->counter)
		sink->counter(sink->context, "tables_from_cache", t->tables.cached);
	r->sites = t->tables.sites;
	r->modules = t->plan->table_count;
	r->processes = t->tracer.header->process_count;
	r->hits = t->plan->counters[TRAP_C_HITS];
	r->stalls = t->plan->counters[TRAP_C_STALLS];
	r->stall_ms = t->plan->counters[TRAP_C_STALL_NS] / 1000000;
	r->cpu_ms = t->cpu_ms;
	r->host_ms = t->plan->counters[TRAP_C_HOST_NS] / 1000000;
	r->time_ms = monotonic_ms() - t->began;
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
	if (preload_check(program) || trapping_open(&t, options, sym, sink, result))
		return -1;
	status = launch(&t, program, arena, result);
	if (!status)
		status = check_claim(&t, program);
	if (!status)
		trapping_finish(&t, sink);
	trapping_close(&t);
	return status;
}
