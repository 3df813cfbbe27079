/*
 * hunt_plain - see hunt_plain.h.
 *
 * Three looks, from the cheapest to the most thorough:
 *   trap      a run as it is, with stalls: what it catches has happened
 *   sample    a run as it is: what happens all the time
 *   explore   a few runs in which every memory instruction is told to the
 *             engine of detect (find/plain/all.c), under random schedules: what the first two need
 *             luck for
 * Nobody minds the cost here, unlike in production: half of the time may go into traps.
 */
#include "cli/hunt_plain.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "find/detect/detect.h"
#include "find/sample/sample.h"
#include "find/trap/trap.h"
#include "wire/trap.h"

#define LOOK_MS (20 * 1000)  /* of a program that goes on for longer the beginning is looked at */
#define TRAP_PPM 500000
#define TRAP_RATE 200000     /* first traps a second: all of a small program at once */
#define SAMPLE_PPM 100000
#define EXPLORE_RUNS 6
#define EXPLORE_RUN_MS 10000 /* with a trap at every access a run takes up to a hundred times as long; one that needs more is the last */

struct looking {
	struct session *session;
	struct find_sink sink;
	uint64_t timeout_ms;
	bool interrupted;
	int kept[2];        /* 1 and 2 while the program is mute */
	off_t input;        /* where a file on stdin begins, -1: it is none */
};

/* ---- what the program reads and prints ---------------------------------------------------- */

static void mute(struct looking *l)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (int i = 0; i < 2; i++) {
		l->kept[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);
		dup2(nowhere, i + 1);
	}
	close(nowhere);
	if (l->input >= 0)
		lseek(0, l->input, SEEK_SET);
}

static void unmute(struct looking *l)
{
	for (int i = 0; i < 2; i++) {
		dup2(l->kept[i], i + 1);
		close(l->kept[i]);
	}
}

static void no_note(void *context, const char *line)
{
}

/* ---- the looks -------------------------------------------------------------------------------- */

static int look_by_trap(struct looking *l)
{
	struct session *s = l->session;
	struct trap_options options = {
		.mode = TRAP_DEADHEAT, .budget_ppm = TRAP_PPM, .rate = TRAP_RATE, .limit_us = 15000, .stall_us = 1000,
		.duration_ms = LOOK_MS, .seed = trial_options.seed, .timeout_ms = l->timeout_ms,
	};
	struct trap_result result = { 0 };

	cli_say("%s is not instrumented: looked at from outside; a build by deadheat-cc shows more", s->program.path);
	if (trap_run(&s->program, &options, s->sym, &l->sink, &s->arena, &result))
		return -1;
	l->interrupted = result.interrupted;
	cli_say("trap: %zu caught, %zu suspected, it ended with %s", result.caught, result.suspected, result.ended);
	return 0;
}

static int look_by_sample(struct looking *l)
{
	struct session *s = l->session;
	struct sample_options options = {
		.budget_ppm = SAMPLE_PPM, .duration_ms = LOOK_MS, .seed = trial_options.seed, .timeout_ms = l->timeout_ms,
	};
	struct sample_result result = { 0 };
	int status;

	mute(l);
	status = sample_run(&s->program, &options, s->sym, &l->sink, &s->arena, &result);
	unmute(l);
	l->interrupted = result.interrupted;
	if (!status)
		cli_say("sample: %llu suspected, it ended with %s", (unsigned long long)result.pairs, result.ended);
	return status;
}

/*
 * Bytes that one side touches under a lock prefix are an atomic object, and a plain move of the other side is how
 * atomic loads and stores, and the releases of spin locks, are compiled: nobody's race as far as machine code tells.
 */
static int pass_on(void *context, const struct candidate *candidate)
{
	const struct find_sink *sink = context;

	if ((candidate->access[0].flags | candidate->access[1].flags) & ACCESS_ATOMIC)
		return 0;
	return sink->candidate(sink->context, candidate);
}

static int pass_deadlock(void *context, const struct deadlock *deadlock)
{
	const struct find_sink *sink = context;

	return sink->deadlock(sink->context, deadlock);
}

static void pass_counter(void *context, const char *name, uint64_t value)
{
	const struct find_sink *sink = context;

	sink->counter(sink->context, name, value);
}

static int look_at_all(struct looking *l)
{
	struct find_sink sink = { pass_on, pass_deadlock, pass_counter, no_note, &l->sink };
	struct session *s = l->session;
	struct detect_options options = detect_defaults;
	struct detect_result result = { 0 };

	options.runs = EXPLORE_RUNS;
	options.schedule = "random";
	options.seed = trial_options.seed;
	options.timeout_ms = EXPLORE_RUN_MS;
	options.all_runs = options.mute = options.plain = true;
	if (detect_run(&s->program, &options, s->sym, &sink, &s->arena, &result))
		return -1;
	cli_say("detect: every memory instruction in %u runs under random schedules", result.runs);
	return 0;
}

static off_t input_offset(void)
{
	struct stat st;

	return !fstat(0, &st) && S_ISREG(st.st_mode) ? lseek(0, 0, SEEK_CUR) : -1;
}

int hunt_plain(struct session *session, const struct find_sink *sink, uint64_t timeout_ms)
{
	struct looking l = { .session = session, .sink = *sink, .timeout_ms = timeout_ms, .input = input_offset() };

	if (look_by_trap(&l))
		return -1;
	l.sink.note = no_note; /* said once */
	if (!l.interrupted && look_by_sample(&l))
		return -1;
	return l.interrupted ? 0 : look_at_all(&l);
}
