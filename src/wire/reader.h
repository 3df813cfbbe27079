/*
 * reader - the host's end of the wire: make the mapping, write the plan, read the records.
 *
 *     struct wire_host w;
 *     wire_open(&w, WIRE_RT_DETECT, &(struct wire_sizes){ .log = 64 << 20 });
 *     wire_put_plan(&w, &(struct wire_plan_parts){ .plan = plan, .sites = ... });
 *     ... start the target with keep = { w.fd }, DEADHEAT_WIRE = wire_env() ...
 *     struct wire_cursor at = { 0 };
 *     while ((record = wire_next(&w, &at))) switch (record->type) ...
 *
 * What lies in the mapping was written by another process and may be garbage: every size
 * and count is checked against the record it is in before it is used. Views point into
 * the mapping and are valid until wire_reset() or wire_close().
 */
#ifndef WIRE_READER_H
#define WIRE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "race/candidate.h"
#include "wire/event.h"
#include "wire/plan.h"
#include "wire/schedule.h"
#include "wire/wire.h"

struct wire_host {
	int fd;                     /* the memfd, close-on-exec here: name it in spawn.keep */
	struct wire_header *header;
	size_t size;
	struct wire_sizes {
		size_t plan, log, steps;
	} sizes, offsets;           /* the host's own copy of the layout: the target can write the header */
};

/*
 * sizes: bytes of each area, rounded up to pages; 0: default (plan 64 KiB, log 16 MiB, steps
 * none). 0 / -1 with a message. The pages are made as they are touched.
 */
int wire_open(struct wire_host *wire, enum wire_runtime wanted, const struct wire_sizes *sizes);
void wire_close(struct wire_host *wire);

/* Value of DEADHEAT_WIRE; control = -1 without a control socket. */
const char *wire_env(struct arena *arena, const struct wire_host *wire, int control);

/* Before the next trial of the same fork server: log, steps, hash and counters back to nothing. */
void wire_reset(struct wire_host *wire);
/* Before a new process: wire_reset() and the claim too. */
void wire_reset_claim(struct wire_host *wire);

/* plan.size and the counts are filled in here. 0, or -1 when it does not fit. */
struct wire_plan_parts {
	struct wire_plan plan;
	const struct wire_plan_module *modules;
	size_t module_count;
	const struct wire_plan_site *sites;
	size_t site_count;
	const struct wire_plan_edge *edges;
	size_t edge_count;
	const struct wire_choice *choices;
	size_t choice_count;
	const struct wire_plan_plain *plain;
	size_t plain_count;
};
int wire_put_plan(struct wire_host *wire, const struct wire_plan_parts *parts);

/*
 * Index of the module in modules[0..*count), appended if it is not there. modules must
 * have room. For building plans from places.
 */
uint32_t wire_plan_module_index(struct wire_plan_module *modules, size_t *count, const struct place *place);

/*
 * Did the target's runtime take the wire? 0 yes; -1 with one clear line: nobody claimed
 * it, another version, the runtime refused (its reason).
 */
int wire_check_claim(const struct wire_host *wire, const char *program);

/* Where a reader is; starts as { 0 }. */
struct wire_cursor {
	uint64_t offset;
};
/* The next committed record; NULL at the end, at a torn one, or at garbage. */
const struct wire_record *wire_next(const struct wire_host *wire, struct wire_cursor *at);

/* ---- views of the records with arrays: false if the counts do not fit the record ---------- */

struct wire_access_view {
	const struct wire_access *access;
	const struct wire_lock *locks;
	const struct wire_pc *stack;
};
struct wire_pair_view {
	const struct wire_ev_pair *pair; /* PAIR or HIT */
	struct wire_access_view access[2];
};
bool wire_view_pair(const struct wire_record *record, struct wire_pair_view *view);

struct wire_wait_view {
	const struct wire_wait *wait;
	const struct wire_lock *locks;
	const struct wire_pc *stack;
};
/* CYCLE and DEADLOCK; the array is in arena. */
bool wire_view_deadlock(const struct wire_record *record, struct arena *arena,
			struct wire_wait_view **waits, size_t *count);

/* Text of a NOTE, path of a MODULE; "" if torn. */
const char *wire_note_text(const struct wire_record *record);
const char *wire_module_path(const struct wire_ev_module *module);

/* The steps the target wrote, in place. */
const struct wire_step *wire_steps(const struct wire_host *wire, size_t *count);

/* JSON name of a counter. */
const char *wire_counter_name(enum wire_counter counter);

#endif
