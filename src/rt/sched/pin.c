/*
 * pin - random numbers that are the same in every run with the same seed (WIRE_PIN).
 *
 * What cannot be pinned: the process id, rdrand, /dev/urandom, AT_RANDOM, the time stamp
 * counter.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/sched/turn.h"

static uint64_t random_state;

void pin_start(void)
{
	random_state = rt_plan->seed ^ 0x5851f42d4c957f2dull;
}

static bool is_pinned(void)
{
	return sched_self() && rt_plan_flag(WIRE_PIN);
}

/* A stream of its own: how often the program asks must not change the schedule. */
static uint64_t pinned(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static void pinned_fill(void *out, size_t size)
{
	unsigned char *byte = out;
	uint64_t word = 0;

	for (size_t i = 0; i < size; i++, word >>= 8) {
		if (i % 8 == 0)
			word = pinned();
		byte[i] = (unsigned char)word;
	}
}

RT_EXPORT ssize_t getrandom(void *out, size_t size, unsigned flags)
{
	if (!is_pinned())
		return REAL(getrandom)(out, size, flags);
	pinned_fill(out, size);
	return (ssize_t)size;
}

RT_EXPORT int getentropy(void *out, size_t size)
{
	if (!is_pinned())
		return REAL(getentropy)(out, size);
	if (size > 256) {
		errno = EIO;
		return -1;
	}
	pinned_fill(out, size);
	return 0;
}

RT_EXPORT uint32_t arc4random(void)
{
	return is_pinned() ? (uint32_t)pinned() : REAL(arc4random)();
}

RT_EXPORT uint32_t arc4random_uniform(uint32_t bound)
{
	if (!is_pinned())
		return REAL(arc4random_uniform)(bound);
	return bound ? (uint32_t)(pinned() % bound) : 0;
}

RT_EXPORT void arc4random_buf(void *out, size_t size)
{
	if (is_pinned())
		pinned_fill(out, size);
	else
		REAL(arc4random_buf)(out, size);
}

/*
 * It stays the real one: a made-up number would end up in kill, /proc and lock files. A
 * program whose run depends on it is told so, once a trial.
 */
RT_EXPORT pid_t getpid(void)
{
	static bool told;
	pid_t pid = (pid_t)rt_syscall(SYS_getpid);

	if (!told && sched_self()) {
		told = true;
		rt_note("the program asks for its process id (%d now), which is not the same in each run", pid);
	}
	return pid;
}
