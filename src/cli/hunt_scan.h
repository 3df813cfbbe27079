/*
 * hunt_scan - scan's part of `hunt FILE.c...`: claims, their trials, and the overall verdict.
 */
#ifndef CLI_HUNT_SCAN_H
#define CLI_HUNT_SCAN_H

#include "cli/judge_all.h"
#include "cli/scanning.h"
#include "cli/session.h"

struct hunt_claims {
	struct scan scan; /* in the session's arena, to be freed before it */
	bool scanned;
};

/* FILE.c... [-- ARG...] as it was typed. Trouble is a remark: no reason not to run the program. */
void hunt_scan(struct hunt_claims *claims, struct session *session, int argc, char **argv);
/* Claims and counters into the store, before the first run. */
int hunt_put_claims(const struct hunt_claims *claims, struct session *session);
/* Those that no run has shown, the likeliest first, with less trials than what was seen. */
int hunt_judge_claims(const struct hunt_claims *claims, struct session *session, const struct judge_list *seen,
		      struct judge_count *count);
/* Shown beats proved, proved beats suspected. */
void hunt_settle_verdict(const struct hunt_claims *claims, struct report *report);

#endif
