/* stack - which frames people need to see. */
#include <string.h>

#include "report/internal.h"

/* libc's part of every thread's stack, below the program's own functions. */
static bool is_start(const char *function)
{
	static const char *const names[] = { "start_thread", "clone3", "__clone3", "clone", "__clone", "_start",
					     "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main" };

	for (size_t i = 0; function && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], function))
			return true;
	return false;
}

size_t stack_depth(const struct frame *stack, size_t count)
{
	size_t depth = count;

	while (depth > 1 && is_start(stack[depth - 1].function))
		depth--;
	return depth;
}
