/*
 * access - the bodies of all access entry points, written once for every runtime.
 *
 * A runtime's access.c defines three static inline functions and includes this file:
 *
 *   void access_at(uintptr_t pc, const void *address, size_t size, unsigned flags, const void *entry);
 *       One access of the program. pc is the site: the return address of the compiler's
 *       call. entry is the exported function that call reached, for rt_patch_nop/call;
 *       NULL where the call must not be patched (its other arguments have meaning, or
 *       pc is not its return address).
 *   void function_entry(uintptr_t caller, uintptr_t site, const void *entry);
 *   void function_exit(uintptr_t site, const void *entry);
 *       caller is the return address of the function entered. gcc reaches exit by a tail
 *       jump: then site is not that of a call to us and patching is refused. A runtime
 *       that keeps shadow stacks calls rt_frame_push/pop.
 *
 * I1  A volatile access has passed rt_turn_access before access_at (a scheduling point, or
 *     held if it is of the pair): access_at does not call that again for ACCESS_VOLATILE,
 *     and a runtime that schedules never patches such a site away while a wire is there.
 * I2  __builtin_frame_address(0) inside access_at is a frame of ours, from which frame pointers
 *     lead to the function that made the access: fit for rt_stack.
 * I3  The functions here neither enter (rt_enter) nor look at rt_wire: access_at does.
 * I4  The entries of ACCESS give all registers back (preserve.h): code of deadheat-cc counts on it.
 */
#include "rt/preserve.h"

#define ACCESS_INLINE static inline __attribute__((always_inline))

ACCESS_INLINE void access_at(uintptr_t pc, const void *address, size_t size, unsigned flags, const void *entry);
ACCESS_INLINE void function_entry(uintptr_t caller, uintptr_t site, const void *entry);
ACCESS_INLINE void function_exit(uintptr_t site, const void *entry);

ACCESS_INLINE void access_entry(uintptr_t pc, const void *address, size_t size, unsigned flags, const void *entry)
{
	if ((flags & ACCESS_VOLATILE) && rt_wire)
		rt_turn_access(address, size, flags, pc);
	access_at(pc, address, size, flags, entry);
}

#define ACCESS(name, size, flags) \
	RT_EXPORT void name(void *address); \
	void name##_body(void *address, uintptr_t pc); \
	void name##_body(void *address, uintptr_t pc) \
	{ \
		access_entry(pc, address, size, flags, (const void *)name); \
	} \
	PRESERVING(name, name##_body);
#define ACCESS_PC(name, size, flags) \
	RT_EXPORT void name(void *address, void *pc); \
	RT_EXPORT void name(void *address, void *pc) \
	{ \
		access_entry((uintptr_t)pc, address, size, flags, NULL); \
	}
#define ACCESS_RANGED(name, flags) \
	RT_EXPORT void name(void *address, unsigned long size); \
	RT_EXPORT void name(void *address, unsigned long size) \
	{ \
		access_entry(RT_CALLER, address, size, flags, (const void *)name); \
	}
#define ACCESS_RANGED_PC(name, flags) \
	RT_EXPORT void name(void *address, unsigned long size, void *pc); \
	RT_EXPORT void name(void *address, unsigned long size, void *pc) \
	{ \
		access_entry((uintptr_t)pc, address, size, flags, NULL); \
	}
#include "rt/abi/access.def"

/* Setting the same table again (derived constructors do) changes nothing: no write. */
RT_EXPORT void __tsan_vptr_update(void **address, void *value);
RT_EXPORT void __tsan_vptr_update(void **address, void *value)
{
	if (*address != value)
		access_entry(RT_CALLER, address, sizeof(*address), ACCESS_WRITE, (const void *)__tsan_vptr_update);
}

RT_EXPORT void __tsan_func_entry(void *caller);
RT_EXPORT void __tsan_func_entry(void *caller)
{
	function_entry((uintptr_t)caller, RT_CALLER, (const void *)__tsan_func_entry);
}

RT_EXPORT void __tsan_func_exit(void);
RT_EXPORT void __tsan_func_exit(void)
{
	function_exit(RT_CALLER, (const void *)__tsan_func_exit);
}
