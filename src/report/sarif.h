/* sarif - what the parts of the SARIF report share; format_sarif.c says how findings become results. */
#ifndef REPORT_SARIF_H
#define REPORT_SARIF_H

#include "report/internal.h"
#include "report/put.h"

#define SARIF_ROOT "%SRCROOT%" /* the base of relative file names */

/* format_sarif.c */
struct sarif_rule {
	const char *id, *name, *text, *help;
	bool shown; /* results of it happened */
};
enum { RULE_RACE, RULE_PAIR, RULE_DEADLOCK, RULE_CYCLE, RULE_FAILURE, RULE_COUNT };
extern const struct sarif_rule sarif_rules[RULE_COUNT];

/* sarif_place.c: "key": { "text": text }; the members of a location. The caller opens and closes it. */
void sarif_message(struct json *j, const char *key, const char *text);
const char *sarif_uri(struct arena *arena, const char *prefix, const char *path);
void sarif_artifact(struct json *j, const struct report *r, const char *path);
void sarif_region(struct json *j, const char *source, int line, int column);
/* A line of a source file, else an address in a module, else nothing. */
void sarif_place(struct json *j, const struct report *r, const char *file, int line, int column, const struct place *place);
void sarif_function(struct json *j, const char *function);
void sarif_access(struct json *j, const struct report *r, const struct access *a);
const char *sarif_access_text(struct arena *arena, char side, const struct access *a);

/* sarif_flow.c: a stack; the two thread flows of a pair. */
void sarif_stack(struct json *j, const struct report *r, const char *text, const struct frame *stack, size_t count);
void sarif_code_flow(struct json *j, const struct report *r, const struct candidate *c);

/* sarif_result.c: the members of a result. */
typedef void sarif_writer(struct json *j, const struct report *r, const void *finding);
sarif_writer sarif_candidate, sarif_deadlock, sarif_failure, sarif_absent;

#endif
