/*
 * nop/access - every access site becomes a NOP at its first visit.
 *
 * Nothing is to be heard, so the only thing to do with a call is to be rid of it. But a
 * change of the text costs as much as hundreds of calls: code that runs a few times is not
 * worth it. So a site is planned when it first comes and changed, with all others planned in
 * its page, once one of them has come VISITS times. A site that cannot be patched (a tail jump,
 * text that must not be written) costs the call and one look into the table of refused sites.
 */
#include "rt/abi/access.h"

/* 5 to 40 us of patching against some 10 ns a visit: gain from a few hundred visits on; what came 8 times comes again. */
#define VISITS 8u
/* Counters by hash of the site. Two sites in one slot are planned later or patched earlier: no harm. */
#define SLOTS 65536u

static uint8_t visits[SLOTS];

static RT_NOINLINE void remove_call(uintptr_t pc, const void *entry, unsigned visit)
{
	struct rt_thread *self = rt_self();

	if (!rt_enter(self))
		return;
	if (visit < VISITS)
		rt_patch_plan(pc, entry, NULL);
	else
		rt_patch_nop(pc, entry);
	rt_leave(self);
}

ACCESS_INLINE void visit(uintptr_t pc, const void *entry)
{
	uint8_t *count = &visits[(pc ^ pc >> 16) % SLOTS];

	if (*count < VISITS && ++*count > 1 && *count < VISITS)
		return;
	remove_call(pc, entry, *count);
}

ACCESS_INLINE void access_at(uintptr_t pc, const void *address, size_t size, unsigned flags, const void *entry)
{
	if (entry)
		visit(pc, entry);
}

ACCESS_INLINE void function_entry(uintptr_t caller, uintptr_t site, const void *entry)
{
	visit(site, entry);
}

ACCESS_INLINE void function_exit(uintptr_t site, const void *entry)
{
	visit(site, entry);
}
