/*
 * lease - see campaign.h: workers, and the trials they take.
 *
 * A lease runs out LEASE_MS after its worker last showed itself; a worker does so at least
 * every LEASE_MS / 6 (confirm/work.c). Of a worker on this machine we need not wait: machine
 * is the boot and the pid namespace, born the start time of the pid, so a process is either
 * that worker or it is not there. A worker that comes back from a long sleep finds its lease
 * gone and counts nothing (store_put_lease).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/vec.h"
#include "store/campaign.h"
#include "store/internal.h"

#define LEASE_MS 60000
#define FORGET_MS 86400000 /* a worker not seen for a day is not worth a line of status */

/* ---- who is who ------------------------------------------------------------------------------ */

/* Field 22 of /proc/PID/stat, in ticks since boot; 0: no such process. */
static int64_t born(int64_t pid)
{
	char path[64], line[1024] = "", *p;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		*line = 0;
	fclose(file);
	p = strrchr(line, ')');
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	return p ? strtoll(p, NULL, 10) : 0;
}

static void this_machine(char out[128])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	struct stat space = { 0 };
	char boot[64] = "?";

	if (file) {
		if (!fgets(boot, sizeof(boot), file))
			strcpy(boot, "?");
		fclose(file);
	}
	boot[strcspn(boot, "\n")] = 0;
	stat("/proc/self/ns/pid", &space);
	snprintf(out, 128, "%s %llu", boot, (unsigned long long)space.st_ino);
}

#define WORKER "SELECT id, name, machine, pid, born, jobs, began, deadheat_now() - seen, busy, trials, campaign, core FROM worker"

static void read_worker(struct store *store, struct arena *arena, struct cursor *c, const char *machine,
			struct store_worker *w)
{
	const struct engine *e = store->engine;

	*w = (struct store_worker){
		.id = e->number(c, 0), .name = arena_strdup(arena, e->text(c, 1)), .pid = e->number(c, 3),
		.jobs = e->number(c, 5), .began = e->number(c, 6), .seen = e->number(c, 7),
		.busy = (uint64_t)e->number(c, 8), .trials = (uint64_t)e->number(c, 9), .campaign = e->number(c, 10),
	};
	w->core = e->number(c, 11);
	w->is_here = !strcmp(e->text(c, 2), machine);
	w->is_dead = w->is_here && born(w->pid) != e->number(c, 4);
}

int store_workers(struct store *store, struct arena *arena, struct store_worker **workers, size_t *count)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, WORKER " ORDER BY id", NO_ARGS);
	VEC(struct store_worker) list = { 0 };
	char machine[128];
	int more = -1;

	this_machine(machine);
	while (c && (more = e->next(store, c)) > 0) {
		struct store_worker one;

		read_worker(store, arena, c, machine, &one);
		VEC_PUSH(&list, one);
	}
	*count = list.count;
	*workers = arena_copy(arena, list.items, list.count * sizeof(*list.items));
	VEC_FREE(&list);
	return more;
}

/* Where the fewest jobs of living workers run. */
static int choose_core(struct store *store, unsigned cores, unsigned *core)
{
	struct arena arena = ARENA_INIT;
	struct store_worker *workers;
	size_t count;
	unsigned load[1024] = { 0 };
	int result = store_workers(store, &arena, &workers, &count);

	cores = cores < 1 ? 1 : cores > 1024 ? 1024 : cores;
	for (size_t i = 0; !result && i < count; i++)
		for (int64_t j = 0; workers[i].is_here && !workers[i].is_dead && j < workers[i].jobs; j++)
			load[(unsigned)(workers[i].core + j) % cores]++;
	*core = 0;
	for (unsigned i = 1; i < cores; i++)
		if (load[i] < load[*core])
			*core = i;
	arena_free(&arena);
	return result;
}

static int put_worker(struct store *store, unsigned jobs, unsigned core, int64_t *worker)
{
	char machine[128], host[64] = "", name[96];

	this_machine(machine);
	gethostname(host, sizeof(host) - 1);
	snprintf(name, sizeof(name), "%s %d", host, (int)getpid());
	return sql_number(store, "INSERT INTO worker (name, machine, pid, born, jobs, core, began, seen)"
				 " VALUES ($1, $2, $3, $4, $5, $6, deadheat_now(), deadheat_now()) RETURNING id",
			  ARGS(TEXT(name), TEXT(machine), INT(getpid()), INT(born(getpid())), INT(jobs), INT(core)),
			  worker) == 1 ? 0 : -1;
}

