/*
 * pair - the RaceFuzzer part of Algorithm 1 (lines 6 to 22) and Algorithm 2.
 *
 * The plan names sites (return addresses of instrumented calls); a thread that stands
 * before one has announced address, size and kind, and `side` >= 0.
 *
 * I1  A hit is recorded only when both threads stand parked before their accesses, the
 *     bytes overlap, one writes and not both are atomic: never a guess (DESIGN 1).
 * I2  The postponed ones do not race with each other (the paper's observation): whoever
 *     races on arrival is resolved at once.
 * I3  Everybody in R is executed, one statement each, before anything else is decided.
 *
 * Fairness (the paper's monitor thread, in steps instead of seconds): a postponed thread
 * is let go after FAIR_TURNS statements of the others, or earlier when the others obviously
 * wait for it: after FAIR_QUIET that only looked or FAIR_REPEATED that locked and unlocked
 * without any sign of progress (turn.c). FAIR_TURNS must be larger than any stretch of
 * honest work after which the other side still arrives: the paper's figure 2 is held to
 * 100,000 statements, that is 200,000 lock and unlock operations; twice that. At 0.2 to 3 us
 * a turn it costs a trial at most a second. Each time a thread was let go that way the
 * bound for it is quartered: a site that is passed again and again for nothing (a clock tick of a server,
 * beside threads that are always busy) costs hardly more than one FAIR_TURNS in all, not one a tick. FAIR_QUIET: a
 * spin with back-off passes some hundred quiet statements in good faith. FAIR_REPEATED is for work
 * whose only counter is in memory we do not look at; 20,000 turns are a few milliseconds.
 *
 * Two variations, chosen by the host for some of the trials (flags of the plan). The paper's
 * Racing lets two threads at the *same* statement of the pair race too; with many writers and
 * one reader the writers then resolve among themselves before the reader is even there.
 * WIRE_STRICT counts side a against side b only. And who lost the coin stays postponed, in the
 * paper, until nobody else can run: then nothing happens between the two accesses and what
 * follows them. WIRE_LET_GO sets all of a meeting free once it is resolved. It also lets the
 * same thread go again and again when all are postponed (a random order of the threads, one
 * per trial): two loops that overlap only in one's first and the other's last round meet in
 * every second trial then; with a coin each time they would in one of two to the rounds.
 * Where one side comes by often and the other seldom (a walk over a list against one insertion),
 * the host tries which side to let go (WIRE_FAVOUR_A, _B) and stays with what meets most: the walk
 * then goes on to the element where the other waits.
 *
 * WIRE_SIDE_POINT sites (accesses of other candidates) are plain scheduling points, fewer and
 * fewer of them after POINTS_MAX: a hot loop over one must not eat the step budget.
 */
#include <signal.h>
#include <sys/syscall.h>

#include "rt/plain/plain.h"
#include "rt/sched/turn.h"

#define FAIR_TURNS 400000u
#define FAIR_QUIET 1000u
#define FAIR_REPEATED 20000u
#define QUARTERINGS_MAX 4u /* 1,562 statements: still time for others to come */
#define POINTS_MAX 20000u

/* Open addressing, at most half full; pc 0 is free. */
static struct {
	struct pair_site { uintptr_t pc; int side; } *slot;
	uint32_t size;
	bool missing; /* sites in modules that are not loaded yet */
} sites;

/* For a gdb script of `replay --gdb`: who stands where, by kernel thread id. */
uint32_t deadheat_hit_thread_a, deadheat_hit_thread_b;

static uint32_t slot_of(uintptr_t pc)
{
	return (uint32_t)(pc * 0x9e3779b97f4a7c15ull >> 40) & (sites.size - 1);
}

static void site_insert(uintptr_t pc, int side)
{
	uint32_t i = slot_of(pc);

	while (sites.slot[i].pc && sites.slot[i].pc != pc)
		i = (i + 1) & (sites.size - 1);
	if (sites.slot[i].pc && sites.slot[i].side != side)
		side = WIRE_SIDE_BOTH;
	sites.slot[i] = (struct pair_site){ pc, side };
}

