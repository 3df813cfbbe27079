/*
 * log - what the mapping gave, on disk and back (docs/sample-log.md has it byte by byte).
 *
 *     head: log_head
 *     blocks: log_block, then `size` bytes: LOG_CHUNK a struct trace_chunk and its records,
 *     LOG_COUNTERS uint64_t[TRACE_COUNTER_COUNT], LOG_PROCESSES struct trace_process[]
 *
 * A log cut off anywhere is good up to there.
 */
#ifndef FIND_SAMPLE_LOG_H
#define FIND_SAMPLE_LOG_H

#include <stdbool.h>

#include "base/vec.h"
#include "wire/tracer.h"

#define LOG_MAGIC 0x31474f4c53484444ull /* "DDHSLOG1" */
#define LOG_VERSION 1u

struct log_head {
	uint64_t magic;
	uint32_t version;      /* LOG_VERSION */
	uint32_t wire_version; /* TRACE_VERSION: of the records */
};

enum log_block_kind { LOG_CHUNK = 1, LOG_COUNTERS = 2, LOG_PROCESSES = 3, LOG_RUN = 4 };

struct log_block {
	uint32_t kind;
	uint32_t size; /* of what follows, multiple of 8 */
};

struct log_run {
	uint64_t cpu_ms;
	uint32_t sampler;  /* enum trace_sampler */
	uint32_t attached; /* 1: the process ran before we came */
};

struct log_writer {
	int fd;
	char *buffer;
	size_t used;
	uint64_t written;
};
/* path NULL: a file without a name, gone with the descriptor. 0 / -1 with a message. */
int log_create(struct log_writer *writer, const char *path);
int log_put(struct log_writer *writer, enum log_block_kind kind, const void *data, size_t size);
int log_put_chunk(struct log_writer *writer, const struct trace_chunk *chunk);
/* What is left goes out; the descriptor stays open for log_map. */
int log_flush(struct log_writer *writer);
void log_done(struct log_writer *writer);

struct log {
	const char *bytes;
	size_t size;
	VEC(const struct trace_chunk *) chunks; /* sorted by process, thread, sequence */
	uint64_t counters[TRACE_COUNTER_COUNT];
	struct log_run run;
	uint32_t process_count;
	bool cut; /* it ends in the middle */
};
int log_map(struct log *log, int fd, const char *name);
int log_open(struct log *log, const char *path);
void log_close(struct log *log);

#endif