int store_begin_worker(struct store *store, unsigned jobs, unsigned cores, int64_t *worker, unsigned *core)
{
	if (sql_begin(store))
		return -1;
	return sql_end(store, choose_core(store, cores, core) || put_worker(store, jobs, *core, worker) ? -1 : 0);
}

static int give_back(struct store *store, int64_t worker)
{
	return sql_run(store, "UPDATE lease SET worker = 0, expires = 0 WHERE worker = $1", ARGS(INT(worker)));
}

static int end_worker(struct store *store, int64_t worker)
{
	return give_back(store, worker) || sql_run(store, "DELETE FROM worker WHERE id = $1", ARGS(INT(worker))) ||
	       sql_run(store, "DELETE FROM worker WHERE seen < deadheat_now() - $1", ARGS(INT(FORGET_MS))) ||
	       store->engine->wake(store) ? -1 : 0;
}

int store_end_worker(struct store *store, int64_t worker)
{
	if (sql_begin(store))
		return -1;
	return sql_end(store, end_worker(store, worker));
}

int store_renew_worker(struct store *store, int64_t worker)
{
	return sql_run(store, "UPDATE worker SET seen = deadheat_now() WHERE id = $1", ARGS(INT(worker)));
}

static int reclaim(struct store *store, const struct store_worker *workers, size_t count)
{
	int came_back = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t leases = 0;

		if (!workers[i].is_dead)
			continue;
		if (sql_number(store, "SELECT count(*) FROM lease WHERE worker = $1", ARGS(INT(workers[i].id)), &leases) != 1 ||
		    give_back(store, workers[i].id) ||
		    sql_run(store, "DELETE FROM worker WHERE id = $1", ARGS(INT(workers[i].id))))
			return -1;
		came_back += (int)leases;
	}
	return came_back;
}

int store_reclaim(struct store *store)
{
	struct arena arena = ARENA_INIT;
	struct store_worker *workers;
	size_t count, dead = 0;
	int result = store_workers(store, &arena, &workers, &count);

	for (size_t i = 0; !result && i < count; i++)
		dead += workers[i].is_dead;
	if (!result && dead) {
		int came_back = sql_begin(store) ? -1 : reclaim(store, workers, count);

		result = came_back < 0 ? -1 : 0;
		result = sql_end(store, result) ? -1 : came_back;
	}
	arena_free(&arena);
	return result;
}

/* ---- leases --------------------------------------------------------------------------------------- */

#define IS_FREE "(l.worker = 0 OR l.expires < deadheat_now())"

int store_offers(struct store *store, struct arena *arena, struct store_offer **offers, size_t *count)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store,
		"SELECT c.id, (c.ms = 0 OR c.spent < c.ms) AND EXISTS (SELECT 1 FROM lease l WHERE l.campaign = c.id),"
		" EXISTS (SELECT 1 FROM lease l WHERE l.campaign = c.id AND " IS_FREE ")"
		" FROM campaign c WHERE c.state = 0 ORDER BY"
		" (SELECT count(*) FROM lease l WHERE l.campaign = c.id AND l.worker > 0), c.id", NO_ARGS);
	VEC(struct store_offer) list = { 0 };
	int more = -1;

	while (c && (more = e->next(store, c)) > 0)
		VEC_PUSH(&list, (struct store_offer){ e->number(c, 0), !e->truth(c, 1), e->truth(c, 2) });
	*count = list.count;
	*offers = arena_copy(arena, list.items, list.count * sizeof(*list.items));
	VEC_FREE(&list);
	return more;
}

#define TAKE(LOCK) "UPDATE lease SET worker = $1, expires = deadheat_now() + $2 WHERE id = (SELECT l.id FROM lease l" \
	" JOIN campaign c ON c.id = l.campaign WHERE l.campaign = $3 AND (c.ms = 0 OR c.spent < c.ms)" \
	" AND " IS_FREE " ORDER BY l.id LIMIT 1" LOCK ")" \
	" RETURNING id, campaign, finding, first, count, done"

