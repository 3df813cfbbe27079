/*
 * sample - for long runs: record only a part of the accesses, and say how many were left out.
 *
 * pacer:R  (PACER, PLDI 2010): the whole program is sampled for a while, then not. Periods are
 *          counted in sync operations and drawn from the seed, so that on average the
 *          fraction R is on. Off, accesses are still checked against what was recorded: a
 *          race is seen with the probability that its first access was sampled.
 * literace (PLDI 2009): each (thread, site) is recorded in bursts, the first wholly, then
 *          every 10th, 100th, 1000th: cold code is seen fully.
 */
#include "rt/detect/internal.h"

#define ON_PERIOD 256u   /* sync operations of an average sampling period */
#define BURSTS 4096u
#define BURST 10u

struct burst {
	uint32_t site;
	uint16_t run;     /* accesses left in this burst */
	uint16_t level;   /* 10^level bursts are left out after one */
	uint32_t rest;    /* accesses left to skip */
};

unsigned sample_kind;

static struct {
	bool paused;
	int64_t left;     /* sync operations until the state flips */
	uint64_t random;
	uint64_t off_mean;
} pacer;

/* Between half and one and a half times the mean. */
static int64_t period(uint64_t mean)
{
	pacer.random = pacer.random * 6364136223846793005ull + 1442695040888963407ull;
	return (int64_t)(mean / 2 + (pacer.random >> 33) % (mean + 1));
}

void sample_start(void)
{
	uint32_t ppm = rt_plan->sample_ppm;

	sample_kind = rt_plan->sample;
	if (sample_kind != WIRE_SAMPLE_PACER)
		return;
	if (!ppm || ppm >= 1000000) {
		sample_kind = WIRE_SAMPLE_ALL;
		return;
	}
	pacer.random = rt_plan->seed * 0x9e3779b97f4a7c15ull + 1;
	pacer.off_mean = (uint64_t)ON_PERIOD * (1000000 - ppm) / ppm;
	period(1);
	pacer.paused = (pacer.random >> 33) % 1000000 >= ppm;
	pacer.left = period(pacer.paused ? pacer.off_mean : ON_PERIOD);
}

void sample_sync(struct detect_thread *t)
{
	(void)t;
	if (likely(sample_kind != WIRE_SAMPLE_PACER))
		return;
	if (__atomic_sub_fetch(&pacer.left, 1, __ATOMIC_RELAXED) != 0)
		return;
	pacer.paused = !pacer.paused;
	__atomic_store_n(&pacer.left, 1 + period(pacer.paused ? pacer.off_mean : ON_PERIOD), __ATOMIC_RELAXED);
}

bool sample_paused(void)
{
	return pacer.paused;
}

static void burst_next(struct burst *burst)
{
	static const uint32_t skip[] = { 0, 9, 99, 999 };

	if (burst->level < 3)
		burst->level++;
	burst->run = BURST;
	burst->rest = skip[burst->level] * BURST;
}

bool sample_skips(struct detect_thread *t, uint32_t site)
{
	struct burst *burst;

	if (!t->bursts && !(t->bursts = rt_arena(BURSTS * sizeof(*t->bursts))))
		return false;
	burst = &t->bursts[site % BURSTS];
	if (burst->site != site)
		*burst = (struct burst){ .site = site, .run = BURST };
	if (burst->rest) {
		burst->rest--;
		t->skipped++;
		return true;
	}
	if (!--burst->run)
		burst_next(burst);
	return false;
}
