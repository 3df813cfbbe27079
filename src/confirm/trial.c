/*
 * trial - what one trial left on the wire, read before the wire is used again.
 *
 * Only the first meeting of each pair counts: a loop that meets ten thousand times is one
 * hit, and its first resolution is the trial's order.
 */
#include <string.h>

#include "confirm/internal.h"
#include "find/describe.h"

/* What is needed until the end of trial_read. */
struct reading {
	const struct wire_ev_end *end;
	const char *note;
	unsigned threads; /* created */
	const struct wire_ev_abort *abort;
};

static bool is_known_hit(const struct trial *trial, const struct meeting *meeting)
{
	for (size_t i = 0; i < trial->hits.count; i++)
		if (!strcmp(trial->hits.items[i].meeting->candidate.id, meeting->candidate.id))
			return true;
	return false;
}

static void read_hit(struct trial *trial, const struct meeting *meeting, const struct wire_record *record)
{
	struct wire_pair_view view;

	if (!meeting || is_known_hit(trial, meeting) || !wire_view_pair(record, &view))
		return;
	VEC_PUSH(&trial->hits, (struct trial_hit){
		.meeting = meeting, .order = (view.pair->first != 0) != meeting->swapped, .step = view.pair->step,
		.access = { *view.access[meeting->swapped].access, *view.access[!meeting->swapped].access } });
}

static const struct wire_ev_module *module_at(const struct wire_host *wire, uint32_t index)
{
	struct wire_cursor at = { 0 };
	const struct wire_record *record;

	while ((record = wire_next(wire, &at)))
		if (record->type == WIRE_EV_MODULE && !index--)
			return record->size < sizeof(struct wire_ev_module) ? NULL : (const void *)record;
	return NULL;
}

static void name_module(struct wire_plan_module *out, const struct wire_ev_module *module)
{
	*out = (struct wire_plan_module){ 0 };
	memcpy(out->build_id, module->build_id, sizeof(out->build_id) - 1);
	strncpy(out->path, wire_module_path(module), sizeof(out->path) - 1);
}

static void read_gate(struct trial *trial, const struct wire_host *wire, const struct wire_record *record)
{
	const struct wire_ev_gate *gate = (const void *)record;
	const struct wire_ev_module *module;
	struct trial_gate new;

	module = record->size < sizeof(*gate) ? NULL : module_at(wire, gate->taken_at.module);
	if (!module || (gate->side != WIRE_SIDE_A && gate->side != WIRE_SIDE_B))
		return;
	new.side = gate->side;
	new.offset = gate->taken_at.offset;
	name_module(&new.module, module);
	VEC_PUSH(&trial->gates, new);
}

static void read_record(struct trial *trial, struct reading *reading, const struct wire_record *record,
			struct server *server, struct meetings *meetings, struct sym *sym)
{
	switch (record->type) {
	case WIRE_EV_HIT:
		read_hit(trial, meeting_of(meetings, sym, server, record), record);
		break;
	case WIRE_EV_DEADLOCK:
		trial->deadlock = meeting_deadlock(meetings, sym, server, record);
		break;
	case WIRE_EV_THREAD:
		reading->threads += record->size >= sizeof(struct wire_ev_thread) &&
				    ((const struct wire_ev_thread *)record)->id > 0;
		break;
	case WIRE_EV_NOTE:
		reading->note = wire_note_text(record);
		break;
	case WIRE_EV_GATE:
		read_gate(trial, &server->wire, record);
		break;
	case WIRE_EV_ABORT:
		if (record->size >= sizeof(*reading->abort))
			reading->abort = (const void *)record;
		break;
	case WIRE_EV_END:
		if (record->size >= sizeof(*reading->end))
			reading->end = (const void *)record;
		break;
	default:
		break;
	}
}

static void judge(struct trial *trial, const struct reading *reading, const struct server *server,
		  const struct reference *compare)
{
	struct strbuf output = STRBUF_INIT;

	server_output(server, &output);
	judge_ending(&trial->ending, reading->end, reading->note, server->status, server->killed, output.buf);
	if (compare && trial->ending.normal && !reference_harm(compare, trial->ending.outcome) &&
	    (output.len != compare->output.len || memcmp(output.buf, compare->output.buf, output.len)))
		trial->ending.outcome = judge_word("output differs");
	strbuf_release(&output);
}

