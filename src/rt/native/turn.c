/*
 * turn - native threads take no turns: nothing is held, nothing is chosen.
 */
#include "rt/rt.h"

const bool rt_takes_turns = false;

void rt_turn_start(void)
{
}

void rt_point(enum wire_op op, const void *object, uintptr_t pc)
{
}

void rt_turn_access(const void *address, size_t size, unsigned flags, uintptr_t pc)
{
}

void rt_turn_exit(int status)
{
}

size_t rt_turn_stream(void *stream, size_t wanted, uintptr_t pc)
{
	return wanted;
}
void rt_turn_fork_child(void) {}