static bool sites_reserve(uint32_t count)
{
	uint32_t size = 64;

	while (size < 2 * count)
		size *= 2;
	if (size > sites.size) {
		sites.slot = rt_arena(size * sizeof(*sites.slot));
		sites.size = sites.slot ? size : 0;
	}
	for (uint32_t i = 0; i < sites.size; i++)
		sites.slot[i].pc = 0;
	return sites.size;
}

static void sites_resolve(void)
{
	const struct wire_plan_site *site = rt_plan_sites();

	sites.missing = false;
	for (uint32_t i = 0; i < rt_plan->site_count; i++) {
		uintptr_t pc = rt_plan_address(site[i].module, site[i].offset);

		if (!pc) {
			sites.missing = true;
		} else if (site[i].side == WIRE_SIDE_GATE_A || site[i].side == WIRE_SIDE_GATE_B) {
			site_insert(pc, (int)site[i].side);
		} else if (site[i].side <= WIRE_SIDE_BOTH || site[i].side == WIRE_SIDE_POINT) {
			rt_patch_restore(pc);
			site_insert(pc, (int)site[i].side);
		}
	}
}

void pair_start(void)
{
	if (!sites_reserve(rt_plan->site_count)) {
		rt_count_add(WIRE_LOST_SITES, rt_plan->site_count);
		return;
	}
	gate_start();
	sites_resolve();
	plain_start();
}

/* A library has come or gone: the loader's breakpoint says so (rt/plain). */
void pair_modules_changed(void)
{
	if (sites.size)
		sites_resolve();
}

static int site_find(uintptr_t pc)
{
	for (uint32_t i = slot_of(pc); sites.slot[i].pc; i = (i + 1) & (sites.size - 1))
		if (sites.slot[i].pc == pc)
			return sites.slot[i].side;
	return -1;
}

/* Sites in a library that dlopen has brought since: its code is the first to tell. */
static RT_NOINLINE void look_for_missing(uintptr_t pc)
{
	if (!rt_is_text(pc))
		rt_modules_refresh();
	sites_resolve();
}

int pair_side(uintptr_t pc)
{
	if (unlikely(sites.missing))
		look_for_missing(pc);
	return sites.size ? site_find(pc) : -1;
}

/* ---- Algorithm 2 ------------------------------------------------------------------------ */

static bool sides_may_race(int a, int b)
{
	return a != b || a == WIRE_SIDE_BOTH || !(rt_plan->flags & WIRE_STRICT);
}

/* A compare and exchange that would fail now only reads. */
static unsigned flags_now(const struct sched_thread *thread)
{
	return rt_flags_now(thread->rt, (const void *)thread->address, thread->size, thread->flags);
}

static bool is_racing(const struct sched_thread *a, const struct sched_thread *b)
{
	return a != b && b->postponed && b->side >= 0 && sides_may_race(a->side, b->side) &&
	       access_conflict(a->address, (unsigned)a->size, a->flags, b->address, (unsigned)b->size, b->flags) &&
	       access_conflict(a->address, (unsigned)a->size, flags_now(a), b->address, (unsigned)b->size, flags_now(b));
}

static uint32_t racing(const struct sched_thread *thread, struct sched_thread **out)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < sched.thread_count; i++)
		if (is_racing(thread, sched.threads[i]))
			out[count++] = sched.threads[i];
	return count;
}

/* ---- lines 6 to 22 ---------------------------------------------------------------------- */

void pair_postpone(struct sched_thread *thread)
{
	sched.postponed_count += !thread->postponed;
	thread->postponed = true;
	thread->postponed_since = sched.turns;
	sched.jumps = 0;
}

/* Both stand: under gdb the turn holder stops here, before anything is resolved. */
static void stop_for_gdb(const struct sched_thread *a, const struct sched_thread *b)
{
	deadheat_hit_thread_a = a->rt->tid;
	deadheat_hit_thread_b = b->rt->tid;
	rt_syscall(SYS_tgkill, sched.pid, rt_syscall(SYS_gettid), SIGTRAP);
}

