/*
 * rescue - the turn is taken from a thread that sleeps in the kernel with it.
 *
 * What can block is modelled; what was forgotten, or cannot be seen (a bare futex in another
 * language's runtime, the loader's lock), would keep the turn for ever. The first two threads
 * that are not outside therefore wake every RESCUE_MS while parked (sooner after each rescue),
 * the others seldom. If no step was made since the last look, the holder is not inside the
 * runtime, the kernel says that it sleeps, and somebody else could go, then it is treated as one
 * that went outside: STEP_WATCHDOG, another is picked, and the holder joins again at its next
 * call of ours. A thread that computes is not touched here: the kernel calls it running, however
 * busy the machine. One that does nothing else for long is preempt.c's.
 *
 *     taken:   0 --rescuer--> 1 --victim, at its next call--> 2 --has the turn again--> 0
 *                    \------- rescuer thinks better of it ---> 0
 *
 * I1  From `taken` on the victim touches nothing of the model before it has the turn again
 *     (sched_self looks). One that had looked just before is running: seen, and let be.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "rt/sched/turn.h"

#define RESCUE_MS 100u
#define SELDOM_MS 900u
/* Who slept, or spun, with the turn does so again: each time the looks come twice as often. */
#define RESCUE_LEAST_MS 2u

enum { TAKEN_NOT, TAKEN_AWAY, TAKEN_BACK };

static uint32_t rescues;

/* Fields of /proc/.../stat: "pid (name) state ...", and the name may hold anything but a NUL. */
static bool says_sleeping(const char *stat, long size)
{
	while (size-- > 2)
		if (stat[size - 2] == ')' && stat[size - 1] == ' ')
			return stat[size] == 'S';
	return false;
}

static void put_number(char **out, uint32_t number)
{
	if (number >= 10)
		put_number(out, number / 10);
	*(*out)++ = (char)('0' + number % 10);
}

bool rescue_is_asleep(const struct sched_thread *thread)
{
	char text[128] = "/proc/self/task/", *end = text + rt_strlen(text);
	long fd, size;

	put_number(&end, thread->rt->tid);
	rt_memcpy(end, "/stat", sizeof("/stat"));
	fd = rt_syscall(SYS_openat, AT_FDCWD, text, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	size = rt_syscall(SYS_read, fd, text, 64); /* the state comes after 16 characters of name at most */
	rt_syscall(SYS_close, fd);
	return says_sleeping(text, size);
}

static bool is_stuck(struct sched_thread *holder, uint64_t turns)
{
	return sched.current == holder && sched.turns == turns && holder->alive && !holder->rt->depth &&
	       !holder->outside && rescue_is_asleep(holder);
}

static bool change(struct sched_thread *thread, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&thread->taken, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Also who came back from outside: the turn was taken from it once, and nobody has decided since. */
static bool somebody_can_go(struct sched_thread *holder)
{
	uint32_t postponed, count;

	holder->outside = true;
	count = turn_gather(&postponed);
	holder->outside = false;
	return count || postponed || sched.timed_count || outside_has_returned();
}

static void put_outside(struct sched_thread *holder)
{
	rescues++;
	holder->ready = NULL;
	holder->deadline_ns = 0;
	holder->outside = true;
	sched.outside_count++;
	rt_count(WIRE_WATCHDOG);
	step_record(holder, STEP_WATCHDOG, holder->op, 0, 0, holder->pc);
}

/* On a parked thread: has the turn been taken, for somebody, now? */
static bool rescue(uint64_t turns)
{
	struct sched_thread *holder = sched.current;

	if (!is_stuck(holder, turns) || !change(holder, TAKEN_NOT, TAKEN_AWAY))
		return false;
	if (!(is_stuck(holder, turns) && somebody_can_go(holder)) && change(holder, TAKEN_AWAY, TAKEN_NOT))
		return false;
	put_outside(holder);
	return true;
}

/* The holder itself, between two points (preempt.c); false: nobody else could go. */
bool rescue_leave(struct sched_thread *self)
{
	if (!somebody_can_go(self))
		return false;
	self->taken = TAKEN_AWAY;
	put_outside(self);
	return true;
}

/* The victim, back from where it slept. */
void rescue_rejoin(struct sched_thread *self)
{
	if (!change(self, TAKEN_AWAY, TAKEN_BACK))
		return;
	__atomic_store_n(&self->returned, 1, __ATOMIC_SEQ_CST);
	rt_futex_wake(&self->returned, 1);
	turn_wait(self);
	self->taken = TAKEN_NOT;
}

static struct timespec next_look(const struct sched_thread *self)
{
	uint32_t before = 0, milliseconds;

	for (uint32_t i = 0; i < self->ordinal && before < 2; i++)
		before += sched.threads[i]->alive && !sched.threads[i]->outside;
	if (before >= 2)
		return (struct timespec){ 0, SELDOM_MS * 1000000l };
	milliseconds = RESCUE_MS >> (rescues < 6 ? rescues : 6);
	return (struct timespec){ 0, (milliseconds < RESCUE_LEAST_MS ? RESCUE_LEAST_MS : milliseconds) * 1000000l };
}

/* Park; true: the baton did not come, the turn was taken and the caller must decide. */
bool rescue_wait(struct sched_thread *self)
{
	struct timespec tick = next_look(self);
	uint64_t turns = sched.turns;
	long woken;

	while (!__atomic_load_n(&self->baton, __ATOMIC_ACQUIRE)) {
		woken = rt_syscall(SYS_futex, &self->baton, FUTEX_WAIT_PRIVATE, 0, &tick, NULL, 0);
		if (woken != -ETIMEDOUT)
			continue;
		tick = next_look(self);
		if (turns == sched.turns && rescue(turns))
			return true;
		if (turns == sched.turns)
			preempt_look(turns);
		turns = sched.turns;
	}
	return false;
}
