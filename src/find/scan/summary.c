/*
 * summary - every function once, callees first, on all cores: components of the call graph whose
 * callees are done wait in a queue, whoever is free takes one.
 *
 * I1  A component's result depends on its callees' summaries only, so it is the same for any number
 *     of workers.
 * I2  A recursive component starts from "does not return" (the lattice's bottom) and is repeated
 *     until no summary moves; that ends because facts only weaken. A function is looked at again only
 *     when a summary it uses has moved since it was looked at last (due), callees before callers
 *     (calls.c): the one large recursion of a kernel then takes some rounds, not one for each step of its calls.
 * I3  In a component of more than LARGE_COMPONENT functions (a kernel has one of thousands, through
 *     function pointers) summaries speak of short names and classes of locks only: else each round
 *     would make longer names. Whoever still moves after WIDEN rounds may have released any lock.
 * I4  A component that has eaten up its budget, or ROUNDS, is cut: every function of it may have
 *     released any lock. That is sound where threads are not counted (s->parallel); listed always.
 */
#include <stdlib.h>
#include <unistd.h>

#include "find/scan/intern.h"

#define ROUNDS 40
#define LARGE_COMPONENT 32
#define WIDEN 6
#define BUDGETS 16 /* of one function, for a whole component */

struct queue {
	struct scan *s;
	pthread_mutex_t lock;
	pthread_cond_t more;
	uint32_t *ready;
	uint32_t head, tail, done;
	uint32_t *waits;            /* per component: callee components not yet done */
	uint32_t *callers_first, *callers;
	bool *due;                  /* per function */
};

static bool is_recursive(const struct scan *s, uint32_t scc)
{
	uint32_t f = s->order[s->scc_first[scc]];

	if (s->scc_first[scc + 1] - s->scc_first[scc] > 1)
		return true;
	for (uint32_t i = s->calls_first[f]; i < s->calls_first[f + 1]; i++)
		if (s->calls[i] == f)
			return true;
	return false;
}

static bool same_summary(const struct summary *a, const struct summary *b)
{
	return a->exit[0] == b->exit[0] && a->exit[1] == b->exit[1] && a->result == b->result;
}

/* f has moved: whoever calls it from within the component is to be looked at again. */
static void due_callers(const struct scan *s, uint32_t f, bool *due)
{
	for (uint32_t i = s->callers_first[f]; i < s->callers_first[f + 1]; i++)
		if (s->functions[s->callers[i]].scc == s->functions[f].scc)
			due[s->callers[i]] = true;
}

/* What is kept of a summary in a large component. */
static void coarse(struct scan *s, struct summary *now, const struct summary *old, int round)
{
	for (int e = 0; e < 2; e++) {
		now->exit[e] = facts_coarse(s, now->exit[e]);
		if (round >= WIDEN && now->exit[e] != old->exit[e])
			now->exit[e] = facts_top(s, now->exit[e]);
	}
}

/* All of it may have done anything to locks: no round is needed after that. */
static void cut_component(struct scan *s, uint32_t scc)
{
	uint32_t first = s->scc_first[scc], end = s->scc_first[scc + 1];

	assume(s, ASSUME_BUDGET, s->parallel, s->order[first], NULL, "recursion through %u functions does not come to rest: each may release any lock",
	       end - first);
	for (uint32_t i = first; i < end; i++) {
		struct summary *summary = &s->functions[s->order[i]].summary;

		for (int e = 0; e < 2; e++)
			summary->exit[e] = facts_top(s, summary->exit[e]);
	}
}

/* Those of a component that are due, once each; did any move? */
static bool one_round(struct scan *s, uint32_t scc, bool *due, int round, uint64_t *visited)
{
	uint32_t first = s->scc_first[scc], end = s->scc_first[scc + 1];
	bool moved = false;

	for (uint32_t i = first; i < end; i++) {
		uint32_t f = s->order[i];
		struct summary now;

		if (!due[f])
			continue;
		due[f] = false;
		now = flow_run(s, f, false, visited);
		if (end - first > LARGE_COMPONENT)
			coarse(s, &now, &s->functions[f].summary, round);
		if (same_summary(&now, &s->functions[f].summary))
			continue;
		moved = true;
		s->functions[f].summary = now;
		due_callers(s, f, due);
	}
	return moved;
}

