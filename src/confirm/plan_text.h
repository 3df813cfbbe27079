/* plan_text - what a campaign's workers are told, as text; see plan_text.c. 0 / -1 throughout. */
#ifndef CONFIRM_PLAN_TEXT_H
#define CONFIRM_PLAN_TEXT_H

#include "confirm/internal.h"

void plan_text_target(struct strbuf *out, const struct wire_plan_parts *parts);
/* The context's reference must have been taken. */
void plan_text_campaign(struct strbuf *out, const struct confirm_context *context, const struct wire_plan_parts *points);

/* Modules, sites and edges of parts; the rest stays. In arena. */
int plan_text_read_target(const char *text, struct arena *arena, struct wire_plan_parts *parts);
int plan_text_read_options(const char *text, struct arena *arena, struct confirm_options *options);
/* How the program ends, into the pool; the points. */
int plan_text_read_campaign(const char *text, struct arena *arena, struct confirm_pool *pool,
			    struct wire_plan_parts *points);

#endif
