/*
 * attach - a process that runs already (--pid).
 */
#include <errno.h>
#include <signal.h>

#include "base/error.h"
#include "find/sample/run.h"

int sample_attach(int pid, const struct sample_options *options, struct sym *sym, const struct find_sink *sink,
		  struct arena *arena, struct sample_result *result)
{
	*result = (struct sample_result){ .ended = "not attached", .sampler = "none" };
	if (kill(pid, 0) && errno == ESRCH)
		return error_cannot("--pid %d: there is no such process", pid);
	return error_cannot("--pid %d: attaching is not possible yet; start the program with `deadheat sample PROG`", pid);
}
