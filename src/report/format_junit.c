/*
 * format_junit - test results for CI servers: a finding is a test case.
 *
 * What was shown fails; what is not confirmed or is suppressed is skipped, with the reason:
 * neither a pass nor a failure would be true. A report without findings is one case that
 * passes. The body of a case is the text report of the finding.
 */
#include <stdlib.h>
#include <string.h>

#include "report/internal.h"

/* ---- XML ----------------------------------------------------------------------------------- */

/* Length of the UTF-8 character here if XML 1.0 may hold it, else 0. */
static int xml_character(const unsigned char *p)
{
	int length = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;
	unsigned code = length == 1 ? *p : *p & (0xffu >> (length + 1));

	if (length == 1)
		return *p >= ' ' || *p == '\n' || *p == '\t';
	for (int i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if ((length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10ffff)))
		return 0;
	return (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff ? 0 : length;
}

/* Escaped for text and for attributes in double quotes; what XML cannot hold becomes '?'. */
static void put_xml(FILE *out, const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p;) {
		int length = xml_character(p);

		if (*p == '&' || *p == '<' || *p == '>' || *p == '"')
			fputs(*p == '&' ? "&amp;" : *p == '<' ? "&lt;" : *p == '>' ? "&gt;" : "&quot;", out);
		else if (length)
			fwrite(p, 1, (size_t)length, out);
		else
			fputc('?', out);
		p += length ? length : 1;
	}
}

static void put_attribute(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	put_xml(out, text);
	fputc('"', out);
}

/* ---- cases ------------------------------------------------------------------------------------ */

struct finding {
	const char *id, *title, *group; /* group: the class name tools sort by */
	const char *file;               /* NULL if unknown */
	int line;
	const char *type;               /* of the failure */
	const char *skipped;            /* why it neither passes nor fails, or NULL */
};

static void put_body(const struct report *r, FILE *out, const char *id)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	report_show(r, memory, id);
	fclose(memory);
	put_xml(out, text);
	free(text);
}

static void put_case(const struct report *r, FILE *out, const struct finding *f)
{
	const char *state = baseline_state(r, f->id);

	fputs("    <testcase", out);
	put_attribute(out, "classname", f->group);
	put_attribute(out, "name", arena_printf(r->arena, "%s (%s)", f->title, f->id));
	if (f->file && *f->file) {
		put_attribute(out, "file", f->file);
		put_attribute(out, "line", arena_printf(r->arena, "%d", f->line));
	}
	fputs(">\n", out);
	if (state) {
		fputs("      <properties><property name=\"baseline\"", out);
		put_attribute(out, "value", state);
		fputs("/></properties>\n", out);
	}
	if (f->skipped) {
		fputs("      <skipped", out);
		put_attribute(out, "message", f->skipped);
		fputs("/>\n      <system-out>", out);
		put_body(r, out, f->id);
		fputs("</system-out>\n", out);
	} else {
		fputs("      <failure", out);
		put_attribute(out, "type", f->type);
		put_attribute(out, "message", f->title);
		fputc('>', out);
		put_body(r, out, f->id);
		fputs("</failure>\n", out);
	}
	fputs("    </testcase>\n", out);
}

static const char *suppression(const struct report *r, const char *reason)
{
	return reason ? arena_printf(r->arena, "suppressed: %s", reason) : NULL;
}

static struct finding of_candidate(const struct report *r, const struct candidate *c)
{
	struct finding f = { c->id, report_title(r->arena, c), "deadheat.races", c->access[0].file, c->access[0].line,
			     c->rung >= RUNG_HARMFUL ? "harmful data race" : "data race", suppression(r, c->suppressed) };

	if (!c->suppressed && c->rung < RUNG_CONFIRMED)
		f.skipped = arena_printf(r->arena, "%s, not confirmed: hit in %u of %u trials", rung_name(c->rung), c->hits, c->trials);
	return f;
}

static struct finding of_deadlock(const struct report *r, const struct deadlock *d)
{
	const struct frame *at = d->edge_count && d->edges[0].stack_count ? &d->edges[0].stack[0] : NULL;
	struct finding f = { d->id, deadlock_title(r->arena, d), "deadheat.deadlocks", at ? at->file : NULL, at ? at->line : 0,
				 "deadlock", suppression(r, d->suppressed) };

	if (!d->suppressed && d->rung < RUNG_CONFIRMED)
		f.skipped = "suspected, not confirmed: a cycle in the order of locks";
	return f;
}

static struct finding of_failure(const struct report *r, const struct failure *f)
{
	return (struct finding){ f->id, failure_title(r->arena, f), "deadheat.failures", NULL, 0, f->outcome,
				 suppression(r, f->suppressed) };
}

/* ---- the document --------------------------------------------------------------------------------- */

static void count_cases(const struct report *r, size_t *all, size_t *failed, size_t *skipped)
{
	const struct store_findings *f = &r->findings;

	*all = f->candidate_count + f->deadlock_count + f->failure_count;
	*failed = 0;
	for (size_t i = 0; i < f->failure_count; i++)
		*failed += !f->failures[i].suppressed;
	for (size_t i = 0; i < f->candidate_count; i++)
		*failed += is_shown_race(&f->candidates[i]);
	for (size_t i = 0; i < f->deadlock_count; i++)
		*failed += f->deadlocks[i].rung >= RUNG_CONFIRMED && !f->deadlocks[i].suppressed;
	*skipped = *all - *failed;
}

static void put_counters(const struct report *r, FILE *out)
{
	fputs("    <properties>\n      <property name=\"verdict\"", out);
	put_attribute(out, "value", verdict_name(r->verdict));
	fputs("/>\n", out);
	for (size_t i = 0; i < r->findings.counter_count; i++) {
		fputs("      <property", out);
		put_attribute(out, "name", r->findings.counters[i].name);
		fprintf(out, " value=\"%llu\"/>\n", (unsigned long long)r->findings.counters[i].value);
	}
	fputs("    </properties>\n", out);
}

static void put_cases(const struct report *r, FILE *out)
{
	const struct store_findings *f = &r->findings;
	struct finding finding;

	for (size_t i = 0; i < f->candidate_count; i++) {
		finding = of_candidate(r, &f->candidates[i]);
		put_case(r, out, &finding);
	}
	for (size_t i = 0; i < f->deadlock_count; i++) {
		finding = of_deadlock(r, &f->deadlocks[i]);
		put_case(r, out, &finding);
	}
	for (size_t i = 0; i < f->failure_count; i++) {
		finding = of_failure(r, &f->failures[i]);
		put_case(r, out, &finding);
	}
}

int report_junit(const struct report *r, FILE *out)
{
	size_t all, failed, skipped;

	count_cases(r, &all, &failed, &skipped);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	fprintf(out, "<testsuites name=\"deadheat\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n", all ? all : 1, failed,
		skipped);
	fprintf(out, "  <testsuite name=\"deadheat\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n", all ? all : 1,
		failed, skipped);
	put_counters(r, out);
	put_cases(r, out);
	if (!all)
		fputs("    <testcase classname=\"deadheat.races\" name=\"nothing was suspected\"/>\n", out);
	fputs("  </testsuite>\n</testsuites>\n", out);
	return finish_report(out);
}
