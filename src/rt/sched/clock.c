/*
 * clock - virtual time.
 *
 * Time moves by a microsecond a statement and a reading (turn.c, tick below), and jumps to
 * the deadline of a timed wait when the scheduler lets it expire (clock_jump): always when
 * nobody else can go, now and then while others can. Every jump is a recorded choice.
 *
 *     virtual 0 = start of the trial;  CLOCK_REALTIME = base_real + virtual, others alike
 *
 * WIRE_PIN makes the bases constants.
 * WIRE_NATIVE_TIME leaves the clocks alone (deadlines stay virtual in length).
 */
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#include "rt/sched/turn.h"

#define SECOND 1000000000ull
#define READ_NS 1000u            /* a reading takes this long */
#define READ_SPIN 1000u          /* readings without a statement: somebody waits for the clock, */
#define READ_SPIN_NS 1000000u    /* so they take this long */
#define PIN_REAL (1700000000ull * SECOND)
#define PIN_MONOTONIC (1000ull * SECOND)
/* One decision in this many lets a timed wait expire although others could go. */
#define JUMP_ONE_IN 32u
/* ... and one in this many of these, if it is one that naps all the time. */
#define NAPPER_ONE_IN 16u

static uint64_t base_real, base_monotonic;
static uint64_t reads, reads_at_step;

static uint64_t real_time(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	rt_syscall(SYS_clock_gettime, clock, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

void clock_start(void)
{
	bool pin = rt_plan_flag(WIRE_PIN);

	base_real = pin ? PIN_REAL : real_time(CLOCK_REALTIME);
	base_monotonic = pin ? PIN_MONOTONIC : real_time(CLOCK_MONOTONIC);
	sched.now = 1;
}

uint64_t sched_now(void)
{
	return sched.now;
}

void sched_advance(uint64_t ns)
{
	sched.now += ns;
}

static uint64_t base_of(int clock)
{
	switch (clock) {
	case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: case CLOCK_TAI: case CLOCK_REALTIME_ALARM:
		return base_real;
	case CLOCK_PROCESS_CPUTIME_ID: case CLOCK_THREAD_CPUTIME_ID:
		return 0;
	default:
		return base_monotonic;
	}
}

/* A time before the trial began is as late as can be: 1, since 0 means no deadline. */
uint64_t sched_deadline_from(const struct timespec *absolute, int clock)
{
	uint64_t ns, base = rt_plan_flag(WIRE_NATIVE_TIME) ? real_time(clock) - sched.now : base_of(clock);

	if (absolute->tv_sec < 0)
		return 1;
	if ((uint64_t)absolute->tv_sec >= UINT64_MAX / SECOND - 1)
		return UINT64_MAX;
	ns = (uint64_t)absolute->tv_sec * SECOND + (uint64_t)absolute->tv_nsec;
	return ns > base ? ns - base : 1;
}

/* The same rest of time on a real clock, for a call that is really made. */
struct timespec sched_real_deadline(const struct timespec *until, int clock, int real_clock)
{
	uint64_t deadline = sched_deadline_from(until, clock);
	uint64_t at = real_time(real_clock) + (deadline > sched.now ? deadline - sched.now : 0);

	return (struct timespec){ (time_t)(at / SECOND), (long)(at % SECOND) };
}

/* ---- letting timed waits expire ---------------------------------------------------------- */

static bool is_timed(const struct sched_thread *thread)
{
	return thread->alive && !thread->outside && thread->deadline_ns > sched.now;
}

/* While others can go: anybody. When nobody can: the earliest, as time would have it. */
static struct sched_thread *choose_timed(bool must)
{
	struct sched_thread *best = NULL;
	uint32_t count = 0;

	for (uint32_t i = 0; i < sched.thread_count; i++) {
		struct sched_thread *thread = sched.threads[i];

		if (!is_timed(thread) || turn_is_ready(thread))
			continue;
		count++;
		if (!best || (must ? thread->deadline_ns < best->deadline_ns : !sched_random_below(count)))
			best = thread;
	}
	return best;
}

struct sched_thread *clock_jump(bool must)
{
	struct sched_thread *thread = NULL;
	uint32_t ordinal;

	if (sched.replay && replay_timeout(&ordinal))
		thread = sched_thread_at(ordinal);
	else if ((must && !replay_is_exact()) || (!sched.replay && !sched_random_below(JUMP_ONE_IN)))
		thread = choose_timed(must);
	if (!thread || (!must && !sched.replay && sched_is_napper(thread) && sched_random_below(NAPPER_ONE_IN)))
		return NULL;
	if (is_timed(thread))
		sched.now = thread->deadline_ns;
	step_choice(thread, OP_TIMEOUT, thread->ordinal);
	return thread;
}

/* ---- the program's clocks ------------------------------------------------------------------ */

/*
 * A loop that does nothing but look at the clock must end: its readings get longer, and
 * every READ_SPIN of them lets the others go.
 */
static uint64_t tick(uintptr_t pc)
{
	if (reads_at_step != sched.turns) {
		reads_at_step = sched.turns;
		reads = 0;
	}
	sched.now += ++reads < READ_SPIN ? READ_NS : READ_SPIN_NS;
	if (reads >= READ_SPIN && reads % READ_SPIN == 0)
		rt_point(OP_YIELD, NULL, pc);
	return sched.now;
}

static bool is_virtual(void)
{
	return sched_self() && !rt_plan_flag(WIRE_NATIVE_TIME);
}

RT_EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
	uint64_t now;

	if (!is_virtual() || clock < 0 || clock > CLOCK_TAI)
		return REAL(clock_gettime)(clock, out);
	now = base_of(clock) + tick(RT_CALLER);
	out->tv_sec = (time_t)(now / SECOND);
	out->tv_nsec = (long)(now % SECOND);
	return 0;
}

RT_EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
	uint64_t now;

	if (!is_virtual())
		return REAL(gettimeofday)(out, zone);
	now = base_real + tick(RT_CALLER);
	if (zone)
		*(struct timezone *)zone = (struct timezone){ 0, 0 };
	out->tv_sec = (time_t)(now / SECOND);
	out->tv_usec = (suseconds_t)(now % SECOND / 1000);
	return 0;
}

RT_EXPORT time_t time(time_t *out)
{
	time_t now;

	if (!is_virtual())
		return REAL(time)(out);
	now = (time_t)((base_real + tick(RT_CALLER)) / SECOND);
	if (out)
		*out = now;
	return now;
}

RT_EXPORT int timespec_get(struct timespec *out, int base)
{
	if (!is_virtual() || base != TIME_UTC)
		return REAL(timespec_get)(out, base);
	clock_gettime(CLOCK_REALTIME, out);
	return base;
}

RT_EXPORT clock_t clock(void)
{
	return is_virtual() ? (clock_t)(tick(RT_CALLER) / (SECOND / CLOCKS_PER_SEC)) : REAL(clock)();
}
