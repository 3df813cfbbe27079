/* hunt_scan - see hunt_scan.h. */
#include "cli/hunt_scan.h"

#include <string.h>

#include "base/error.h"
#include "base/tty.h"

#define CLAIM_TRIALS 30 /* for what no run has shown: most claims never meet */
#define CLAIMS_TRIED 100 /* the likeliest ones; the rest is in the store for confirm */

void hunt_scan(struct hunt_claims *claims, struct session *session, int argc, char **argv)
{
	struct scan_options how = { .analyse.jobs = (unsigned)trial_options.jobs };
	int count = 0;

	while (count < argc && strcmp(argv[count], "--"))
		count++;
	scanning_split(&session->arena, count, argv, &how.load);
	scanning_defaults(&session->arena, &how);
	if (scan_run(&claims->scan, &session->arena, &how)) {
		progress_clear();
		cli_say("scan: %s; going on without", error_message());
		return;
	}
	claims->scanned = true;
	scanning_say(&claims->scan);
}

/* ---- into the store ----------------------------------------------------------------------------- */

static int put_candidate(void *context, const struct candidate *candidate)
{
	struct session *session = context;
	bool is_new;

	return store_put_candidate(session->store, session->run, candidate, &is_new);
}

static void put_counter(void *context, const char *name, uint64_t value)
{
	struct session *session = context;

	store_put_counter(session->store, session->run, name, value);
}

int hunt_put_claims(const struct hunt_claims *claims, struct session *session)
{
	struct find_sink sink = { .candidate = put_candidate, .counter = put_counter, .context = session };

	return claims->scanned ? scan_put(&claims->scan, &sink) : 0;
}

/* ---- trials -------------------------------------------------------------------------------------- */

static bool was_found(const struct judge_list *list, const char *id)
{
	for (size_t i = 0; i < list->ids.count; i++)
		if (!strcmp(list->ids.items[i].id, id))
			return true;
	return false;
}

/* How many were left for later. */
static size_t list_claims(const struct scan *scan, const struct judge_list *seen, struct judge_list *list)
{
	size_t left = 0;

	for (size_t i = 0; i < scan->claim_count; i++) {
		const char *id = scan->claims[i].candidate.id;

		if (was_found(seen, id))
			continue;
		if (list->ids.count < CLAIMS_TRIED)
			judge_add(list, id);
		else
			left++;
	}
	return left;
}

int hunt_judge_claims(const struct hunt_claims *claims, struct session *session, const struct judge_list *seen,
		      struct judge_count *count)
{
	struct judge_list list = { .found = true, .lenient = true };
	struct confirm_options *how = &session->confirm.options, before = *how;
	size_t left = claims->scanned ? list_claims(&claims->scan, seen, &list) : 0;
	int result = 0;

	if (how->trials > CLAIM_TRIALS)
		how->trials = CLAIM_TRIALS;
	if (list.ids.count) {
		cli_say("confirm: %zu claimed by scan alone, at most %u trials each%s", list.ids.count, how->trials,
			left ? arena_printf(&session->arena, "; %zu more are left for deadheat confirm", left) : "");
		result = judge_all(session, &list, cli_quiet ? NULL : stderr, count);
	}
	*how = before;
	judge_free(&list);
	return result;
}

/* ---- the verdict ---------------------------------------------------------------------------------- */

void hunt_settle_verdict(const struct hunt_claims *claims, struct report *report)
{
	bool proved = claims->scanned && claims->scan.result.race_free && !claims->scan.result.pair_count;

	if (!claims->scanned)
		return;
	scanning_assumptions(&claims->scan, report);
	if (proved && report->verdict == VERDICT_RACY)
		cli_say("scan had called it race-free: that was wrong, please report it");
	else if (proved)
		report->verdict = VERDICT_RACE_FREE;
	else if (report->verdict == VERDICT_CLEAN)
		cli_say("scan: no proof: it had to take something for granted, see deadheat scan");
}
