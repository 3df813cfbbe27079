/*
 * guard - the C++ compiler's locks around function-local statics, __cxa_guard_*.
 *
 * Once by another name: release and abort send, acquire receives. Compiled code
 * first looks at the guard byte itself, by an atomic load with acquire order; so the release
 * is also told as the atomic store that load reads from. The real ones live in libstdc++,
 * which may come later, with a plugin: abi/late.c finds it.
 */
#include "rt/abi/late.h"
#include "rt/native/internal.h"

RT_EXPORT int __cxa_guard_acquire(uint64_t *guard);
RT_EXPORT void __cxa_guard_release(uint64_t *guard);
RT_EXPORT void __cxa_guard_abort(uint64_t *guard);

RT_EXPORT int __cxa_guard_acquire(uint64_t *guard)
{
	int mine = LATE(__cxa_guard_acquire)(guard);

	if (rt_wire)
		TELL(rt_on_receive(guard));
	return mine;
}

RT_EXPORT void __cxa_guard_release(uint64_t *guard)
{
	if (rt_wire) {
		TELL(rt_on_send(guard));
		TELL(rt_on_atomic(guard, 1, ACCESS_WRITE | ACCESS_ATOMIC, __ATOMIC_RELEASE, RT_CALLER));
	}
	LATE(__cxa_guard_release)(guard);
}

RT_EXPORT void __cxa_guard_abort(uint64_t *guard)
{
	if (rt_wire)
		TELL(rt_on_send(guard));
	LATE(__cxa_guard_abort)(guard);
}
