/*
 * judge_all - confirm a list of findings, one line each as it is judged.
 */
#ifndef CLI_JUDGE_ALL_H
#define CLI_JUDGE_ALL_H

#include <stdio.h>

#include "base/vec.h"
#include "cli/session.h"

struct judge_id {
	char id[CANDIDATE_ID_SIZE];
};

struct judge_list {
	bool all;                    /* whatever the store has, not suppressed: the likeliest first */
	uint64_t top;                /* all: no more than these; 0: no limit */
	bool found;                  /* found just now, not named by a person: suppressed ones are let be */
	bool lenient;                /* claims without a run: one that has no site in this program is skipped with a remark */
	VEC(struct judge_id) ids;    /* else these */
};

struct judge_count {
	unsigned judged, confirmed, harmful, skipped;
};

/* An id once. */
void judge_add(struct judge_list *list, const char *id);
void judge_free(struct judge_list *list);
/*
 * Lines go to out (NULL: none). Pairs met on the way are judged too. A finding without a
 * site in this program is skipped with a remark when all are asked for, an error when named.
 */
/* Into the list: all findings of this program that are not suppressed. */
int judge_add_all(struct session *session, struct judge_list *list);
int judge_all(struct session *session, struct judge_list *list, FILE *out, struct judge_count *count);

#endif