static void component(struct scan *s, uint32_t scc, bool *due)
{
	uint32_t first = s->scc_first[scc], end = s->scc_first[scc + 1];
	bool recursive = is_recursive(s, scc), moved = recursive;
	uint64_t visited = 0;

	for (uint32_t i = first; i < end; i++)
		due[s->order[i]] = true;
	for (int round = 0; moved; round++) {
		moved = one_round(s, scc, due, round, &visited);
		if (moved && (round == ROUNDS || visited > BUDGETS * s->budget)) {
			cut_component(s, scc);
			break;
		}
	}
	for (uint32_t i = first; i < end; i++) {
		struct summary now = flow_run(s, s->order[i], true, &visited);

		if (!recursive)
			s->functions[s->order[i]].summary = now;
	}
}

static void *worker(void *arg)
{
	struct queue *q = arg;

	pthread_mutex_lock(&q->lock);
	while (q->done < q->s->scc_count) {
		uint32_t scc;

		if (q->head == q->tail) {
			pthread_cond_wait(&q->more, &q->lock);
			continue;
		}
		scc = q->ready[q->head++];
		pthread_mutex_unlock(&q->lock);
		component(q->s, scc, q->due);
		pthread_mutex_lock(&q->lock);
		q->done++;
		for (uint32_t i = q->callers_first[scc]; i < q->callers_first[scc + 1]; i++)
			if (!--q->waits[q->callers[i]])
				q->ready[q->tail++] = q->callers[i];
		if (q->s->options->progress && q->done % 64 == 0)
			q->s->options->progress(q->s->options->context, "summaries", q->done, q->s->scc_count);
		pthread_cond_broadcast(&q->more);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* Edges between components, backwards: who waits for whom. */
static void dependencies(struct queue *q)
{
	struct scan *s = q->s;
	uint32_t total = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t f = 0; f < s->function_count; f++)
			for (uint32_t i = s->calls_first[f]; s->functions[f].defined && i < s->calls_first[f + 1]; i++) {
				uint32_t from = s->functions[f].scc, to = s->functions[s->calls[i]].scc;

				if (!s->functions[s->calls[i]].defined || from == to)
					continue;
				if (!pass)
					q->callers_first[to + 1]++, q->waits[from]++, total++;
				else
					q->callers[q->callers_first[to]++] = from;
			}
		if (!pass) {
			q->callers = ARENA_ARRAY(&s->arena, uint32_t, total + 1);
			for (uint32_t i = 0; i < s->scc_count; i++)
				q->callers_first[i + 1] += q->callers_first[i];
		}
	}
	for (uint32_t i = s->scc_count; i > 0; i--) /* filling has moved the starts on by one */
		q->callers_first[i] = q->callers_first[i - 1];
	q->callers_first[0] = 0;
}

void summaries(struct scan *s)
{
	struct queue q = { .s = s, .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };
	unsigned jobs = s->options->jobs ? s->options->jobs : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[64];
	unsigned started = 0;

	q.ready = ARENA_ARRAY(&s->arena, uint32_t, s->scc_count + 1);
	q.due = ARENA_ARRAY(&s->arena, bool, s->function_count + 1);
	q.waits = ARENA_ARRAY(&s->arena, uint32_t, s->scc_count + 1);
	q.callers_first = ARENA_ARRAY(&s->arena, uint32_t, s->scc_count + 2);
	dependencies(&q);
	for (uint32_t i = 0; i < s->scc_count; i++)
		if (!q.waits[i])
			q.ready[q.tail++] = i;
	if (s->scc_count < 64) /* threads cost more than they bring */
		jobs = 1;
	for (; started + 1 < jobs && started < 63; started++)
		if (pthread_create(&threads[started], NULL, worker, &q))
			break;
	worker(&q);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}
