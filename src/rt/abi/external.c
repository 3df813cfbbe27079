/*
 * external - the rest of tsan's interface: life, accesses announced by other languages'
 * libraries, the java interface, and questions to which the answer here is "nothing".
 */
#include "rt/abi/held.h"

/* ---- life ------------------------------------------------------------------------ */

/* Every instrumented object calls it; our own constructor did all there is to do. */
RT_EXPORT void __tsan_init(void);
RT_EXPORT void __tsan_init(void)
{
}

RT_EXPORT void __tsan_flush_memory(void);
RT_EXPORT void __tsan_flush_memory(void)
{
}

RT_EXPORT void __tsan_on_thread_idle(void);
RT_EXPORT void __tsan_on_thread_idle(void)
{
}

/* ---- accesses by tag ----------------------------------------------------------------- */

static void access_one(const void *address, unsigned flags, uintptr_t pc)
{
	if (!rt_wire)
		return;
	rt_turn_access(address, 1, flags, pc);
	TELL(rt_on_access(address, 1, flags, pc));
}

/* A tag is only a name for reports: any distinct value that is not NULL will do. */
RT_EXPORT void *__tsan_external_register_tag(const char *type);
RT_EXPORT void *__tsan_external_register_tag(const char *type)
{
	return (void *)type;
}

RT_EXPORT void __tsan_external_register_header(void *tag, const char *header);
RT_EXPORT void __tsan_external_register_header(void *tag, const char *header)
{
}

RT_EXPORT void __tsan_external_assign_tag(void *address, void *tag);
RT_EXPORT void __tsan_external_assign_tag(void *address, void *tag)
{
}

RT_EXPORT void __tsan_external_read(void *address, void *pc, void *tag);
RT_EXPORT void __tsan_external_read(void *address, void *pc, void *tag)
{
	access_one(address, ACCESS_READ, (uintptr_t)pc);
}

RT_EXPORT void __tsan_external_write(void *address, void *pc, void *tag);
RT_EXPORT void __tsan_external_write(void *address, void *pc, void *tag)
{
	access_one(address, ACCESS_WRITE, (uintptr_t)pc);
}

/* ---- java ---------------------------------------------------------------------------------- */

RT_EXPORT void __tsan_java_init(unsigned long heap, unsigned long size);
RT_EXPORT void __tsan_java_init(unsigned long heap, unsigned long size)
{
}

RT_EXPORT int __tsan_java_fini(void);
RT_EXPORT int __tsan_java_fini(void)
{
	return 0;
}

RT_EXPORT void __tsan_java_alloc(void *block, unsigned long size);
RT_EXPORT void __tsan_java_alloc(void *block, unsigned long size)
{
	if (rt_wire)
		TELL(rt_on_alloc(block, size, RT_CALLER));
}

RT_EXPORT void __tsan_java_free(void *block, unsigned long size);
RT_EXPORT void __tsan_java_free(void *block, unsigned long size)
{
	if (rt_wire)
		TELL(rt_on_fresh(block, size));
}

RT_EXPORT void __tsan_java_move(void *from, void *to, unsigned long size);
RT_EXPORT void __tsan_java_move(void *from, void *to, unsigned long size)
{
	if (!rt_wire)
		return;
	TELL(rt_on_fresh(from, size));
	TELL(rt_on_fresh(to, size));
}

RT_EXPORT void __tsan_java_finalize(void);
RT_EXPORT void __tsan_java_finalize(void)
{
}

RT_EXPORT void *__tsan_java_find(void **from, void *to);
RT_EXPORT void *__tsan_java_find(void **from, void *to)
{
	return NULL;
}

#define JAVA_LOCK(name, call, mode) \
	RT_EXPORT void name(void *lock); \
	RT_EXPORT void name(void *lock) \
	{ \
		call(lock, mode, RT_CALLER); \
	}
JAVA_LOCK(__tsan_java_mutex_lock, held_acquired, LOCK_WRITE)
JAVA_LOCK(__tsan_java_mutex_unlock, held_released, LOCK_WRITE)
JAVA_LOCK(__tsan_java_mutex_read_lock, held_acquired, LOCK_READ)
JAVA_LOCK(__tsan_java_mutex_read_unlock, held_released, LOCK_READ)

RT_EXPORT void __tsan_java_mutex_lock_rec(void *lock, int levels);
RT_EXPORT void __tsan_java_mutex_lock_rec(void *lock, int levels)
{
	while (levels-- > 0)
		held_acquired(lock, LOCK_WRITE, RT_CALLER);
}

RT_EXPORT int __tsan_java_mutex_unlock_rec(void *lock);
RT_EXPORT int __tsan_java_mutex_unlock_rec(void *lock)
{
	int levels = held_levels(lock, LOCK_WRITE);

	for (int i = 0; i < levels; i++)
		held_released(lock, LOCK_WRITE, RT_CALLER);
	return levels;
}

#define JAVA_EDGE(name, hook) \
	RT_EXPORT void name(void *object); \
	RT_EXPORT void name(void *object) \
	{ \
		if (rt_wire) \
			TELL(hook(object)); \
	}
JAVA_EDGE(__tsan_java_acquire, rt_on_receive)
JAVA_EDGE(__tsan_java_release, rt_on_send)
JAVA_EDGE(__tsan_java_release_store, rt_on_send)

/* ---- questions about a report that is never there -------------------------------------------------- */

#define NO_REPORT(name) \
	RT_EXPORT int name(void); \
	RT_EXPORT int name(void) \
	{ \
		return 0; \
	}
NO_REPORT(__tsan_get_report_data)
NO_REPORT(__tsan_get_report_tag)
NO_REPORT(__tsan_get_report_stack)
NO_REPORT(__tsan_get_report_mop)
NO_REPORT(__tsan_get_report_loc)
NO_REPORT(__tsan_get_report_loc_object_type)
NO_REPORT(__tsan_get_report_mutex)
NO_REPORT(__tsan_get_report_thread)
NO_REPORT(__tsan_get_report_unique_tid)
NO_REPORT(__tsan_get_alloc_stack)

RT_EXPORT void *__tsan_get_current_report(void);
RT_EXPORT void *__tsan_get_current_report(void)
{
	return NULL;
}

/* What lies at an address: "not known", an empty name. */
RT_EXPORT const char *__tsan_locate_address(unsigned long address, char *name, unsigned long size,
					     unsigned long *start, unsigned long *length);
RT_EXPORT const char *__tsan_locate_address(unsigned long address, char *name, unsigned long size,
					     unsigned long *start, unsigned long *length)
{
	if (size)
		name[0] = 0;
	*start = *length = 0;
	return "";
}
