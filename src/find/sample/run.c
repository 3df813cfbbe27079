/*
 * run - start the program with rt/trace in it and write what comes to the log.
 *
 * The program does not die with us: it is production's, not ours. SIGINT, SIGTERM, SIGHUP and
 * SIGQUIT are passed on to it (unless the terminal already did) and what was seen is kept.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"
#include "find/inject.h"
#include "find/keeper.h"
#include "find/preload.h"
#include "find/sample/internal.h"
#include "find/sample/run.h"

/*
 * At 30 MB/s of records (conditions signalled all the time) the pool of 16 MiB lasts half a second;
 * a program that says little is looked at less often, to cost less.
 */
#define DRAIN_MOST_MS 200
#define DRAIN_LEAST_MS 10

static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define HANDLED_COUNT (sizeof(handled) / sizeof(handled[0]))
static volatile sig_atomic_t caught_signal, caught_count, caught_from_terminal;

static void on_signal(int number, siginfo_t *info, void *context)
{
	caught_signal = number;
	caught_from_terminal = info->si_code == SI_KERNEL;
	caught_count++;
}

void run_take_signals(struct run_signals *saved)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	caught_count = 0;
	for (size_t i = 0; i < HANDLED_COUNT; i++) {
		sigaction(handled[i], NULL, &saved->old[i]);
		if (saved->old[i].sa_handler != SIG_IGN)
			sigaction(handled[i], &action, NULL);
	}
}

void run_give_signals_back(const struct run_signals *saved)
{
	for (size_t i = 0; i < HANDLED_COUNT; i++)
		sigaction(handled[i], &saved->old[i], NULL);
}

int run_interrupted(void)
{
	return caught_count;
}

/* ---- the window of time --------------------------------------------------------------------- */

void run_window(struct run *run)
{
	uint64_t past = monotonic_ms() - run->began;
	const struct sample_options *o = run->options;
	uint32_t *active = &run->tracer.header->active;

	if (run->phase == 0 && past >= o->delay_ms) {
		run->phase = 1;
		if (!o->stopped)
			__atomic_store_n(active, 1, __ATOMIC_RELAXED);
	}
	if (run->phase == 1 && o->duration_ms && past >= o->delay_ms + o->duration_ms) {
		run->phase = 2;
		__atomic_store_n(active, 0, __ATOMIC_RELAXED);
	}
}

/* ---- debuggers --------------------------------------------------------------------------------- */

#define LOOK_MS 200

static bool is_debugged(const struct trace_header *header)
{
	uint32_t count = __atomic_load_n(&header->process_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count && i < TRACE_PROCESSES; i++)
		if (__atomic_load_n(&header->processes[i].state, __ATOMIC_ACQUIRE) == TRACE_PROCESS_RUNNING &&
		    inject_status((pid_t)header->processes[i].pid, (pid_t)header->processes[i].pid, "TracerPid:", 10))
			return true;
	return false;
}

void run_look(struct run *run)
{
	struct trace_header *header = run->tracer.header;
	uint64_t now = monotonic_ms();
	bool debugged;

	if (run->options->no_steps || now < run->next_look)
		return;
	run->next_look = now + LOOK_MS;
	debugged = is_debugged(header);
	if (debugged && !run->debugged)
		run->sink->note(run->sink->context, "a debugger is attached: no single steps while it is");
	run->debugged = debugged;
	__atomic_store_n(&header->flags, debugged ? TRACE_NO_STEPS : 0, __ATOMIC_RELAXED);
}

/* ---- draining ---------------------------------------------------------------------------------- */

static int take(void *context, const struct trace_chunk *chunk)
{
	return log_put_chunk(context, chunk);
}

int run_drain(struct run *run, bool all)
{
	long taken = tracer_drain(&run->tracer, all, take, &run->writer);

	if (taken < 0)
		return -1;
	if ((size_t)taken > run->tracer.count / 8)
		run->nap_ms = run->nap_ms / 2 > DRAIN_LEAST_MS ? run->nap_ms / 2 : DRAIN_LEAST_MS;
	else if ((size_t)taken < run->tracer.count / 32)
		run->nap_ms = run->nap_ms * 2 < DRAIN_MOST_MS ? run->nap_ms * 2 : DRAIN_MOST_MS;
	return 0;
}

int run_open(struct run *run, const struct sample_options *options, const struct find_sink *sink)
{
	struct trace_header *h;

	*run = (struct run){ .options = options, .sink = sink, .tracer.fd = -1, .writer.fd = -1 };
	if (tracer_open(&run->tracer, &(struct tracer_options){ .mode = TRACE_SAMPLE }))
		return -1;
	h = run->tracer.header;
	h->budget_ppm = options->budget_ppm;
	h->period_ns = options->period_us * 1000;
	h->signal = (uint32_t)options->signal;
	h->toggle_signal = (uint32_t)options->toggle;
	h->sampler = options->no_pmu ? TRACE_SAMPLER_TIMER : TRACE_SAMPLER_NONE;
	h->flags = options->no_steps ? TRACE_NO_STEPS : 0;
	h->seed = options->seed ? options->seed : 1;
	h->active = !options->delay_ms && !options->stopped;
	run->began = monotonic_ms();
	run->nap_ms = DRAIN_LEAST_MS;
	return log_create(&run->writer, options->log);
}

