/*
 * agree - what the world answered, agreed between a trial and its replay.
 *
 * Within the process everything a read or poll sees follows from the schedule. A child or a
 * peer elsewhere answers when it likes: how many bytes had come, which files were ready, is
 * then written into the schedule as a choice. An exact replay waits, with the turn, until
 * at least as much is there, and shows the program no more than that. Past PATIENCE_MS the
 * replay goes on with what there is, and will differ.
 */
#include <sys/syscall.h>
#include <sys/wait.h>

#include "rt/sched/io.h"
#include "rt/sched/turn.h"

#define PATIENCE_MS 2000u
#define MASK_FILES 32u

static bool leads_out(int fd)
{
	return !channel_is_inner(fd) || world_has_children();
}

static void nap(void)
{
	rt_syscall(SYS_nanosleep, &(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* True: there is an answer to be waited for. */
static bool recorded(uint32_t *answer)
{
	if (!sched.replay || !replay_is_exact())
		return false;
	return replay_choice(OP_IO, 0, answer);
}

size_t io_agree(int fd, size_t available)
{
	uint32_t answer = (uint32_t)available;

	if (!leads_out(fd) || available > UINT32_MAX)
		return available;
	if (recorded(&answer))
		for (unsigned ms = 0; ms < PATIENCE_MS && io_available(fd, answer) < answer; ms++)
			nap();
	return step_choice(sched_self(), OP_IO, answer);
}

static uint32_t mask_of(const struct pollfd *fds, uint32_t count)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < count && i < MASK_FILES; i++)
		mask |= (uint32_t)(fds[i].revents != 0) << i;
	return mask;
}

static int hide_rest(struct pollfd *fds, uint32_t count, uint32_t mask)
{
	int ready = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (i < MASK_FILES && !(mask >> i & 1))
			fds[i].revents = 0;
		ready += fds[i].revents != 0;
	}
	return ready;
}

int io_agree_poll(struct pollfd *fds, uint32_t count, int ready)
{
	uint32_t answer = mask_of(fds, count);
	bool out = false;

	for (uint32_t i = 0; i < count; i++)
		out |= fds[i].fd >= 0 && leads_out(fds[i].fd);
	if (!out || ready < 0)
		return ready;
	if (recorded(&answer))
		for (unsigned ms = 0; ms < PATIENCE_MS && (mask_of(fds, count) & answer) != answer; ms++) {
			nap();
			rt_syscall(SYS_poll, fds, count, 0);
		}
	step_choice(sched_self(), OP_IO, answer);
	return hide_rest(fds, count, answer);
}
