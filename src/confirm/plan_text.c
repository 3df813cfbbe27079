/*
 * plan_text - the plans of a campaign as JSON in the store: docs/store.md describes them.
 *
 * A campaign's text has the options of its trials, how the program ends undisturbed (so that
 * all workers judge alike, however it behaves on their machine) and the points: accesses of all
 * its targets, which the loose trials (search.c) have as scheduling points. A target's text has
 * its sites or lock edges. Both are of one build; a worker with another does not work at it.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "confirm/internal.h"
#include "confirm/plan_text.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void put_number(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_number(j, (int64_t)value);
}

static void put_text(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	json_text(j, value);
}

static void put_flag(struct json *j, const char *key, bool value)
{
	json_key(j, key);
	json_flag(j, value);
}

static void put_numbers(struct json *j, const uint32_t *numbers, size_t count)
{
	json_begin(j, '[');
	for (size_t i = 0; i < count; i++)
		json_number(j, numbers[i]);
	json_end(j, ']');
}

static void put_parts(struct json *j, const struct wire_plan_parts *parts)
{
	json_key(j, "modules");
	json_begin(j, '[');
	for (size_t i = 0; i < parts->module_count; i++) {
		json_begin(j, '[');
		json_text(j, parts->modules[i].build_id);
		json_text(j, parts->modules[i].path);
		json_end(j, ']');
	}
	json_end(j, ']');
	json_key(j, "sites");
	json_begin(j, '[');
	for (size_t i = 0; i < parts->site_count; i++)
		put_numbers(j, (const uint32_t *)&parts->sites[i], 4);
	json_end(j, ']');
	json_key(j, "edges");
	json_begin(j, '[');
	for (size_t i = 0; i < parts->edge_count; i++)
		put_numbers(j, (const uint32_t *)&parts->edges[i], 4);
	json_end(j, ']');
}
_Static_assert(sizeof(struct wire_plan_site) == 16 && sizeof(struct wire_plan_edge) == 16, "four numbers each");

void plan_text_target(struct strbuf *out, const struct wire_plan_parts *parts)
{
	struct json j = JSON_INIT(out);

	json_begin(&j, '{');
	put_parts(&j, parts);
	json_end(&j, '}');
}

static void put_options(struct json *j, const struct confirm_context *context)
{
	const struct confirm_options *o = &context->options;

	put_text(j, "fill", o->fill);
	put_number(j, "depth", o->depth);
	put_number(j, "steps", plan_step_limit(context, true));
	put_number(j, "length", context->pool->length);
	put_number(j, "wall_ms", o->wall_ms);
	put_flag(j, "pin", o->pin);
	put_flag(j, "spurious", o->spurious);
	put_flag(j, "shrink", o->shrink);
	put_text(j, "stdin", o->stdin_file);
}

static void put_hex(struct json *j, const char *key, const struct strbuf *bytes)
{
	struct strbuf hex = STRBUF_INIT;

	for (size_t i = 0; i < bytes->len; i++)
		strbuf_printf(&hex, "%02x", (unsigned char)bytes->buf[i]);
	put_text(j, key, hex.buf);
	strbuf_release(&hex);
}

static void put_reference(struct json *j, const struct confirm_context *context)
{
	const struct reference *r = &context->pool->reference;

	json_key(j, "outcomes");
	json_begin(j, '[');
	for (size_t i = 0; i < r->outcomes.count; i++)
		json_text(j, r->outcomes.items[i]);
	json_end(j, ']');
	put_flag(j, "normal", r->normal);
	put_flag(j, "good", r->good);
	put_flag(j, "endless", r->endless);
	if (context->options.compare_output)
		put_hex(j, "output", &r->output);
}

void plan_text_campaign(struct strbuf *out, const struct confirm_context *context, const struct wire_plan_parts *points)
{
	struct json j = JSON_INIT(out);

	json_begin(&j, '{');
	put_number(&j, "format", 1);
	put_options(&j, context);
	put_reference(&j, context);
	put_parts(&j, points);
	json_end(&j, '}');
}

/* ---- reading ------------------------------------------------------------------------------------ */

static int damaged(const char *what)
{
	return error("the plan of this campaign is damaged (%s): delete it and begin anew", what);
}

static json_t *parse(const char *text)
{
	json_error_t where;
	json_t *root = json_loads(text, 0, &where);

	if (!root)
		damaged(where.text);
	return root;
}

static bool get_numbers(const json_t *list, uint32_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] = (uint32_t)json_integer_value(json_array_get(list, i));
	return json_array_size(list) == count;
}

