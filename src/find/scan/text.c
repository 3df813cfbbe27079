/*
 * text - paths as C would say them: d->priv->lock, queue.items[0].len. As in the paper, [0] stands for
 * every element of an array.
 *
 * Field names come from the type a path is known to point to (hint): for globals and locals their own,
 * for pointers the first structure a field was taken of. Without one it is (*p).16.
 */
#include <string.h>

#include "find/scan/intern.h"

static void value_text(struct scan *s, struct strbuf *out, path_id path);

/* Types that are themselves the thing meant, a lock, and are not taken apart. */
static bool is_whole(const char *type)
{
	static const char *const names[] = { "pthread_", "sem_t", "mtx_t", "cnd_t", "once_flag", "spinlock", "struct mutex", "rw_semaphore", "atomic_t" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strstr(type, names[i]))
			return true;
	return false;
}

/* Appends ".a.b[0]" for an offset within a type; false: the type does not say. */
static bool field_text(struct scan *s, struct strbuf *out, uint32_t type, int64_t off, const char *first)
{
	const struct ir_unit *unit;
	uint32_t index;

	if (type == IR_NO || type >= s->program->type_count)
		return false;
	unit = &s->program->units[s->program->types[type].unit];
	index = s->program->types[type].index;
	for (int depth = 0; depth < 8 && index != IR_NO; depth++) {
		const struct ir_type *t = &unit->types[index];
		const struct ir_field *hit = NULL;

		if (!off && is_whole(ir_string(unit, t->name)))
			return true;
		if (t->element_size) {
			strbuf_puts(out, "[0]");
			off %= (int64_t)t->element_size;
			index = t->element;
			first = ".";
			continue;
		}
		for (uint32_t i = 0; i < t->field_count && !hit; i++) {
			const struct ir_field *f = &unit->fields[t->first_field + i];

			if (off >= (int64_t)f->offset && (off < (int64_t)(f->offset + f->size) || (!f->size && off == (int64_t)f->offset)))
				hit = f;
		}
		if (!hit)
			return depth > 0;
		if (*ir_string(unit, hit->name))
			strbuf_printf(out, "%s%s", first, ir_string(unit, hit->name));
		else if (hit->type == IR_NO)
			return depth > 0;
		first = *ir_string(unit, hit->name) ? "." : first;
		off -= (int64_t)hit->offset;
		index = hit->type;
		if (index != IR_NO && !off && is_whole(ir_string(unit, hit->type_name)))
			return true;
	}
	return true;
}

static const char *alloca_name(struct scan *s, const struct path *p)
{
	const struct function_info *info = &s->functions[p->a];
	const struct ir_unit *unit = scan_unit(s, p->a);

	for (uint32_t i = 0; i < info->instr_count; i++) {
		const struct ir_instr *in = &unit->instrs[info->first_instr + i];

		if (in->dst == p->b && in->op == IR_ALLOCA && in->field != IR_NO && *ir_string(unit, in->field))
			return ir_string(unit, in->field);
	}
	return "local";
}

