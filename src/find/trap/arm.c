/*
 * arm - bytes: which instructions of a process have an int3, and which get one next.
 *
 * Every instruction gets its first int3 in a random order, at --rate a second in all; it stays until it is
 * executed, so code that runs once a day is met on that day: cold code first. What has been executed is
 * *live* and gets an int3 again when the budget has room for what it may cost; among eight drawn at
 * random the one that had the fewest turns is taken.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "find/trap/internal.h"

#define INT3 0xcc
#define CLOSED_MS 100     /* dlclose takes microseconds */
#define PRIVATE_MOST 3
#define CHOICES 8
#define BATCH 256

uint32_t processes_draw(struct processes *p, uint32_t bound)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (uint32_t)((p->random >> 32) * bound >> 32);
}

/* ---- bytes --------------------------------------------------------------------------------------- */

/* False: dlclose goes on in there, or did a moment ago. */
static bool gate_enter(struct processes *p, struct traced *process, uint64_t now)
{
	struct trap_gate *gate = &p->tables->plan->gates[process->number];

	if (__atomic_load_n(&gate->left, __ATOMIC_SEQ_CST))
		return false;
	if (process->closed_at && now - process->closed_at >= CLOSED_MS) { /* look again, then begin anew */
		process->closed_at = 0;
		process->next_look = 0;
		process->changes = 0;
		__atomic_store_n(&gate->closed, 0, __ATOMIC_SEQ_CST);
		return false;
	}
	__atomic_store_n(&gate->writing, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&gate->closed, __ATOMIC_SEQ_CST))
		return true;
	__atomic_store_n(&gate->writing, 0, __ATOMIC_SEQ_CST);
	if (!process->closed_at) {
		process->closed_at = now ? now : 1;
		process->next_look = 0;
	}
	return false;
}

static void gate_leave(struct processes *p, struct traced *process)
{
	__atomic_store_n(&p->tables->plan->gates[process->number].writing, 0, __ATOMIC_SEQ_CST);
}

static bool write_byte(const struct traced *process, uint64_t at, uint8_t byte)
{
	return pwrite(process->mem, &byte, 1, (off_t)at) == 1;
}

/* What stands at these sites now, by one call; how many could be read. */
static size_t read_bytes(const struct traced *process, const struct loaded *m, const struct trap_site *sites,
			 const uint32_t *indices, size_t count, uint8_t *bytes)
{
	struct iovec local = { bytes, count }, remote[BATCH];
	ssize_t got;

	for (size_t i = 0; i < count; i++)
		remote[i] = (struct iovec){ (void *)(m->base + sites[indices[i]].offset), 1 };
	got = process_vm_readv(process->pid, &local, 1, remote, count, 0);
	return got > 0 ? (size_t)got : 0;
}

/* At most BATCH. */
static void arm(struct processes *p, struct traced *process, struct loaded *m, const uint32_t *indices, size_t count)
{
	const struct trap_site *sites = table_sites(p->tables, m->table);
	uint8_t bytes[BATCH];

	count = read_bytes(process, m, sites, indices, count, bytes);
	for (size_t i = 0; i < count; i++) {
		const struct trap_site *site = &sites[indices[i]];
		struct site_state *state = &m->states[indices[i]];

		if (state->armed || site->original == INT3 || bytes[i] != site->original)
			continue;
		state->armed = 1; /* before: the hit may be told while we are here */
		if (write_byte(process, m->base + site->offset, INT3))
			p->tables->plan->counters[TRAP_C_ARMED]++;
		else
			state->armed = 0;
	}
}

static void restore_batch(struct traced *process, struct loaded *m, const struct trap_site *sites, const uint32_t *indices,
			  size_t count)
{
	uint8_t bytes[BATCH];

	count = read_bytes(process, m, sites, indices, count, bytes);
	for (size_t i = 0; i < count; i++)
		if (bytes[i] == INT3 && sites[indices[i]].original != INT3)
			write_byte(process, m->base + sites[indices[i]].offset, sites[indices[i]].original);
}

void module_restore(struct processes *p, struct traced *process, struct loaded *m)
{
	const struct trap_site *sites = table_sites(p->tables, m->table);
	uint32_t count = p->tables->plan->tables[m->table].count, batch[BATCH];
	size_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (sites[i].flags & TRAP_QUIET)
			continue;
		m->states[i].armed = 0;
		batch[n++] = i;
		if (n == BATCH) {
			restore_batch(process, m, sites, batch, n);
			n = 0;
		}
	}
	restore_batch(process, m, sites, batch, n);
}

/* ---- which ------------------------------------------------------------------------------------------ */

static bool is_watched(const struct traced *process)
{
	return !process->over && process->mem >= 0;
}

