/*
 * report - what a thread looks like in a record: held locks, then the stack.
 */
#ifndef SCHED_REPORT_H
#define SCHED_REPORT_H

#include "rt/sched/internal.h"

struct report_view {
	const struct sched_thread *thread;
	uintptr_t stack[RT_STACK_MAX];
	unsigned stack_count;
	size_t size; /* bytes report_put will write */
};

/* Look at a thread that stands at a point. */
void report_view(struct report_view *view, const struct sched_thread *thread);
/* Write its locks and stack to out; returns the place behind. */
void *report_put(const struct report_view *view, void *out);

#endif
