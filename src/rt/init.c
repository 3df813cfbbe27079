/*
 * init - the life of the runtime: one constructor, one last exit handler, fork.
 *
 * The constructor's steps are in order of need: modules want memory, the wire wants to
 * know the path of our own library, the engine reads the plan, the turn may stay (the
 * fork server waits for trials inside rt_turn_start). on_exit from a library's
 * constructor is registered before everything else, so it runs after all handlers of the
 * program and after the loader's destructors, and hears the exit status.
 */
#include <elf.h>
#include <stdlib.h>

#include "rt/internal.h"

static bool finished;

static void state(enum wire_state value)
{
	if (rt_wire)
		__atomic_store_n(&rt_wire->state, value, __ATOMIC_RELEASE);
}

void rt_finish(int status)
{
	struct rt_thread *self = rt_self();

	if (!rt_wire || __atomic_exchange_n(&finished, true, __ATOMIC_ACQ_REL))
		return;
	rt_turn_exit(status);
	self->depth++;
	rt_engine_end();
	state(WIRE_ENDED);
	self->depth--;
}

static void at_exit(int status, void *nothing)
{
	rt_finish(status);
}

/* The auxiliary vector follows the environment; AT_EXECFN's string is the highest of all. */
static uintptr_t highest_string(char **environment)
{
	const Elf64_auxv_t *entry;

	while (*environment)
		environment++;
	for (entry = (const void *)(environment + 1); entry->a_type != AT_NULL; entry++)
		if (entry->a_type == AT_EXECFN)
			return entry->a_un.a_val;
	return (uintptr_t)environment;
}

__attribute__((constructor(101))) static void start(int argc, char **argv, char **environment)
{
	struct rt_thread *self;

	rt_sync_cores(); /* registers: at once while there is one thread, 14 ms of waiting beside another */
	rt_real_start();
	rt_thread_start_main(highest_string(environment));
	self = rt_self();
	self->depth++;
	rt_modules_refresh();
	rt_wire_start();
	if (rt_wire)
		rt_modules_again();
	rt_engine_start();
	on_exit(at_exit, NULL);
	self->depth--;
	if (rt_wire)
		rt_turn_start();
	state(WIRE_RUNNING);
}

/* The caller counts as inside the runtime meanwhile: its signal handlers must not want these locks. */
void rt_fork_before(void)
{
	rt_self()->depth++;
	rt_modules_fork(true);
	rt_threads_fork(true);
	rt_patch_fork(true);
	rt_near_fork(true);
	rt_memory_fork(true);
}

void rt_fork_after(bool child)
{
	rt_memory_fork(false);
	rt_near_fork(false);
	rt_patch_fork(false);
	rt_threads_fork(false);
	rt_modules_fork(false);
	if (child)
		rt_threads_alone();
	rt_self()->depth--;
}