static bool has_fresh(const struct traced *process)
{
	for (size_t i = 0; is_watched(process) && i < process->modules.count; i++)
		if (process->modules.items[i]->told && process->modules.items[i]->fresh < process->modules.items[i]->count)
			return true;
	return false;
}

static void arm_fresh(struct processes *p, struct traced *process, unsigned count)
{
	for (size_t i = 0; i < process->modules.count && count; i++) {
		struct loaded *m = process->modules.items[i];

		while (m->told && m->fresh < m->count && count) {
			uint32_t n = m->count - m->fresh;

			n = n > count ? count : n;
			n = n > BATCH ? BATCH : n;
			arm(p, process, m, &m->order[m->fresh], n);
			m->fresh += n;
			count -= n;
		}
	}
}

static void arm_one_live(struct processes *p, struct traced *process)
{
	struct loaded *best = NULL;
	uint32_t total = 0, index = 0;

	for (size_t i = 0; i < process->modules.count; i++)
		total += (uint32_t)process->modules.items[i]->live.count;
	for (int n = 0; total && n < CHOICES; n++) {
		uint32_t k = processes_draw(p, total);
		size_t i = 0;

		while (k >= process->modules.items[i]->live.count)
			k -= (uint32_t)process->modules.items[i++]->live.count;
		if (!best || process->modules.items[i]->states[process->modules.items[i]->live.items[k]].turns <
				     best->states[index].turns) {
			best = process->modules.items[i];
			index = best->live.items[k];
		}
	}
	if (best && best->told && !best->states[index].armed && best->states[index].private < PRIVATE_MOST)
		arm(p, process, best, &index, 1);
}

static unsigned share(struct processes *p, unsigned total, unsigned among)
{
	return among ? total / among + (processes_draw(p, among) < total % among) : 0;
}

/* Processes whose code nobody has touched are looked at as well as busy ones: their int3s wait. */
void processes_arm(struct processes *p, uint64_t now, unsigned fresh, unsigned live)
{
	unsigned watched = 0, with_fresh = 0;

	for (size_t i = 0; i < p->all.count; i++) {
		watched += is_watched(p->all.items[i]);
		with_fresh += has_fresh(p->all.items[i]);
	}
	for (size_t i = 0; i < p->all.count; i++) {
		struct traced *process = p->all.items[i];
		unsigned first = has_fresh(process) ? share(p, fresh, with_fresh) : 0, again = share(p, live, watched);

		if (!is_watched(process) || (!first && !again && !process->closed_at) || !gate_enter(p, process, now))
			continue;
		arm_fresh(p, process, first);
		for (unsigned n = 0; n < again; n++)
			arm_one_live(p, process);
		gate_leave(p, process);
	}
}

bool processes_have_fresh(const struct processes *p)
{
	for (size_t i = 0; i < p->all.count; i++)
		if (has_fresh(p->all.items[i]))
			return true;
	return false;
}

/* ---- what came of it ----------------------------------------------------------------------------------- */

static bool is_live(const struct loaded *m, uint32_t site)
{
	return m->states[site].turns || m->states[site].private;
}

void processes_hit(struct processes *p, const struct trap_hit *hit)
{
	struct traced *process = traced_of(p, hit->process);

	for (size_t i = 0; process && i < process->modules.count; i++) {
		struct loaded *m = process->modules.items[i];
		struct site_state *state;

		if (m->table != (int)hit->table || hit->site >= p->tables->plan->tables[m->table].count)
			continue;
		state = &m->states[hit->site];
		if (!is_live(m, hit->site))
			VEC_PUSH(&m->live, hit->site);
		state->armed = 0;
		if (hit->flags & TRAP_HIT_PRIVATE)
			state->private += state->private < 255;
		else
			state->private = 0;
		if (state->turns < 1)
			state->turns = 1;
		if (hit->flags & TRAP_HIT_WATCHED && state->turns < 60000)
			state->turns++;
		return;
	}
}

/* A suspected one comes next; one that was caught has had its turn, many times over. */
void processes_favour(struct processes *p, uint32_t number, uint64_t address, bool caught)
{
	struct traced *process = traced_of(p, number);
	struct loaded *m = process ? traced_module(process, p->tables, address) : NULL;
	const struct trap_site *sites = m ? table_sites(p->tables, m->table) : NULL;
	uint32_t count = m ? p->tables->plan->tables[m->table].count : 0;

	for (uint32_t i = 0; i < count; i++)
		if (sites[i].offset == address - m->base && is_live(m, i))
			m->states[i].turns = caught ? (m->states[i].turns < 60000 ? (uint16_t)(m->states[i].turns + 8) : 60000) : 1;
}