static const struct ir_location *value_location(struct scan *s, uint32_t f, uint32_t v)
{
	const struct function_info *info = &s->functions[f];
	const struct ir_unit *unit = scan_unit(s, f);

	for (uint32_t i = 0; i < info->instr_count; i++)
		if (unit->instrs[info->first_instr + i].dst == v)
			return &unit->locations[unit->instrs[info->first_instr + i].loc];
	return &unit->locations[0];
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The name of an object (not of a pointer), and its type. */
static bool object_text(struct scan *s, struct strbuf *out, path_id root, uint32_t *type)
{
	const struct path *p = path_at(s, path_unwrap(s, root));
	const struct ir_global *g;
	const struct ir_location *loc;

	*type = p->hint;
	switch (p->kind) {
	case PATH_GLOBAL:
		g = linked_global(s->program, p->a);
		strbuf_puts(out, ir_string(&s->program->units[s->program->globals[p->a].unit], *ir_string(&s->program->units[s->program->globals[p->a].unit], g->display) ? g->display : g->name));
		*type = g->type == IR_NO ? IR_NO : s->program->type_of[s->program->globals[p->a].unit][g->type];
		return true;
	case PATH_STACK:
		strbuf_puts(out, alloca_name(s, p));
		return true;
	case PATH_FIXED:
		strbuf_puts(out, p->a < s->fixed.count ? s->fixed.items[p->a] : "*");
		return true;
	case PATH_HEAP:
		loc = value_location(s, p->a, p->b);
		strbuf_printf(out, "(heap object of %s:%u)", base_name(ir_string(scan_unit(s, p->a), loc->file)), loc->line);
		return false;
	default:
		return false;
	}
}

static void lvalue_text(struct scan *s, struct strbuf *out, path_id base, int64_t off)
{
	const struct path *p = path_at(s, base);
	uint32_t type = p->hint;
	size_t at;

	if (p->kind == PATH_INDEX) {
		lvalue_text(s, out, path_at(s, p->base)->kind == PATH_FIELD ? path_at(s, p->base)->base : p->base,
			    path_at(s, p->base)->kind == PATH_FIELD ? path_at(s, p->base)->off : 0);
		if (out->len < 3 || strcmp(out->buf + out->len - 3, "[0]"))
			strbuf_puts(out, "[0]");
		if (off || type != IR_NO)
			if (!field_text(s, out, type, off, ".") && off)
				strbuf_printf(out, ".%lld", (long long)off);
		return;
	}
	if (path_is_object(s, base)) {
		if (object_text(s, out, base, &type)) {
			if (!field_text(s, out, type, off, ".") && off)
				strbuf_printf(out, ".%lld", (long long)off);
			return;
		}
		if (!field_text(s, out, type, off, "->") && off)
			strbuf_printf(out, "->%lld", (long long)off);
		return;
	}
	at = out->len;
	value_text(s, out, base);
	if (field_text(s, out, type, off, "->"))
		return;
	if (!off) {
		struct strbuf copy = STRBUF_INIT;

		strbuf_puts(&copy, out->buf + at);
		out->len = at;
		if (out->size)
			out->buf[at] = 0;
		strbuf_printf(out, "*%s", copy.buf);
		strbuf_release(&copy);
		return;
	}
	strbuf_printf(out, "->%lld", (long long)off);
}

/* What a path's value is called: of LOAD(a) the lvalue at a. */
static void value_text(struct scan *s, struct strbuf *out, path_id path)
{
	const struct path *p = path_at(s, path), *v;
	const char *name;

	switch (p->kind) {
	case PATH_INT:
		strbuf_printf(out, "%lld", (long long)p->off);
		return;
	case PATH_LOAD:
		path_text(s, out, p->base, true);
		return;
	case PATH_VALUE: case PATH_CALL: case PATH_PARENT: case PATH_OWN:
		v = path_at(s, path_unwrap(s, path));
		if (v->kind != PATH_VALUE && v->kind != PATH_OWN) {
			strbuf_putc(out, '&');
			path_text(s, out, path, true);
			return;
		}
		if (v->b < scan_function(s, v->a)->formal_count) {
			name = ir_string(scan_unit(s, v->a), scan_unit(s, v->a)->formal_names[scan_function(s, v->a)->first_formal + v->b]);
			if (*name)
				strbuf_puts(out, name);
			else
				strbuf_printf(out, "arg%u", v->b);
			return;
		}
		strbuf_printf(out, "(pointer of %s:%u)", base_name(ir_string(scan_unit(s, v->a), value_location(s, v->a, v->b)->file)),
			      value_location(s, v->a, v->b)->line);
		return;
	case PATH_CLASS:
		strbuf_puts(out, "(some pointer)");
		return;
	case PATH_FUNCTION:
		strbuf_puts(out, ir_string(scan_unit(s, p->a), scan_function(s, p->a)->display));
		return;
	default:
		strbuf_putc(out, '&');
		path_text(s, out, path, true);
		return;
	}
}

void path_text(struct scan *s, struct strbuf *out, path_id address, bool as_lvalue)
{
	const struct path *p = path_at(s, address);

	if (!as_lvalue) {
		value_text(s, out, address);
		return;
	}
	if (p->kind == PATH_FIELD)
		lvalue_text(s, out, p->base, p->off);
	else
		lvalue_text(s, out, address, 0);
}