static void let_go(struct sched_thread *thread)
{
	if (rt_plan->flags & WIRE_LET_GO) {
		sched.postponed_count -= thread->postponed;
		thread->postponed = false;
		thread->let_go = true;
	}
}

static bool have_met; /* a trial is a process of its own: never reset */

bool pair_has_met(void)
{
	return have_met;
}

static struct sched_thread *resolve(struct sched_thread *thread, uint32_t count)
{
	uint32_t postponed_first;

	have_met = true;
	for (uint32_t i = 0; i < count; i++)
		step_record(thread, STEP_HIT, thread->op, 0, sched.racing[i]->ordinal, thread->pc);
	if (rt_plan->flags & WIRE_STOP_AT_HIT)
		stop_for_gdb(thread, sched.racing[0]);
	postponed_first = sched_choose(OP_RESOLVE, 2);
	for (uint32_t i = 0; i < count; i++)
		report_hit(thread, sched.racing[i], postponed_first);
	for (uint32_t i = 0; i < count && !postponed_first; i++)
		let_go(sched.racing[i]);
	if (!postponed_first)
		return thread;
	pair_postpone(thread);
	let_go(thread);
	sched.forced_next = 1;
	sched.forced_count = count;
	return sched.racing[0];
}

struct sched_thread *pair_meet(struct sched_thread *thread)
{
	uint32_t count;

	if (thread->let_go)
		return thread;
	count = racing(thread, sched.racing);
	if (count)
		return resolve(thread, count);
	pair_postpone(thread);
	gate_open(thread->side);
	return NULL;
}

/* From an atomic section: it may meet somebody, but neither waits nor lets others go first. */
void pair_pass(struct sched_thread *thread)
{
	uint32_t count;

	if (!sched.directed || thread->side < 0)
		return;
	count = racing(thread, sched.list); /* the rest of an R may still wait in sched.racing */
	for (uint32_t i = 0; i < count; i++) {
		step_record(thread, STEP_HIT, thread->op, 0, sched.list[i]->ordinal, thread->pc);
		report_hit(thread, sched.list[i], 0);
	}
	if (report_pending)
		report_went(thread);
	step_record(thread, STEP_ACCESS, thread->op, 0, (uint32_t)thread->side, thread->pc);
}

/* ---- letting go --------------------------------------------------------------------------- */

