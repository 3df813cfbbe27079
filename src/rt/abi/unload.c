/*
 * unload - dlclose: addresses of code and data may mean something else afterwards.
 *
 * dlopen is left alone: libc finds RUNPATH and namespace by its caller's address, which would
 * be ours; new modules are met when the first pc of theirs is asked for (rt_place).
 */
#include <dlfcn.h>

#include "rt/rt.h"

RT_EXPORT int dlclose(void *library)
{
	int result = REAL(dlclose)(library);

	if (rt_wire && result == 0)
		rt_modules_refresh();
	return result;
}