static uint64_t children_cpu_ms(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

/* The last chunks, the counters; then the whole log is read. */
int run_finish(struct run *run, struct sym *sym, const struct find_sink *sink, struct arena *arena,
	       struct sample_result *result)
{
	struct trace_header *h = run->tracer.header;
	struct log_run end = { .cpu_ms = run->cpu_ms, .sampler = h->sampler, .attached = run->attached };
	uint64_t counters[TRACE_COUNTER_COUNT];
	struct log log;
	int status;

	memcpy(counters, h->counters, sizeof(counters));
	if (run_drain(run, true) || log_put(&run->writer, LOG_COUNTERS, counters, sizeof(counters)) ||
	    log_put(&run->writer, LOG_PROCESSES, h->processes, sizeof(h->processes)) ||
	    log_put(&run->writer, LOG_RUN, &end, sizeof(end)) || log_flush(&run->writer))
		return -1;
	if (log_map(&log, run->writer.fd, run->options->log ? run->options->log : "the log"))
		return -1;
	status = log_analyse(&log, sym, sink, arena, result);
	log_close(&log);
	return status;
}

void run_close(struct run *run)
{
	tracer_close(&run->tracer);
	log_done(&run->writer);
}

/* ---- a program of our own ------------------------------------------------------------------------ */

void run_pass_on(pid_t pid, int *dealt)
{
	if (caught_count == *dealt)
		return;
	*dealt = caught_count;
	if (!caught_from_terminal)
		kill(pid, caught_signal);
}

bool run_over(pid_t pid, uint64_t began, uint64_t timeout_ms)
{
	if (!timeout_ms || monotonic_ms() - began < timeout_ms)
		return false;
	if (pid)
		kill(pid, SIGKILL);
	return true;
}

static int watch(struct run *run, pid_t pid, struct sample_result *result)
{
	bool ended = false, over = false;
	int dealt = 0;

	/* A program that puts itself into the background goes on in its children. */
	while (!ended || (tracer_running(&run->tracer) && !dealt && !over)) {
		over = run_over(ended ? 0 : pid, run->began, run->options->timeout_ms);
		if (!ended)
			ended = spawn_wait(pid, run->nap_ms, &result->exit_status) == 1;
		else
			usleep((useconds_t)run->nap_ms * 1000);
		run_pass_on(pid, &dealt);
		run_window(run);
		run_look(run);
		if (run_drain(run, false))
			return -1;
	}
	result->interrupted = dealt;
	return 0;
}

/* Should we be killed, nobody reads: it looks no more. */
static void undo(const void *context)
{
	__atomic_store_n(&((const struct run *)context)->tracer.header->active, 0, __ATOMIC_SEQ_CST);
}

static int launch(struct run *run, const struct program *program, struct arena *arena, struct sample_result *result)
{
	struct spawn spawn = SPAWN_INIT;
	uint64_t cpu = children_cpu_ms();
	struct run_signals saved;
	struct keeper *keeper;
	pid_t pid;
	int status;

	spawn.path = program->path;
	spawn.argv = program->argv;
	spawn.envp = preload_environment(program, arena, &run->tracer);
	spawn.cwd = program->cwd;
	spawn.outlives = true;
	if (!spawn.envp)
		return -1;
	keeper = keeper_start(undo, run);
	run_take_signals(&saved);
	status = spawn_start(&spawn, &pid);
	if (!status)
		status = watch(run, pid, result);
	keeper_end(keeper);
	run_give_signals_back(&saved);
	run->cpu_ms = children_cpu_ms() - cpu;
	if (!status)
		result->ended = spawn_status_name(arena, result->exit_status);
	return status;
}

/* Nobody mapped it: the loader did not take us in. */
static int check_claim(const struct run *run, const struct program *program)
{
	if (run->tracer.header->process_count)
		return 0;
	return error_cannot("%s did not load deadheat's library: is it (or what it starts) static, setuid, or does it clear its environment?",
			    program->argv[0]);
}

int sample_run(const struct program *program, const struct sample_options *options, struct sym *sym,
	       const struct find_sink *sink, struct arena *arena, struct sample_result *result)
{
	struct run run;
	int status;

	*result = (struct sample_result){ .ended = "not started", .sampler = "none" };
	if (preload_check(program))
		return -1;
	status = run_open(&run, options, sink);
	if (!status)
		status = launch(&run, program, arena, result);
	if (!status)
		status = check_claim(&run, program);
	if (!status)
		status = run_finish(&run, sym, sink, arena, result);
	run_close(&run);
	return status;
}

int sample_read(const char *path, struct sym *sym, const struct find_sink *sink, struct arena *arena,
		struct sample_result *result)
{
	struct log log;
	int status;

	*result = (struct sample_result){ .ended = "read", .sampler = "none" };
	if (log_open(&log, path))
		return -1;
	status = log_analyse(&log, sym, sink, arena, result);
	log_close(&log);
	return status;
}
