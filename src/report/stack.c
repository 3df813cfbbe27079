/* stack - which frames people need to see, and which of them is their own code. */
#include <string.h>

#include "report/internal.h"

static bool begins_with(const char *text, const char *prefix)
{
	return text && !strncmp(text, prefix, strlen(prefix));
}

/* What libc and the C++ libraries put below every thread's own functions. */
static bool is_start(const struct frame *f)
{
	static const char *const names[] = { "start_thread", "clone3", "__clone3", "clone", "__clone", "_start",
					     "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
					     "execute_native_thread_routine" };
	static const char *const prefixes[] = { "std::__invoke", "std::thread::_", "std::__1::__invoke", "std::__1::__thread_",
						"std::__1::__async_", "_ZNSt6thread" };

	for (size_t i = 0; f->function && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], f->function))
			return true;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (begins_with(f->function, prefixes[i]))
			return true;
	return !f->function && f->place.module && (strstr(f->place.module, "/libstdc++.") || strstr(f->place.module, "/libc++."));
}

size_t stack_depth(const struct frame *stack, size_t count)
{
	size_t depth = count;

	while (depth > 1 && is_start(&stack[depth - 1]))
		depth--;
	return depth;
}

/* Headers and sources of the system: nobody changes them to mend a race. */
static bool is_foreign(const char *file)
{
	return begins_with(file, "/usr/") || begins_with(file, "../sysdeps/") || begins_with(file, "nptl/");
}

const struct frame *own_frame(const struct access *a)
{
	size_t depth = stack_depth(a->stack, a->stack_count);

	if (!a->line || !is_foreign(a->file))
		return NULL;
	for (size_t i = 1; i < depth; i++)
		if (a->stack[i].line > 0 && a->stack[i].file && !is_foreign(a->stack[i].file))
			return &a->stack[i];
	return NULL;
}