static uint64_t favour(const struct sched_thread *thread)
{
	uint64_t h = (rt_plan->seed ^ thread->ordinal * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;

	return (h ^ h >> 32) * 0xc4ceb9fe1a85ec53ull;
}

static bool is_favoured(const struct sched_thread *thread)
{
	if (thread->side == WIRE_SIDE_A)
		return rt_plan->flags & WIRE_FAVOUR_A;
	return thread->side == WIRE_SIDE_B && (rt_plan->flags & WIRE_FAVOUR_B);
}

static bool goes_before(const struct sched_thread *a, const struct sched_thread *b)
{
	return is_favoured(a) != is_favoured(b) ? is_favoured(a) : favour(a) > favour(b);
}

static uint32_t choose_release(uint32_t count)
{
	uint32_t value = 0;

	if (!(rt_plan->flags & WIRE_LET_GO) || count == 1)
		return sched_choose(OP_RELEASE, count);
	for (uint32_t i = 1; i < count; i++)
		if (goes_before(sched.list[i], sched.list[value]))
			value = i;
	if (sched.replay)
		replay_choice(OP_RELEASE, count, &value);
	return step_choice(sched.current, OP_RELEASE, value);
}

/* A postponed timed operation whose time has come can go on, too: as a time-out. */
static bool may_go(struct sched_thread *thread)
{
	return thread->alive && thread->postponed && (turn_is_ready(thread) || turn_is_expired(thread));
}

struct sched_thread *pair_release(void)
{
	uint32_t count = 0;

	if (sched.directed && !have_met)
		gate_learn();
	for (uint32_t i = 0; i < sched.thread_count; i++) {
		struct sched_thread *thread = sched.threads[i];

		if (may_go(thread))
			sched.list[count++] = thread;
	}
	return sched.list[choose_release(count)];
}

static struct sched_thread *oldest_postponed(void)
{
	struct sched_thread *oldest = NULL;

	for (uint32_t i = 0; i < sched.thread_count; i++) {
		struct sched_thread *thread = sched.threads[i];

		if (may_go(thread) &&
		    (!oldest || thread->postponed_since < oldest->postponed_since))
			oldest = thread;
	}
	return oldest;
}

static bool is_overdue(const struct sched_thread *thread)
{
	uint64_t bound = rt_plan->fairness ? rt_plan->fairness : FAIR_TURNS;
	unsigned quarterings = thread->overdue < QUARTERINGS_MAX ? thread->overdue : QUARTERINGS_MAX;

	return sched.turns - thread->postponed_since > bound >> 2 * quarterings || sched.quiet > FAIR_QUIET ||
	       sched.repeated > FAIR_REPEATED;
}

/* A recorded choice: what tells spinning from work is not made of ordinals. */
struct sched_thread *pair_overdue(void)
{
	struct sched_thread *thread = oldest_postponed();
	uint32_t ordinal;

	if (sched.replay && replay_overdue(&ordinal))
		thread = sched_thread_at(ordinal);
	else if (!thread || replay_is_exact() || !is_overdue(thread))
		return NULL;
	if (!thread || !thread->postponed)
		return NULL;
	thread->overdue++;
	sched.quiet = sched.repeated = 0;
	step_choice(thread, OP_RELEASE, thread->ordinal);
	return thread;
}

/* ---- announcing ----------------------------------------------------------------------------- */

static enum wire_op op_of(unsigned flags)
{
	if (flags & ACCESS_ATOMIC)
		return OP_ATOMIC;
	if (flags & ACCESS_FREE)
		return OP_FREE;
	return OP_ACCESS;
}

static void announce(struct sched_thread *self, const void *address, size_t size, unsigned flags, uintptr_t pc,
		     int side)
{
	struct sched_object *object = flags & ACCESS_ATOMIC ? sched_object(address, OBJECT_PLAIN) : NULL;

	self->address = (uintptr_t)address;
	self->size = size;
	self->flags = flags;
	self->side = side;
	sched_step(op_of(flags), object, pc, NULL, NULL);
	self->side = -1;
}

/*
 * The first POINTS_MAX visits of point sites are points, then every second, every fourth ...:
 * a hot loop over one costs its logarithm, and a thread that spins there is still heard.
 */
static bool is_point_now(void)
{
	static uint64_t visits;
	uint64_t stride = 1;

	visits++;
	while (visits / stride > 2 * POINTS_MAX)
		stride *= 2;
	return visits % stride == 0;
}

/*
 * Visits of the pair's sites after the first meeting; then they are left alone for the rest
 * of the trial. A pair in a hot loop would else switch threads a million times to show again
 * what it has shown.
 */
#define MET_VISITS_MAX 20000u

/* A point site is on no side: -1; -2: nothing of ours. */
static int side_now(uintptr_t pc)
{
	static uint32_t visits;
	int side = sched.directed ? pair_side(pc) : -2;

	if (side < 0 || side == WIRE_SIDE_GATE_A || side == WIRE_SIDE_GATE_B)
		return -2;
	if (side == WIRE_SIDE_POINT)
		return is_point_now() ? -1 : -2;
	return !have_met || visits++ < MET_VISITS_MAX ? side : -2;
}

void rt_turn_access(const void *address, size_t size, unsigned flags, uintptr_t pc)
{
	struct sched_thread *self = sched_self();
	int side;

	if (!self || !size || self->rt->depth)
		return;
	side = side_now(pc);
	if (side >= -1 || (flags & ACCESS_ATOMIC))
		announce(self, address, size, flags, pc, side < 0 ? -1 : side);
	else if (flags & ACCESS_VOLATILE)
		rt_point(OP_VOLATILE, address, pc);
	if (flags & ACCESS_FREE)
		sched_objects_forget(address, size);
}
