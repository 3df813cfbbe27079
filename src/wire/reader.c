/*
 * reader - see reader.h: the mapping, the plan, the walk over the records.
 *
 * I1  Nothing read from the mapping is used as a size or an index before it was compared
 *     with the bounds the host itself set.
 */
#include "wire/reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

#define DEFAULT_PLAN ((size_t)64 << 10)
#define DEFAULT_LOG ((size_t)16 << 20)

static size_t pages(size_t size)
{
	return (size + WIRE_PAGE - 1) / WIRE_PAGE * WIRE_PAGE;
}

static void lay_out(struct wire_host *wire, const struct wire_sizes *asked)
{
	wire->sizes.plan = pages(asked->plan ? asked->plan : DEFAULT_PLAN);
	wire->sizes.log = pages(asked->log ? asked->log : DEFAULT_LOG);
	wire->sizes.steps = pages(asked->steps);
	wire->offsets.plan = pages(sizeof(struct wire_header));
	wire->offsets.log = wire->offsets.plan + wire->sizes.plan;
	wire->offsets.steps = wire->offsets.log + wire->sizes.log;
	wire->size = wire->offsets.steps + wire->sizes.steps;
}

static void write_header(struct wire_host *wire, enum wire_runtime wanted)
{
	struct wire_header *h = wire->header;

	h->magic = WIRE_MAGIC;
	h->version = WIRE_VERSION;
	h->wanted_runtime = wanted;
	h->plan_offset = wire->offsets.plan;
	h->plan_size = wire->sizes.plan;
	h->log_offset = wire->offsets.log;
	h->log_size = wire->sizes.log;
	h->steps_offset = wire->offsets.steps;
	h->steps_size = wire->sizes.steps;
	h->total_size = wire->size;
	h->step_hash = SCHEDULE_HASH_START;
}

static int map(struct wire_host *wire)
{
	if (ftruncate(wire->fd, (off_t)wire->size))
		return error("cannot make a wire of %zu bytes: %s", wire->size, strerror(errno));
	wire->header = mmap(NULL, wire->size, PROT_READ | PROT_WRITE, MAP_SHARED, wire->fd, 0);
	if (wire->header == MAP_FAILED)
		return error("cannot map a wire of %zu bytes: %s", wire->size, strerror(errno));
	return 0;
}

int wire_open(struct wire_host *wire, enum wire_runtime wanted, const struct wire_sizes *sizes)
{
	*wire = (struct wire_host){ .fd = -1 };
	lay_out(wire, sizes);
	wire->fd = memfd_create("deadheat-wire", MFD_CLOEXEC);
	if (wire->fd < 0)
		return error("cannot make the wire (memfd): %s", strerror(errno));
	if (map(wire)) {
		close(wire->fd);
		*wire = (struct wire_host){ .fd = -1 };
		return -1;
	}
	write_header(wire, wanted);
	return 0;
}

void wire_close(struct wire_host *wire)
{
	if (wire->header)
		munmap(wire->header, wire->size);
	if (wire->fd >= 0)
		close(wire->fd);
	*wire = (struct wire_host){ .fd = -1 };
}

const char *wire_env(struct arena *arena, const struct wire_host *wire, int control)
{
	if (control < 0)
		return arena_printf(arena, "%d", wire->fd);
	return arena_printf(arena, "%d,%d", wire->fd, control);
}

static char *at(const struct wire_host *wire, uint64_t offset)
{
	return (char *)wire->header + offset;
}

static uint64_t log_bytes(const struct wire_host *wire)
{
	uint64_t reserved = __atomic_load_n(&wire->header->log_reserved, __ATOMIC_ACQUIRE);

	return reserved < wire->sizes.log ? reserved : wire->sizes.log;
}

void wire_reset(struct wire_host *wire)
{
	struct wire_header *h = wire->header;
	/* Types must be 0 again before anyone reserves there (I2 of wire.h). */
	memset(at(wire, wire->offsets.log), 0, log_bytes(wire));
	memset(h->counters, 0, sizeof(h->counters));
	h->steps_used = 0;
	h->step_hash = SCHEDULE_HASH_START;
	__atomic_store_n(&h->log_reserved, 0, __ATOMIC_RELEASE);
}

void wire_reset_claim(struct wire_host *wire)
{
	struct wire_header *h = wire->header;

	wire_reset(wire);
	h->runtime_version = 0;
	h->runtime = WIRE_RT_NONE;
	h->state = WIRE_IDLE;
	h->refusal[0] = 0;
	__atomic_store_n(&h->claimed_pid, 0, __ATOMIC_RELEASE);
}

