/*
 * access - every access of the program passes here once; only the pair's come back.
 *
 * A site outside the plan is overwritten by a NOP on its first visit, and told to the host
 * (VISITED), so that the fork server patches it in the parent: from the second trial on
 * nothing is left of it. Sites that cannot be patched (tail jumps, text the kernel will
 * not let us write) are remembered, so that their visits cost one look-up.
 *
 * I1  Volatile accesses are scheduling points (access.h has passed them) and never patched away.
 * I2  Without a wire everything is patched away: a program nobody asks anything of.
 */
#include "rt/abi/access.h"
#include "rt/sched/turn.h"

/* Direct-mapped; a collision costs one more attempt to patch. */
#define REFUSED_SIZE 4096u
static uintptr_t refused[REFUSED_SIZE];

static uintptr_t *refused_slot(uintptr_t pc)
{
	return &refused[(pc * 0x9e3779b97f4a7c15ull >> 40) % REFUSED_SIZE];
}

static void tell_visited(uintptr_t pc)
{
	struct wire_ev_visited *visited;

	if (!rt_wire)
		return;
	visited = rt_record(sizeof(*visited));
	if (!visited) {
		rt_count(WIRE_LOST_VISITS);
		return;
	}
	visited->site = pc;
	rt_commit(visited, WIRE_EV_VISITED);
}

static RT_NOINLINE void patch_away(uintptr_t pc, const void *entry)
{
	struct rt_thread *self = rt_self();
	uintptr_t *slot = refused_slot(pc);

	if (*slot == pc || !rt_enter(self))
		return;
	if (!rt_plan_flag(WIRE_NO_PATCH) && rt_patch_nop(pc, entry))
		tell_visited(pc);
	else
		*slot = pc;
	rt_leave(self);
}

static RT_NOINLINE void visit(uintptr_t pc, const void *address, size_t size, unsigned flags, const void *entry)
{
	if (sched.directed && pair_side(pc) >= 0)
		rt_turn_access(address, size, flags, pc);
	else if (entry)
		patch_away(pc, entry);
}

ACCESS_INLINE void access_at(uintptr_t pc, const void *address, size_t size, unsigned flags, const void *entry)
{
	if (!(flags & ACCESS_VOLATILE) || !rt_wire)
		visit(pc, address, size, flags, entry);
}

/* Stacks are read by frame pointers: entry and exit are not needed. */
ACCESS_INLINE void function_entry(uintptr_t caller, uintptr_t site, const void *entry)
{
	patch_away(site, entry);
}

ACCESS_INLINE void function_exit(uintptr_t site, const void *entry)
{
	patch_away(site, entry);
}
