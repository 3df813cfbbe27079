/*
 * nop/access - every access site becomes a NOP at its first visit.
 *
 * Nothing is to be heard, so the only thing to do with a call is to be rid of it. A site
 * that cannot be patched (a tail jump, text that must not be written) costs the call and
 * one look into the table of refused sites.
 */
#include "rt/abi/access.h"

static RT_NOINLINE void remove_call(uintptr_t pc, const void *entry)
{
	struct rt_thread *self = rt_self();

	if (!rt_enter(self))
		return;
	rt_patch_nop(pc, entry);
	rt_leave(self);
}

ACCESS_INLINE void access_at(uintptr_t pc, const void *address, size_t size, unsigned flags, const void *entry)
{
	if (entry)
		remove_call(pc, entry);
}

ACCESS_INLINE void function_entry(uintptr_t caller, uintptr_t site, const void *entry)
{
	remove_call(site, entry);
}

ACCESS_INLINE void function_exit(uintptr_t site, const void *entry)
{
	remove_call(site, entry);
}
