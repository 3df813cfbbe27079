#include "rt/abi/late.h"

#include <dlfcn.h>

#include "rt/abi/guard.h"

/* With a static libstdc++ nobody else has these (abi/guard.h). */
static const struct {
	const char *name;
	void *function;
} own[] = {
	{ "__cxa_guard_acquire", guard_acquire },
	{ "__cxa_guard_release", guard_release },
	{ "__cxa_guard_abort", guard_abort },
};

static void *search_own(const char *name)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!rt_strcmp(own[i].name, name))
			return own[i].function;
	return NULL;
}

/*
 * RTLD_NOLOAD finds a library that is loaded in whatever scope and loads none. The handle is
 * kept: its functions are in use for good.
 */
static void *search(const char *name)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);

	if (!library)
		library = dlopen("libc++abi.so.1", RTLD_LAZY | RTLD_NOLOAD);
	return library ? dlsym(library, name) : NULL;
}

void *abi_late(void **cache, const char *name)
{
	void *real = __atomic_load_n(cache, __ATOMIC_RELAXED);

	if (likely(real != NULL))
		return real;
	real = dlsym(RTLD_NEXT, name);
	if (!real)
		real = search(name);
	if (!real)
		real = search_own(name);
	__atomic_store_n(cache, real, __ATOMIC_RELAXED);
	return real;
}
