/*
 * tracer - the host's end of wire/trace.h: make the mapping, hand it over, drain it.
 *
 *     struct tracer t;
 *     tracer_open(&t, &(struct tracer_options){ .mode = TRACE_SAMPLE });
 *     ... start the target with LD_PRELOAD and TRACE_ENV = t.path (find/preload.h) ...
 *     while (running) { tracer_drain(&t, false, take, context); nap }
 *     tracer_drain(&t, true, take, context);
 *     tracer_close(&t);
 *
 * What lies in the mapping was written by other processes and may be garbage: the walk over
 * the records of a chunk (tracer_next) checks every size.
 */
#ifndef WIRE_TRACER_H
#define WIRE_TRACER_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/trace.h"

struct tracer_options {
	uint32_t mode;       /* enum trace_mode bits */
	size_t plan_size;    /* bytes for a part's plan, at tracer_plan() */
	size_t chunk_count;  /* 0: 4096 (16 MiB, touched as used) */
};

struct tracer {
	int fd;
	char path[64];                 /* value of TRACE_ENV; good while we live */
	struct trace_header *header;
	size_t size, states, chunks, plan, plan_size, count; /* our own copy: the target can write the header */
};

/* 0 / -1 with a message. active starts as 1. */
int tracer_open(struct tracer *tracer, const struct tracer_options *options);
void tracer_close(struct tracer *tracer);
void *tracer_plan(const struct tracer *tracer);

/*
 * Hands every full chunk to take and gives it back to the pool; with all, also those still
 * owned (the processes have ended). take returns 0 to go on. Returns how many, -1 if take
 * said so.
 */
typedef int tracer_take(void *context, const struct trace_chunk *chunk);
long tracer_drain(struct tracer *tracer, bool all, tracer_take *take, void *context);

/* Walk: *at starts as 0. NULL at the end or at garbage. Never reads beyond TRACE_CHUNK. */
const struct trace_record *tracer_next(const struct trace_chunk *chunk, size_t *at);

/* Processes still running, by our own look at the kernel: 0 when all have ended. */
size_t tracer_running(const struct tracer *tracer);
const char *trace_counter_name(enum trace_counter counter);

#endif
