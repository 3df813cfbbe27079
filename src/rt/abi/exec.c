/*
 * exec - another program takes the process over.
 *
 * It has no wire (rt/wire.c took it out of the environment) and runs inert; that is said in a
 * note beforehand, for on success there is no afterwards. What was found is on the wire.
 */
#include <stdarg.h>
#include <unistd.h>

#include "rt/abi/tell.h"

static void says(const char *program)
{
	if (rt_wire)
		rt_note("exec of %s: from there on the program is not observed", program ? program : "(null)");
}

RT_EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
	says(path);
	return REAL(execve)(path, arguments, environment);
}

RT_EXPORT int execv(const char *path, char *const arguments[])
{
	says(path);
	return REAL(execv)(path, arguments);
}

RT_EXPORT int execvp(const char *file, char *const arguments[])
{
	says(file);
	return REAL(execvp)(file, arguments);
}

RT_EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
	says(file);
	return REAL(execvpe)(file, arguments, environment);
}

RT_EXPORT int fexecve(int file, char *const arguments[], char *const environment[])
{
	says("a file descriptor");
	return REAL(fexecve)(file, arguments, environment);
}

/* The listed forms, on the stack: execvp and execve know no others. */
static size_t count_arguments(va_list arguments)
{
	size_t n = 1;

	while (va_arg(arguments, char *))
		n++;
	return n;
}

#define LISTED(first, last, call) \
	va_list list; \
	size_t count; \
	va_start(list, last); \
	count = count_arguments(list); \
	va_end(list); \
	char *arguments[count + 1]; \
	arguments[0] = (char *)(first); \
	va_start(list, last); \
	for (size_t i = 1; i <= count; i++) \
		arguments[i] = va_arg(list, char *); \
	call; \
	va_end(list)

RT_EXPORT int execl(const char *path, const char *first, ...)
{
	int result;

	says(path);
	LISTED(first, first, result = REAL(execv)(path, arguments));
	return result;
}

RT_EXPORT int execlp(const char *file, const char *first, ...)
{
	int result;

	says(file);
	LISTED(first, first, result = REAL(execvp)(file, arguments));
	return result;
}

RT_EXPORT int execle(const char *path, const char *first, ...)
{
	int result;

	says(path);
	LISTED(first, first, result = REAL(execve)(path, arguments, va_arg(list, char **)));
	return result;
}
