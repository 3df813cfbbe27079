/* sarif_flow - stacks, and the two sides of a pair as thread flows (see format_sarif.c). */
#include "report/lanes.h"
#include "report/sarif.h"

void sarif_stack(struct json *j, const struct report *r, const char *text, const struct frame *stack, size_t count)
{
	json_begin(j, '{');
	sarif_message(j, "message", text);
	put_begin(j, "frames", '[');
	for (size_t i = 0; i < count; i++) {
		json_begin(j, '{');
		put_begin(j, "location", '{');
		sarif_place(j, r, stack[i].file, stack[i].line, stack[i].column, &stack[i].place);
		sarif_function(j, stack[i].function);
		json_end(j, '}');
		if (stack[i].place.module && *stack[i].place.module)
			put_text(j, "module", stack[i].place.module);
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
}

static void put_flow_access(struct json *j, const struct report *r, char side, const struct access *a, const char *variable,
			    size_t order)
{
	json_begin(j, '{');
	put_begin(j, "location", '{');
	sarif_access(j, r, a);
	sarif_message(j, "message", sarif_access_text(r->arena, side, a));
	json_end(j, '}');
	put_begin(j, "kinds", '[');
	json_text(j, "memory");
	json_end(j, ']');
	if (a->value) {
		put_begin(j, "state", '{');
		sarif_message(j, variable ? variable : "value", a->value);
		json_end(j, '}');
	}
	put_number(j, "executionOrder", order);
	put_text(j, "importance", "essential");
	json_end(j, '}');
}

/* Without the source: a schedule has many steps. */
static void put_step_place(struct json *j, const struct report *r, const struct lane_line *line)
{
	if (line->file && line->line > 0) {
		put_begin(j, "physicalLocation", '{');
		sarif_artifact(j, r, line->file);
		sarif_region(j, NULL, line->line, 0);
		json_end(j, '}');
	}
	sarif_function(j, line->function);
}

static void put_flow_step(struct json *j, const struct report *r, const struct lane_line *line, size_t order)
{
	json_begin(j, '{');
	put_begin(j, "location", '{');
	put_step_place(j, r, line);
	sarif_message(j, "message", line->word);
	json_end(j, '}');
	put_number(j, "executionOrder", order);
	put_text(j, "importance", line->side ? "essential" : "important");
	json_end(j, '}');
}

/* The thread of each side in the last meeting: by the sides its steps name, else as they come. */
static bool meeting_threads(const struct lanes *lanes, uint32_t threads[2])
{
	size_t at = lanes->count;

	for (size_t i = 0; i < lanes->count; i++)
		if (lanes->lines[i].kind == LANE_MEETING)
			at = i;
	if (at == lanes->count)
		return false;
	threads[0] = lanes->lines[at].thread;
	threads[1] = lanes->lines[at].other;
	while (at-- > 0) {
		const struct lane_line *line = &lanes->lines[at];

		if (line->kind != LANE_STEP || !line->side)
			continue;
		if (line->thread == threads[line->side == 'a']) {
			threads[line->side == 'a'] = threads[line->side == 'b'];
			threads[line->side == 'b'] = line->thread;
			return true;
		}
		if (line->thread == threads[line->side == 'b'])
			return true;
	}
	return true;
}

static void put_steps(struct json *j, const struct report *r, const struct lanes *lanes, uint32_t thread)
{
	for (size_t i = 0; i < lanes->count; i++)
		if (lanes->lines[i].kind == LANE_STEP && lanes->lines[i].thread == thread)
			put_flow_step(j, r, &lanes->lines[i], i + 1);
}

static void put_thread_flow(struct json *j, const struct report *r, const struct candidate *c, int side,
			    const struct lanes *lanes, const uint32_t threads[2])
{
	const struct access *a = &c->access[side];

	json_begin(j, '{');
	put_text(j, "id", side ? "b" : "a");
	sarif_message(j, "message", lanes ? arena_printf(r->arena, "T%u", threads[side]) : a->thread ? a->thread : "a thread");
	put_begin(j, "locations", '[');
	if (lanes)
		put_steps(j, r, lanes, threads[side]);
	put_flow_access(j, r, (char)('a' + side), a, c->variable, lanes ? lanes->count + 1 : 1);
	json_end(j, ']');
	json_end(j, '}');
}

void sarif_code_flow(struct json *j, const struct report *r, const struct candidate *c)
{
	struct lanes lanes;
	uint32_t threads[2];
	bool drawn = c->witness && lanes_read(r, c->id, &lanes) && meeting_threads(&lanes, threads);

	put_begin(j, "codeFlows", '[');
	json_begin(j, '{');
	sarif_message(j, "message", drawn ? "the steps of the two threads up to and after their meeting; last, the two accesses that met"
					: "nothing orders the two accesses");
	put_begin(j, "threadFlows", '[');
	for (int side = 0; side < 2; side++)
		put_thread_flow(j, r, c, side, drawn ? &lanes : NULL, threads);
	json_end(j, ']');
	json_end(j, '}');
	json_end(j, ']');
}