static void read_numbers(struct trial *trial, const struct reading *reading, const struct wire_header *header)
{
	const struct wire_ev_end *end = reading->end;

	trial->steps = end ? end->steps : header->steps_used;
	trial->hash = end ? end->hash : header->step_hash;
	trial->switches = end ? end->switches : 0;
	trial->threads = end ? end->threads : reading->threads + 1;
	trial->children = header->counters[WIRE_CHILDREN];
	trial->complete = !header->counters[WIRE_LOST_STEPS] && header->steps_used > 0;
}

/* `if (!c) abort();` inlined from assume_abort_if_not: only the place of the abort tells. */
static bool is_assumption(const struct server *server, struct sym *sym, const struct wire_ev_abort *record)
{
	struct arena arena = ARENA_INIT;
	struct describe describe;
	struct wire_cursor at = { 0 };
	const struct wire_record *other;
	struct place place;
	struct frame *frames;
	size_t count;
	bool found = false;

	describe_begin(&describe, sym, &arena);
	while ((other = wire_next(&server->wire, &at)))
		describe_learn(&describe, other);
	place = describe_place(&describe, record->pc, 1);
	count = sym_frames(sym, &arena, &place, &frames, NULL);
	for (size_t i = 0; i < count; i++)
		found |= frames[i].function && !strcmp(frames[i].function, "assume_abort_if_not");
	describe_end(&describe);
	arena_free(&arena);
	return found;
}

void trial_read(struct trial *trial, struct server *server, struct meetings *meetings, struct sym *sym,
		const struct reference *compare)
{
	struct reading reading = { 0 };
	struct wire_cursor at = { 0 };
	const struct wire_record *record;

	while ((record = wire_next(&server->wire, &at)))
		read_record(trial, &reading, record, server, meetings, sym);
	judge(trial, &reading, server, compare);
	if (reading.abort && is_assumption(server, sym, reading.abort))
		trial->ending.counts = false;
	read_numbers(trial, &reading, server->wire.header);
}

static void keep_modules(struct trial *trial, const struct server *server)
{
	struct wire_cursor at = { 0 };
	const struct wire_record *record;

	while ((record = wire_next(&server->wire, &at))) {
		const struct wire_ev_module *module = (const void *)record;
		struct wire_plan_module out;

		if (record->type != WIRE_EV_MODULE || record->size < sizeof(*module))
			continue;
		name_module(&out, module);
		strbuf_add(&trial->modules, &out, sizeof(out));
	}
}

/* A trial that ended without an END record (SIGSEGV) has its switches counted here. */
static unsigned count_switches(const struct wire_step *steps, size_t count)
{
	uint32_t last = 0;
	unsigned switches = 0;

	for (size_t i = 0; i < count; i++)
		if (steps[i].kind == STEP_TURN) {
			switches += steps[i].chosen != last;
			last = steps[i].chosen;
		}
	return switches;
}

void trial_keep(struct trial *trial, const struct server *server)
{
	size_t count;
	const struct wire_step *steps = wire_steps(&server->wire, &count);

	strbuf_reset(&trial->schedule);
	strbuf_reset(&trial->modules);
	strbuf_add(&trial->schedule, steps, count * sizeof(*steps));
	keep_modules(trial, server);
	trial->switches = count_switches(steps, count);
}

void trial_free(struct trial *trial)
{
	VEC_FREE(&trial->hits);
	VEC_FREE(&trial->gates);
	strbuf_release(&trial->schedule);
	strbuf_release(&trial->modules);
	*trial = (struct trial)TRIAL_INIT;
}

const struct trial_hit *trial_hit_of(const struct trial *trial, const char *id)
{
	for (size_t i = 0; i < trial->hits.count; i++)
		if (!strcmp(trial->hits.items[i].meeting->candidate.id, id))
			return &trial->hits.items[i];
	return NULL;
}
