/*
 * analyse - a whole log: process by process, samples become accesses, accesses pairs, pairs
 * candidates.
 */
#include "find/sample/internal.h"

#include <string.h>

#define MOST_ACCESSES 256 /* of one sample */

typedef VEC(const char *) paths;

static bool is_usable(const struct process *p, const struct seen_sample *sample)
{
	if (sample->record->head.aux & (TRACE_LOCKS_LOST | TRACE_IGNORED))
		return false;
	return sample->thread >= p->threads.count || sample->order >= p->threads.items[sample->thread].trusted;
}

static void keep_accesses(struct process *p, uint32_t sample, const struct seen_module *module,
			  const struct extend_access *found, size_t count)
{
	for (size_t i = 0; i < count; i++)
		VEC_PUSH(&p->accesses, (struct seen_access){
			.address = found[i].address, .size = found[i].size, .sample = sample,
			.module = (uint32_t)(module - p->modules.items), .place = (uint32_t)found[i].place,
			.flags = (uint16_t)found[i].flags, .by_stack_pointer = found[i].by_stack_pointer,
		});
}

static void extend_all(struct process *p, struct sample_result *result)
{
	struct extend_access found[MOST_ACCESSES];

	for (uint32_t i = 0; i < p->samples.count; i++) {
		const struct trace_r_sample *r = p->samples.items[i].record;
		struct seen_module *module = process_module(p, r->ip, p->samples.items[i].order);
		struct extend_sample sample;
		size_t count, plain;

		if (r->head.aux & TRACE_STEPPED)
			result->steps++;
		else
			result->samples++;
		if (module && !module->code && !module->left_out)
			module->unread++;
		if (!module || !module->code || !is_usable(p, &p->samples.items[i]))
			continue;
		sample = (struct extend_sample){ r->ip - module->base, module->base, r->registers, r->fs_base, r->flags };
		count = extend(module->code, &sample, found, MOST_ACCESSES, &plain);
		if (!(r->head.aux & TRACE_STEPPED)) {
			result->placed++;
			result->plain += plain;
		}
		result->extended += count;
		keep_accesses(p, i, module, found, count);
	}
}

static void tell_counts(const struct find_sink *sink, const struct pair_counts *c)
{
	const struct { const char *name; uint64_t value; } rows[] = {
		{ "pairs_locked", c->locked }, { "pairs_ordered", c->ordered }, { "pairs_of_reused_memory", c->reused },
		{ "pairs_across_lost_records", c->lost }, { "pairs_on_atomics", c->atomic },
		{ "pairs_in_own_frames", c->stack }, { "meant_pairs", c->benign }, { "accesses_not_compared", c->crowded },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].value)
			sink->counter(sink->context, rows[i].name, rows[i].value);
}

/* On another machine: the program must be there too. Each once, whatever the number of processes. */
static void tell_unread(const struct process *p, const struct find_sink *sink, paths *told)
{
	for (size_t i = 0; i < p->modules.count; i++) {
		const struct seen_module *m = &p->modules.items[i];
		bool known = !m->unread;

		for (size_t k = 0; k < told->count && !known; k++)
			known = !strcmp(told->items[k], m->path);
		if (known)
			continue;
		VEC_PUSH(told, m->path);
		sink->note(sink->context, arena_printf(p->arena, "samples in %s cannot be read: it is not there, or another build than the one that ran (build-id %s)",
						       m->path, m->build_id[0] ? m->build_id : "none"));
	}
}

static int analyse_process(struct process *p, struct sym *sym, const struct find_sink *sink, struct pair_counts *counts,
			   paths *told, struct sample_result *result)
{
	seen_pairs pairs = { 0 };
	int status;

	process_read(p);
	for (size_t i = 0; i < p->notes.count; i++)
		sink->note(sink->context, p->notes.items[i]);
	process_order(p);
	extend_all(p, result);
	tell_unread(p, sink, told);
	pairs_find(p, &pairs, counts);
	status = pairs_tell(p, &pairs, sym, sink, &result->pairs);
	VEC_FREE(&pairs);
	process_free(p);
	return status;
}

static const char *sampler_name(uint32_t sampler)
{
	return sampler == TRACE_SAMPLER_PMU ? "pmu" : sampler == TRACE_SAMPLER_TIMER ? "timer" : "none";
}

static void tell_run(const struct log *log, const struct find_sink *sink, struct sample_result *result)
{
	for (int i = 0; i < TRACE_COUNTER_COUNT; i++)
		if (log->counters[i])
			sink->counter(sink->context, trace_counter_name((enum trace_counter)i), log->counters[i]);
	result->cpu_ms = log->run.cpu_ms;
	result->sampler = sampler_name(log->run.sampler);
	if (log->run.cpu_ms)
		result->handler_share = (double)log->counters[TRACE_HANDLER_NS] / 1e6 / (double)log->run.cpu_ms;
	if (log->cut)
		sink->note(sink->context, "the log ends in the middle; what it holds is used");
}

int log_analyse(const struct log *log, struct sym *sym, const struct find_sink *sink, struct arena *arena,
		struct sample_result *result)
{
	struct pair_counts counts = { 0 };
	paths told = { 0 };
	int status = 0;

	tell_run(log, sink, result);
	for (size_t low = 0, high; low < log->chunks.count && !status; low = high) {
		struct process p = { .arena = arena, .log = log, .number = log->chunks.items[low]->process, .chunk_low = low };

		for (high = low; high < log->chunks.count && log->chunks.items[high]->process == p.number; high++)
			;
		p.chunk_high = high;
		result->processes++;
		status = analyse_process(&p, sym, sink, &counts, &told, result);
	}
	VEC_FREE(&told);
	result->shared = counts.shared;
	tell_counts(sink, &counts);
	return status;
}
