/*
 * campaigning - confirm as a campaign: its trials go into the store as leases, which this
 * process and every `deadheat work` take from there.
 */
#ifndef CLI_CAMPAIGNING_H
#define CLI_CAMPAIGNING_H

#include "cli/judge_all.h"
#include "cli/session.h"
#include "confirm/campaign.h"

struct campaigning {
	struct campaign_order order; /* the name and the budget; targets are filled in */
	bool detach;                 /* leave it to workers */
};

/* 1 there is a campaign of that name, 0 not, -1 error. */
int campaigning_exists(const char *name);
/* The findings of the list, on the session's program. 0; -1 with one clear line. */
int campaigning_begin(struct campaigning *campaigning, struct session *session, struct judge_list *list);
/* Work for it, or leave it to others, and print one line for each target. The exit status. */
int campaigning_run(const struct campaigning *campaigning, bool goes_on);
/*
 * The name of a campaign nobody named: the same program, options and findings give the same
 * one, so the same command goes on where it was stopped.
 */
const char *campaigning_name(struct session *session, struct judge_list *list);

#endif
