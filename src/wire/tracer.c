/*
 * tracer - see tracer.h.
 */
#include "wire/tracer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

#define DEFAULT_CHUNKS 4096u
#define PAGE 4096u

static size_t pages(size_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE;
}

static void lay_out(struct tracer *t, const struct tracer_options *options)
{
	t->count = options->chunk_count ? options->chunk_count : DEFAULT_CHUNKS;
	t->plan = pages(sizeof(struct trace_header));
	t->plan_size = pages(options->plan_size);
	t->states = t->plan + t->plan_size;
	t->chunks = t->states + pages(t->count * sizeof(uint32_t));
	t->size = t->chunks + t->count * TRACE_CHUNK;
}

static void write_header(struct tracer *t, uint32_t mode)
{
	struct trace_header *h = t->header;

	h->magic = TRACE_MAGIC;
	h->version = TRACE_VERSION;
	h->mode = mode;
	h->total_size = t->size;
	h->plan_offset = t->plan;
	h->plan_size = t->plan_size;
	h->states_offset = t->states;
	h->chunks_offset = t->chunks;
	h->chunk_count = (uint32_t)t->count;
	h->active = 1;
}

int tracer_open(struct tracer *tracer, const struct tracer_options *options)
{
	*tracer = (struct tracer){ .fd = -1 };
	lay_out(tracer, options);
	tracer->fd = memfd_create("deadheat-trace", MFD_CLOEXEC);
	if (tracer->fd < 0)
		return error("cannot make the trace mapping (memfd): %s", strerror(errno));
	if (ftruncate(tracer->fd, (off_t)tracer->size)) {
		close(tracer->fd);
		return error("cannot make a trace mapping of %zu bytes: %s", tracer->size, strerror(errno));
	}
	tracer->header = mmap(NULL, tracer->size, PROT_READ | PROT_WRITE, MAP_SHARED, tracer->fd, 0);
	if (tracer->header == MAP_FAILED) {
		close(tracer->fd);
		return error("cannot map %zu bytes of trace: %s", tracer->size, strerror(errno));
	}
	write_header(tracer, options->mode);
	snprintf(tracer->path, sizeof(tracer->path), "/proc/%d/fd/%d", (int)getpid(), tracer->fd);
	return 0;
}

void tracer_close(struct tracer *tracer)
{
	if (tracer->fd < 0)
		return;
	munmap(tracer->header, tracer->size);
	close(tracer->fd);
	tracer->fd = -1;
}

void *tracer_plan(const struct tracer *tracer)
{
	return (char *)tracer->header + tracer->plan;
}

static struct trace_chunk *chunk_at(const struct tracer *tracer, size_t i)
{
	return (void *)((char *)tracer->header + tracer->chunks + i * TRACE_CHUNK);
}

long tracer_drain(struct tracer *tracer, bool all, tracer_take *take, void *context)
{
	uint32_t *states = (void *)((char *)tracer->header + tracer->states);
	long taken = 0;

	for (size_t i = 0; i < tracer->count; i++) {
		uint32_t state = __atomic_load_n(&states[i], __ATOMIC_ACQUIRE);

		if (state != TRACE_FULL && !(all && state == TRACE_OWNED))
			continue;
		if (take(context, chunk_at(tracer, i)))
			return -1;
		taken++;
		__atomic_store_n(&states[i], TRACE_FREE, __ATOMIC_RELEASE);
	}
	return taken;
}

const struct trace_record *tracer_next(const struct trace_chunk *chunk, size_t *at)
{
	size_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
	const struct trace_record *record = (const void *)((const char *)(chunk + 1) + *at);

	if (used > TRACE_CHUNK_ROOM || *at + sizeof(*record) > used)
		return NULL;
	if (record->size < sizeof(*record) || record->size % 8 || record->size > used - *at)
		return NULL;
	*at += record->size;
	return record;
}

/* A zombie nobody has waited for yet has ended too. */
static bool is_alive(pid_t pid)
{
	char path[32], line[256] = "";
	const char *end;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	stat = fopen(path, "r");
	if (!stat)
		return false;
	end = fgets(line, sizeof(line), stat) ? strrchr(line, ')') : NULL;
	fclose(stat);
	return end && end[1] == ' ' && end[2] != 'Z' && end[2] != 'X';
}

size_t tracer_running(const struct tracer *tracer)
{
	const struct trace_header *h = tracer->header;
	uint32_t count = __atomic_load_n(&h->process_count, __ATOMIC_ACQUIRE);
	size_t running = 0;

	for (uint32_t i = 0; i < count && i < TRACE_PROCESSES; i++)
		if (__atomic_load_n(&h->processes[i].state, __ATOMIC_ACQUIRE) == TRACE_PROCESS_RUNNING &&
		    is_alive((pid_t)h->processes[i].pid))
			running++;
	return running;
}

const char *trace_counter_name(enum trace_counter counter)
{
	static const char *const names[TRACE_COUNTER_COUNT] = {
#define X(symbol, name) [symbol] = name,
		TRACE_COUNTERS(X)
#undef X
	};

	return counter < TRACE_COUNTER_COUNT ? names[counter] : NULL;
}
