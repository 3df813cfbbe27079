/*
 * sanitizer - the part of sanitizer/common_interface_defs.h that programs built for tsan call:
 * unaligned accesses as functions, and wishes about reports that are never printed here.
 */
#include "rt/abi/tell.h"

static void access_unaligned(const void *address, size_t size, unsigned flags, uintptr_t pc)
{
	if (!rt_wire)
		return;
	rt_turn_access(address, size, flags, pc);
	TELL(rt_on_access(address, size, flags, pc));
}

#define UNALIGNED(bits) \
	RT_EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(const void *address); \
	RT_EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(const void *address) \
	{ \
		uint##bits##_t value; \
		access_unaligned(address, sizeof(value), ACCESS_READ, RT_CALLER); \
		rt_memcpy(&value, address, sizeof(value)); \
		return value; \
	} \
	RT_EXPORT void __sanitizer_unaligned_store##bits(void *address, uint##bits##_t value); \
	RT_EXPORT void __sanitizer_unaligned_store##bits(void *address, uint##bits##_t value) \
	{ \
		access_unaligned(address, sizeof(value), ACCESS_WRITE, RT_CALLER); \
		rt_memcpy(address, &value, sizeof(value)); \
	}
UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)

#define NO_EFFECT(name, parameters) \
	RT_EXPORT void name parameters; \
	RT_EXPORT void name parameters \
	{ \
	}
NO_EFFECT(__sanitizer_print_stack_trace, (void))
NO_EFFECT(__sanitizer_set_death_callback, (void (*callback)(void)))
NO_EFFECT(__sanitizer_set_report_path, (const char *path))
NO_EFFECT(__sanitizer_set_report_fd, (void *fd))
NO_EFFECT(__sanitizer_report_error_summary, (const char *summary))
NO_EFFECT(__sanitizer_sandbox_on_notify, (void *arguments))

RT_EXPORT const char *__sanitizer_get_report_path(void);
RT_EXPORT const char *__sanitizer_get_report_path(void)
{
	return "";
}

/* "Nobody else is about to crash": the first caller may go on. */
RT_EXPORT int __sanitizer_acquire_crash_state(void);
RT_EXPORT int __sanitizer_acquire_crash_state(void)
{
	static int taken;

	return !__atomic_exchange_n(&taken, 1, __ATOMIC_RELAXED);
}
