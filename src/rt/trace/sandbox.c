/*
 * sandbox - a program that puts itself under seccomp: from then on a system call it does not
 * make itself may kill it. Parts let go of what they have before that, and nothing of ours
 * asks the kernel for anything afterwards; locks and order are still followed.
 */
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/trace/trace.h"

bool trace_quiet;

static void sandboxed(void)
{
	struct trace_thread *self;

	if (!trace_header || trace_quiet)
		return;
	self = trace_self();
	if (!trace_enter(self))
		return;
	trace_note(self, "the program put itself into a sandbox (seccomp): it is not looked at from there on");
	trace_quiet = true;
	TRACE_EACH_PART(quiet, self);
	trace_leave(self);
}

RT_EXPORT int prctl(int option, ...)
{
	unsigned long a[4];
	va_list arguments;

	va_start(arguments, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(arguments, unsigned long);
	va_end(arguments);
	if (option == PR_SET_SECCOMP)
		sandboxed();
	return REAL(prctl)(option, a[0], a[1], a[2], a[3]);
}

RT_EXPORT long syscall(long number, ...)
{
	long a[6];
	va_list arguments;

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_seccomp && a[0] != SECCOMP_GET_ACTION_AVAIL && a[0] != SECCOMP_GET_NOTIF_SIZES)
		sandboxed();
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
