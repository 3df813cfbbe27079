/*
 * late - real functions that may not be there when the constructor runs: libstdc++ comes
 * with the first C++ plugin of a C program, perhaps not even into the global scope.
 *
 *     LATE(__cxa_guard_acquire)(guard)
 *
 * NULL when there is none at all (libstdc++ linked statically, after us): operators new and
 * delete have an answer to that, the guards come from abi/guard.c.
 */
#ifndef ABI_LATE_H
#define ABI_LATE_H

#include "rt/rt.h"

void *abi_late(void **cache, const char *name);

#define LATE(name) \
	({ \
		static void *late_cache; \
		(__typeof__(&name))abi_late(&late_cache, #name); \
	})

#endif
