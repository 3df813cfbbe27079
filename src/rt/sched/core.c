/*
 * core - the trial: its state, its beginning and its end.
 *
 *   rt_turn_start   constructor: the fork server loops here; each child leaves with a plan
 *   sched_trial_begin   plan -> state; the main thread has the turn
 *   rt_turn_exit, sched_end   exactly one END record, then nobody is scheduled any more
 *
 * I1  sched.running is true exactly between begin and END; sched_self() is NULL otherwise,
 *     so every model falls back to the real function.
 * I2  END is written once, by whoever has the turn (or by the watchdog, which has stopped
 *     caring about turns).
 */
#include <sys/syscall.h>

#include "rt/plain/plain.h"
#include "rt/sched/turn.h"

struct sched_core sched;
uint64_t sched_step_count;

/* Steps after which a trial without a limit of its own is called a hang: minutes of switching. */
#define STEP_LIMIT_DEFAULT 20000000u

const struct sched_policy *const sched_policies[] = {
	[WIRE_POLICY_PAIR] = &sched_policy_random,
	[WIRE_POLICY_RANDOM] = &sched_policy_random,
	[WIRE_POLICY_PCT] = &sched_policy_pct,
	[WIRE_POLICY_POS] = &sched_policy_pos,
	[WIRE_POLICY_SURW] = &sched_policy_surw,
	[WIRE_POLICY_REPLAY] = &sched_policy_random,
};

/* splitmix64: every seed, also 0 and neighbours, gives an unrelated stream. */
uint64_t sched_random(void)
{
	uint64_t z = sched.random += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Multiply-shift; its bias is below 2^-32 times the bound. */
uint32_t sched_random_below(uint32_t bound)
{
	return (uint32_t)((sched_random() >> 32) * bound >> 32);
}

struct sched_thread *sched_self(void)
{
	struct rt_thread *rt = rt_self_tls;
	struct sched_thread *self;

	if (unlikely(!sched.running || !rt || !rt_wire))
		return NULL;
	self = rt->turn;
	if (unlikely(!self || !self->alive))
		return NULL;
	if (unlikely(__atomic_load_n(&self->taken, __ATOMIC_RELAXED)))
		rescue_rejoin(self);
	return self;
}

static bool thread_tables_grow(void)
{
	uint32_t size = sched.thread_size ? sched.thread_size * 2 : 64;
	struct sched_thread **threads = rt_arena(size * sizeof(*threads));
	struct sched_thread **list = rt_arena(size * sizeof(*list));
	struct sched_thread **racing = rt_arena(size * sizeof(*racing));

	if (!threads || !list || !racing)
		return false;
	for (uint32_t i = 0; i < sched.thread_count; i++)
		threads[i] = sched.threads[i];
	for (uint32_t i = sched.forced_next; i < sched.forced_count; i++)
		racing[i] = sched.racing[i];
	sched.threads = threads;
	sched.list = list;
	sched.racing = racing;
	sched.thread_size = size;
	return true;
}

struct sched_thread *sched_thread_add(struct rt_thread *rt)
{
	struct sched_thread *thread = rt_arena(sizeof(*thread));

	if (!thread || (sched.thread_count == sched.thread_size && !thread_tables_grow())) {
		rt_count(WIRE_LOST_THREADS);
		return NULL;
	}
	thread->rt = rt;
	thread->side = -1;
	thread->alive = true;
	thread->ordinal = sched.thread_count;
	sched.threads[sched.thread_count++] = thread;
	sched.alive_count++;
	rt->turn = thread;
	if (sched.policy->thread_created)
		sched.policy->thread_created(thread);
	return thread;
}

struct sched_thread *sched_thread_at(uint32_t ordinal)
{
	return ordinal < sched.thread_count ? sched.threads[ordinal] : NULL;
}

uint32_t sched_thread_count(void)
{
	return sched.thread_count;
}

static const struct sched_policy *policy_of_plan(void)
{
	uint32_t wanted = rt_plan->policy == WIRE_POLICY_PAIR ? rt_plan->fill_policy : rt_plan->policy;

	return wanted <= WIRE_POLICY_REPLAY ? sched_policies[wanted] : &sched_policy_random;
}

void sched_trial_begin(void)
{
	struct rt_thread *rt = rt_self();
	bool guided = rt_plan->policy == WIRE_POLICY_PAIR || rt_plan->policy == WIRE_POLICY_REPLAY;

	sched.pid = (uint32_t)rt_syscall(SYS_getpid);
	rt->tid = (uint32_t)rt_syscall(SYS_gettid);
	sched.random = rt_plan->seed;
	sched.random = sched_random(); /* seeds are neighbours (host: S, S+1, ...), states must be strangers */
	sched.hash = SCHEDULE_HASH_START;
	sched.step_limit = rt_plan->step_limit ? rt_plan->step_limit : STEP_LIMIT_DEFAULT;
	sched.replay = rt_plan->policy == WIRE_POLICY_REPLAY;
	sched.directed = rt_plan->site_count > 0;
	sched.edges = guided && rt_plan->edge_count;
	sched.policy = policy_of_plan();
	clock_start();
	pin_start();
	replay_start();
	edge_start();
	if (sched.policy->start)
		sched.policy->start();
	sched.current = sched_thread_add(rt);
	sched.running = rt_patch_alone = sched.current != NULL;
}

const bool rt_takes_turns = true;

void rt_turn_start(void)
{
	bool served = rt_plan_flag(WIRE_FORK_SERVER) && rt_control >= 0;

	thread_start();
	verifier_start();
	if (served)
		server_loop();
	else
		pair_start();
	sched_trial_begin();
	thread_start_main();
	if (!served)
		watchdog_start();
}

void rt_turn_fork_child(void)
{
	plain_restore_all();
}

void sched_write_end(enum wire_end how, int code)
{
	struct wire_ev_end *end;

	if (__atomic_exchange_n(&sched.ended, true, __ATOMIC_ACQ_REL))
		return;
	if (report_pending && sched.current)
		report_left(sched.current);
	end = rt_record(sizeof(*end));
	if (!end)
		return;
	end->how = how;
	end->code = code;
	end->steps = sched_step_count;
	end->hash = sched.hash;
	end->switches = sched.switches;
	end->threads = sched.thread_count;
	rt_commit(end, WIRE_EV_END);
}

void rt_turn_exit(int status)
{
	if (!sched.running)
		return;
	sched_write_end(WIRE_END_EXIT, status);
	sched.running = false;
}

/*
 * The program itself did not end: no exit handler of it may run. The status is for people
 * who look at the process; the host reads END.
 */
void sched_end(enum wire_end how, int code)
{
	sched_write_end(how, code);
	rt_wire->state = WIRE_ENDED;
	sched.running = false;
	rt_exit_now(how == WIRE_END_ASSUME ? 0 : 1);
}