/* One statement: a transaction of its own in either engine. */
int store_take_lease(struct store *store, int64_t worker, int64_t campaign, struct store_lease *lease)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, e->skips_locked ? TAKE(" FOR UPDATE OF l SKIP LOCKED") : TAKE(""),
				    ARGS(INT(worker), INT(LEASE_MS), INT(campaign)));
	int found = c ? e->next(store, c) : -1;

	if (found <= 0)
		return found;
	*lease = (struct store_lease){ .id = e->number(c, 0), .campaign = e->number(c, 1), .finding = e->number(c, 2),
				       .first = (unsigned)e->number(c, 3), .count = (unsigned)e->number(c, 4),
				       .done = (unsigned)e->number(c, 5) };
	while ((found = e->next(store, c)) > 0) /* to its end: then it is committed */
		;
	if (found < 0)
		return -1;
	c = e->query(store, "SELECT id FROM finding WHERE number = $1", ARGS(INT(lease->finding)));
	if (!c || e->next(store, c) != 1)
		return -1;
	snprintf(lease->target, sizeof(lease->target), "%s", e->text(c, 0));
	e->stop(store, c);
	return 1;
}

/* 1 ours, with `more` trials done; 0 lost; -1 error. */
static int renew(struct store *store, int64_t worker, const struct store_lease *lease, unsigned more)
{
	int64_t done;

	return sql_number(store, "UPDATE lease SET done = done + $1, expires = deadheat_now() + $2 WHERE id = $3 AND worker = $4"
				 " RETURNING done", ARGS(INT(more), INT(LEASE_MS), INT(lease->id), INT(worker)), &done);
}

int store_renew_lease(struct store *store, int64_t worker, const struct store_lease *lease)
{
	int found, result = sql_begin(store);

	if (result)
		return -1;
	found = renew(store, worker, lease, 0);
	result = found < 0 ? -1 : store_renew_worker(store, worker);
	return sql_end(store, result) ? -1 : found;
}

struct sums {
	uint64_t hits, order[2], harm;
};

static struct sums sums_of(const struct store_result *r)
{
	struct sums s = { 0 };

	for (size_t i = 0; i < r->count; i++) {
		const struct store_trial *t = &r->trials[i];

		s.hits += t->hit;
		s.harm += t->hit && t->harm;
		if (t->hit && t->order >= 0)
			s.order[t->order]++;
	}
	return s;
}

static int count_results(struct store *store, int64_t worker, int64_t run, const struct store_lease *lease,
			 const struct store_result *r)
{
	struct sums s = sums_of(r);

	if (sql_run(store, "UPDATE target SET done = done + $1, hits = hits + $2, a_first = a_first + $3, b_first = b_first + $4,"
			   " harm = harm + $5 WHERE campaign = $6 AND finding = $7",
		    ARGS(INT(r->settled), INT(s.hits), INT(s.order[0]), INT(s.order[1]), INT(s.harm), INT(lease->campaign),
			 INT(lease->finding))) ||
	    sql_run(store, "UPDATE campaign SET done = done + $1, spent = spent + $2 WHERE id = $3",
		    ARGS(INT(r->settled), INT(r->ms), INT(lease->campaign))) ||
	    sql_run(store, "UPDATE worker SET seen = deadheat_now(), trials = trials + $1, busy = busy + $2, campaign = $3"
			   " WHERE id = $4", ARGS(INT(r->settled), INT(r->ms), INT(lease->campaign), INT(worker))))
		return -1;
	return s.hits ? finding_seen(store, run, lease->finding) : 0;
}

static int end_lease(struct store *store, const struct store_lease *lease)
{
	int64_t left = 0;

	if (sql_run(store, "DELETE FROM lease WHERE id = $1", ARGS(INT(lease->id))) ||
	    sql_number(store, "SELECT count(*) FROM lease WHERE campaign = $1", ARGS(INT(lease->campaign)), &left) != 1)
		return -1;
	return left ? 0 : store->engine->wake(store); /* the round is over: somebody plans the next */
}

static int put_lease(struct store *store, int64_t worker, int64_t run, int64_t program, const struct store_lease *lease,
		     const struct store_result *r)
{
	int ours = renew(store, worker, lease, r->settled);

	if (ours <= 0)
		return ours;
	if (trials_put(store, run, program, r->trials, r->count) || count_results(store, worker, run, lease, r))
		return -1;
	if (lease->done + r->settled >= lease->count && end_lease(store, lease))
		return -1;
	return 1;
}

int store_put_lease(struct store *store, int64_t worker, int64_t run, int64_t program, struct store_lease *lease,
		    const struct store_result *result)
{
	int ours;

	if (sql_begin(store))
		return -1;
	ours = put_lease(store, worker, run, program, lease, result);
	if (sql_end(store, ours < 0 ? -1 : 0))
		return -1;
	lease->done += ours > 0 ? result->settled : 0;
	return ours;
}