static char *put(char *to, const void *data, size_t size)
{
	if (size)
		memcpy(to, data, size);
	return to + size;
}

int wire_put_plan(struct wire_host *wire, const struct wire_plan_parts *parts)
{
	size_t modules = parts->module_count * sizeof(*parts->modules);
	size_t sites = parts->site_count * sizeof(*parts->sites);
	size_t edges = parts->edge_count * sizeof(*parts->edges);
	size_t choices = parts->choice_count * sizeof(*parts->choices);
	size_t plain = parts->plain_count * sizeof(*parts->plain);
	size_t total = sizeof(parts->plan) + modules + sites + edges + choices + plain;
	struct wire_plan plan = parts->plan;
	char *to = at(wire, wire->offsets.plan);

	if (total > wire->sizes.plan)
		return error("a plan of %zu bytes does not fit on a wire with room for %zu", total, wire->sizes.plan);
	plan.size = sizeof(plan);
	plan.module_count = (uint32_t)parts->module_count;
	plan.site_count = (uint32_t)parts->site_count;
	plan.edge_count = (uint32_t)parts->edge_count;
	plan.choice_count = (uint32_t)parts->choice_count;
	plan.plain_count = (uint32_t)parts->plain_count;
	to = put(to, &plan, sizeof(plan));
	to = put(to, parts->modules, modules);
	to = put(to, parts->sites, sites);
	to = put(to, parts->edges, edges);
	to = put(to, parts->choices, choices);
	put(to, parts->plain, plain);
	return 0;
}

static bool is_module(const struct wire_plan_module *module, const struct place *place)
{
	if (place->build_id && *place->build_id)
		return !strcmp(module->build_id, place->build_id);
	return !*module->build_id && !strcmp(module->path, place->module);
}

uint32_t wire_plan_module_index(struct wire_plan_module *modules, size_t *count, const struct place *place)
{
	struct wire_plan_module *new;

	for (size_t i = 0; i < *count; i++)
		if (is_module(&modules[i], place))
			return (uint32_t)i;
	new = &modules[*count];
	memset(new, 0, sizeof(*new));
	snprintf(new->build_id, sizeof(new->build_id), "%s", place->build_id ? place->build_id : "");
	snprintf(new->path, sizeof(new->path), "%s", place->module ? place->module : "");
	return (uint32_t)(*count)++;
}

int wire_check_claim(const struct wire_host *wire, const char *program)
{
	const struct wire_header *h = wire->header;
	char reason[sizeof(h->refusal)];

	memcpy(reason, h->refusal, sizeof(reason));
	reason[sizeof(reason) - 1] = 0;
	if (h->runtime_version && h->runtime_version != WIRE_VERSION)
		return error_cannot("%s: its runtime speaks wire version %u, this deadheat %u: "
				    "use deadheat and its libraries from one installation",
				    program, h->runtime_version, WIRE_VERSION);
	if (h->state == WIRE_REFUSED)
		return error_cannot("%s: the runtime refused: %s", program, *reason ? reason : "no reason given");
	if (!h->claimed_pid)
		return error_cannot("%s ended without loading our runtime: neither it nor what it started is "
				    "instrumented: build with deadheat-cc (CC=deadheat-cc make)", program);
	return 0;
}

const struct wire_record *wire_next(const struct wire_host *wire, struct wire_cursor *cursor)
{
	uint64_t end = log_bytes(wire);
	const struct wire_record *record;

	if (cursor->offset > end || end - cursor->offset < sizeof(*record))
		return NULL;
	record = (const void *)at(wire, wire->offsets.log + cursor->offset);
	if (__atomic_load_n(&record->type, __ATOMIC_ACQUIRE) == WIRE_EV_NONE)
		return NULL;
	if (record->size < sizeof(*record) || record->size % 8 || record->size > end - cursor->offset)
		return NULL;
	cursor->offset += record->size;
	return record;
}

const struct wire_step *wire_steps(const struct wire_host *wire, size_t *count)
{
	uint64_t fits = wire->sizes.steps / sizeof(struct wire_step), used = wire->header->steps_used;

	*count = used < fits ? used : fits;
	return (const void *)at(wire, wire->offsets.steps);
}

const char *wire_counter_name(enum wire_counter counter)
{
	static const char *const names[WIRE_COUNTER_COUNT] = {
#define X(symbol, name) name,
		WIRE_COUNTERS(X)
#undef X
	};

	return names[counter];
}
