/*
 * parts - which parts this library is made of. A part that is not linked in is not there.
 */
#include "rt/trace/trace.h"

extern const struct trace_part trace_part_sample __attribute__((weak));
extern const struct trace_part trace_part_trap __attribute__((weak));

const struct trace_part *const trace_parts[TRACE_PARTS] = {
	[TRACE_PART_SAMPLE] = &trace_part_sample,
	[TRACE_PART_TRAP] = &trace_part_trap,
};
