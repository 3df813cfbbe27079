/* fingerprint - see fingerprint.h. The hash is FNV-1a, 64 bit: short strings, no secrets. */
#include "race/fingerprint.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static uint64_t hash_bytes(uint64_t h, const void *data, size_t size)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < size; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h;
}

static uint64_t hash_text(uint64_t h, const char *s)
{
	return hash_bytes(h, s, strlen(s) + 1);
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

static uint64_t hash_place(uint64_t h, const struct place *place)
{
	h = hash_text(h, base_name(place->module));
	return hash_bytes(h, &place->offset, sizeof(place->offset));
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Does a template argument list start at p? Not that of operator< and not "<lambda>". */
static bool starts_template(const char *name, const char *p)
{
	if (*p != '<' || p == name || !is_name_char(p[-1]))
		return false;
	return p - name < 8 || strncmp(p - 8, "operator", 8);
}

static const char *skip_template(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		depth += *p == '<';
		depth -= *p == '>' && p[-1] != '-';
		if (!depth)
			return p + 1;
	}
	return p;
}

/* Template arguments are left out: gcc says "get<long int>", clang "get<long>". */
static uint64_t hash_function(uint64_t h, const char *name)
{
	for (const char *p = name; *p;) {
		if (starts_template(name, p))
			p = skip_template(p);
		else
			h = hash_bytes(h, p++, 1);
	}
	return hash_bytes(h, "", 1);
}

static uint64_t hash_access(const struct access *a)
{
	uint64_t h = 0xcbf29ce484222325ull;

	h = hash_text(h, access_kind_name(a->flags));
	if (!a->line && a->place_count)
		return hash_place(h, &a->places[0]);
	h = hash_text(h, base_name(a->file));
	h = hash_function(h, a->function ? a->function : "??");
	return hash_bytes(h, &a->ordinal, sizeof(a->ordinal));
}

int access_ordinal(int line, int first_line)
{
	return line ? line - first_line : 0;
}

int access_order(const struct access *a, const struct access *b)
{
	uint64_t ha = hash_access(a), hb = hash_access(b);
	int c = strcmp(base_name(a->file), base_name(b->file));

	if (!c)
		c = a->line - b->line;
	if (!c)
		c = (int)access_is_write(b->flags) - (int)access_is_write(a->flags);
	if (!c && ha != hb)
		c = ha < hb ? -1 : 1;
	return c < 0 ? -1 : c > 0;
}

static void name_id(char id[CANDIDATE_ID_SIZE], uint64_t h)
{
	snprintf(id, CANDIDATE_ID_SIZE, "%016llx", (unsigned long long)h);
}

void candidate_identify(struct candidate *c)
{
	uint64_t h[2];

	if (access_order(&c->access[0], &c->access[1]) > 0) {
		struct access t = c->access[0];

		c->access[0] = c->access[1];
		c->access[1] = t;
	}
	/* The id must not depend on lines, the order does: hash as a set. */
	h[0] = hash_access(&c->access[0]);
	h[1] = hash_access(&c->access[1]);
	if (h[0] > h[1]) {
		uint64_t t = h[0];

		h[0] = h[1];
		h[1] = t;
	}
	name_id(c->id, hash_bytes(0xcbf29ce484222325ull, h, sizeof(h)));
}

static uint64_t hash_edge(const struct deadlock_edge *e)
{
	uint64_t h = 0xcbf29ce484222325ull;
	const struct frame *top = e->stack_count ? &e->stack[0] : NULL;

	if (top && top->function) {
		h = hash_text(h, base_name(top->file));
		return hash_text(h, top->function);
	}
	return hash_place(h, &e->wait_at);
}

void deadlock_identify(struct deadlock *d, struct deadlock_edge *edges)
{
	uint64_t h = 0xcbf29ce484222325ull;
	size_t first = 0;

	for (size_t i = 1; i < d->edge_count; i++)
		if (hash_edge(&edges[i]) < hash_edge(&edges[first]))
			first = i;
	for (; first > 0; first--) { /* rotate left by one, cycles are short */
		struct deadlock_edge e = edges[0];

		memmove(edges, edges + 1, (d->edge_count - 1) * sizeof(*edges));
		edges[d->edge_count - 1] = e;
	}
	for (size_t i = 0; i < d->edge_count; i++) {
		uint64_t he = hash_edge(&edges[i]);

		h = hash_bytes(h, &he, sizeof(he));
	}
	d->edges = edges;
	name_id(d->id, hash_bytes(h, "deadlock", 8));
}

void failure_identify(struct failure *f)
{
	uint64_t h = hash_text(0xcbf29ce484222325ull, f->outcome);

	name_id(f->id, hash_text(h, f->message ? f->message : ""));
}
