/*
 * log - see log.h.
 */
#include "find/sample/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define BUFFER ((size_t)1 << 20)

/* ---- writing --------------------------------------------------------------------------- */

int log_create(struct log_writer *writer, const char *path)
{
	struct log_head head = { LOG_MAGIC, LOG_VERSION, TRACE_VERSION };

	*writer = (struct log_writer){ .fd = -1 };
	if (path)
		writer->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	else
		writer->fd = open(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (writer->fd < 0 && !path)
		writer->fd = memfd_create("deadheat-log", MFD_CLOEXEC);
	if (writer->fd < 0)
		return error("cannot write the log %s: %s", path ? path : "in TMPDIR", strerror(errno));
	writer->buffer = malloc(BUFFER);
	if (!writer->buffer)
		return error("out of memory");
	memcpy(writer->buffer, &head, sizeof(head));
	writer->used = sizeof(head);
	return 0;
}

int log_flush(struct log_writer *writer)
{
	for (size_t done = 0; done < writer->used;) {
		ssize_t n = write(writer->fd, writer->buffer + done, writer->used - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error("cannot write the log: %s", strerror(n < 0 ? errno : ENOSPC));
		done += (size_t)n;
	}
	writer->written += writer->used;
	writer->used = 0;
	return 0;
}

int log_put(struct log_writer *writer, enum log_block_kind kind, const void *data, size_t size)
{
	struct log_block block = { kind, (uint32_t)size };

	if (writer->used + sizeof(block) + size > BUFFER && log_flush(writer))
		return -1;
	memcpy(writer->buffer + writer->used, &block, sizeof(block));
	memcpy(writer->buffer + writer->used + sizeof(block), data, size);
	writer->used += sizeof(block) + size;
	return 0;
}

int log_put_chunk(struct log_writer *writer, const struct trace_chunk *chunk)
{
	struct trace_chunk head = *chunk;
	uint32_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
	char copy[TRACE_CHUNK];

	if (used > TRACE_CHUNK_ROOM || used % 8)
		used = 0;
	if (!used)
		return 0;
	head.used = used;
	memcpy(copy, &head, sizeof(head));
	memcpy(copy + sizeof(head), chunk + 1, used);
	return log_put(writer, LOG_CHUNK, copy, sizeof(head) + used);
}

void log_done(struct log_writer *writer)
{
	free(writer->buffer);
	if (writer->fd >= 0)
		close(writer->fd);
	*writer = (struct log_writer){ .fd = -1 };
}

/* ---- reading ------------------------------------------------------------------------------ */

static int chunk_order(const void *a, const void *b)
{
	const struct trace_chunk *x = *(const struct trace_chunk *const *)a, *y = *(const struct trace_chunk *const *)b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static bool take_chunk(struct log *log, const void *data, size_t size)
{
	const struct trace_chunk *chunk = data;

	if (size < sizeof(*chunk) || chunk->used != size - sizeof(*chunk) || chunk->process >= TRACE_PROCESSES)
		return false;
	VEC_PUSH(&log->chunks, chunk);
	if (chunk->process >= log->process_count)
		log->process_count = chunk->process + 1;
	return true;
}

static bool take_block(struct log *log, const struct log_block *block)
{
	switch (block->kind) {
	case LOG_CHUNK:
		return take_chunk(log, block + 1, block->size);
	case LOG_COUNTERS:
		memcpy(log->counters, block + 1,
		       block->size < sizeof(log->counters) ? block->size : sizeof(log->counters));
		return true;
	case LOG_RUN:
		if (block->size >= sizeof(log->run))
			memcpy(&log->run, block + 1, sizeof(log->run));
		return true;
	default: /* of a later version: not ours to understand */
		return true;
	}
}

static void read_blocks(struct log *log)
{
	size_t at = sizeof(struct log_head);

	while (at + sizeof(struct log_block) <= log->size) {
		const struct log_block *block = (const void *)(log->bytes + at);

		if (block->size % 8 || block->size > log->size - at - sizeof(*block) || !take_block(log, block))
			break;
		at += sizeof(*block) + block->size;
	}
	log->cut = at != log->size;
	if (log->chunks.count)
		qsort(log->chunks.items, log->chunks.count, sizeof(*log->chunks.items), chunk_order);
}

int log_map(struct log *log, int fd, const char *name)
{
	const struct log_head *head;
	struct stat st;

	*log = (struct log){ 0 };
	if (fstat(fd, &st))
		return error("cannot read %s: %s", name, strerror(errno));
	if ((size_t)st.st_size < sizeof(*head))
		return error_usage("%s is not a log of deadheat sample: it is too short", name);
	log->size = (size_t)st.st_size;
	log->bytes = mmap(NULL, log->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (log->bytes == MAP_FAILED)
		return error("cannot map %s: %s", name, strerror(errno));
	head = (const void *)log->bytes;
	if (head->magic != LOG_MAGIC || head->version != LOG_VERSION || head->wire_version != TRACE_VERSION) {
		bool ours = head->magic == LOG_MAGIC;
		unsigned version = head->version;

		munmap((void *)log->bytes, log->size);
		*log = (struct log){ 0 };
		if (!ours)
			return error_usage("%s is not a log of deadheat sample", name);
		return error_usage("%s is a log of version %u; this deadheat reads %u", name, version, LOG_VERSION);
	}
	read_blocks(log);
	return 0;
}

int log_open(struct log *log, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), result;

	*log = (struct log){ 0 };
	if (fd < 0)
		return error_usage("cannot open the log %s: %s", path, strerror(errno));
	result = log_map(log, fd, path);
	close(fd);
	return result;
}

void log_close(struct log *log)
{
	if (log->bytes)
		munmap((void *)log->bytes, log->size);
	VEC_FREE(&log->chunks);
	*log = (struct log){ 0 };
}