static int get_parts(struct arena *arena, const json_t *root, struct wire_plan_parts *parts)
{
	const json_t *modules = json_object_get(root, "modules"), *sites = json_object_get(root, "sites");
	const json_t *edges = json_object_get(root, "edges");
	size_t m = json_array_size(modules), s = json_array_size(sites), e = json_array_size(edges);
	struct wire_plan_module *module = ARENA_ARRAY(arena, struct wire_plan_module, m + 1);
	struct wire_plan_site *site = ARENA_ARRAY(arena, struct wire_plan_site, s + 1);
	struct wire_plan_edge *edge = ARENA_ARRAY(arena, struct wire_plan_edge, e + 1);
	bool good = true;

	for (size_t i = 0; i < m; i++) {
		const char *id = json_string_value(json_array_get(json_array_get(modules, i), 0));
		const char *path = json_string_value(json_array_get(json_array_get(modules, i), 1));

		snprintf(module[i].build_id, sizeof(module[i].build_id), "%s", id ? id : "");
		snprintf(module[i].path, sizeof(module[i].path), "%s", path ? path : "");
	}
	for (size_t i = 0; i < s; i++)
		good &= get_numbers(json_array_get(sites, i), (uint32_t *)&site[i], 4) && site[i].module < m;
	for (size_t i = 0; i < e; i++)
		good &= get_numbers(json_array_get(edges, i), (uint32_t *)&edge[i], 4) && edge[i].held_at.module < m &&
			edge[i].wait_at.module < m;
	parts->modules = module;
	parts->module_count = m;
	parts->sites = site;
	parts->site_count = s;
	parts->edges = edge;
	parts->edge_count = e;
	return good ? 0 : damaged("sites");
}

int plan_text_read_target(const char *text, struct arena *arena, struct wire_plan_parts *parts)
{
	json_t *root = parse(text);
	int result = root ? get_parts(arena, root, parts) : -1;

	json_decref(root);
	return result;
}

static void get_options(const json_t *root, struct arena *arena, struct confirm_options *o)
{
	const char *fill = json_string_value(json_object_get(root, "fill"));

	o->fill = arena_strdup(arena, fill ? fill : "random");
	o->depth = (unsigned)json_integer_value(json_object_get(root, "depth"));
	o->step_limit = (uint64_t)json_integer_value(json_object_get(root, "steps"));
	o->wall_ms = (uint64_t)json_integer_value(json_object_get(root, "wall_ms"));
	o->wall_auto = false;
	o->pin = json_is_true(json_object_get(root, "pin"));
	o->spurious = json_is_true(json_object_get(root, "spurious"));
	o->shrink = json_is_true(json_object_get(root, "shrink"));
	o->compare_output = json_object_get(root, "output") != NULL;
	o->stdin_file = arena_strdup(arena, json_string_value(json_object_get(root, "stdin")));
}

int plan_text_read_options(const char *text, struct arena *arena, struct confirm_options *options)
{
	json_t *root = parse(text);

	if (!root)
		return -1;
	get_options(root, arena, options);
	json_decref(root);
	return plan_policy(options->fill) < 0 ? damaged("fill") : 0;
}

static void get_output(const char *hex, struct strbuf *out)
{
	unsigned byte;

	for (; hex && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		strbuf_putc(out, (char)byte);
}

static void get_reference(const json_t *root, struct confirm_pool *pool)
{
	const json_t *outcomes = json_object_get(root, "outcomes");

	for (size_t i = 0; i < json_array_size(outcomes); i++) {
		const char *word = json_string_value(json_array_get(outcomes, i));

		VEC_PUSH(&pool->reference.outcomes, judge_word("%s", word ? word : ""));
	}
	pool->reference.normal = json_is_true(json_object_get(root, "normal"));
	pool->reference.good = json_is_true(json_object_get(root, "good"));
	pool->reference.endless = json_is_true(json_object_get(root, "endless"));
	get_output(json_string_value(json_object_get(root, "output")), &pool->reference.output);
	pool->length = (uint64_t)json_integer_value(json_object_get(root, "length"));
	pool->have_reference = true;
}

int plan_text_read_campaign(const char *text, struct arena *arena, struct confirm_pool *pool,
			    struct wire_plan_parts *points)
{
	json_t *root = parse(text);
	int result = root ? get_parts(arena, root, points) : -1;

	if (!result)
		get_reference(root, pool);
	json_decref(root);
	return result;
}
