/*
 * process - one process under our eyes: modules by /proc/PID/maps, int3s by /proc/PID/mem.
 *
 * Every instruction gets its first int3 in a random order, at --rate a second; it stays until it is
 * executed, so code that runs once a day is met on that day: cold code first. What has been executed is
 * *live* and gets an int3 again when the budget has room for what it may cost; among eight drawn at
 * random the one that had the fewest turns is taken.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "find/trap/internal.h"

#define INT3 0xcc
#define LOOK_MS 200       /* modules come and go */
#define CLOSED_MS 100     /* dlclose takes microseconds */
#define PRIVATE_MOST 3
#define CHOICES 8

static uint32_t draw(struct processes *p, uint32_t bound)
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

	if (process->closed_at && now - process->closed_at >= CLOSED_MS) { /* look again, then begin anew */
		process->closed_at = 0;
		process->next_look = 0;
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

static bool swap_byte(const struct traced *process, uint64_t at, uint8_t from, uint8_t to)
{
	uint8_t byte;

	return pread(process->mem, &byte, 1, (off_t)at) == 1 && byte == from && pwrite(process->mem, &to, 1, (off_t)at) == 1;
}

static void arm(struct processes *p, struct traced *process, struct loaded *m, uint32_t index)
{
	const struct trap_site *site = &table_sites(p->tables, m->table)[index];

	if (m->states[index].armed || site->original == INT3)
		return;
	m->states[index].armed = 1; /* before: the hit may be told while we are here */
	if (swap_byte(process, m->base + site->offset, site->original, INT3))
		p->tables->plan->counters[TRAP_C_ARMED]++;
	else
		m->states[index].armed = 0;
}

static void restore(struct processes *p, struct traced *process, struct loaded *m)
{
	const struct trap_site *sites = table_sites(p->tables, m->table);
	uint32_t count = p->tables->plan->tables[m->table].count;

	for (uint32_t i = 0; i < count; i++)
		if (m->states[i].armed) {
			swap_byte(process, m->base + sites[i].offset, INT3, sites[i].original);
			m->states[i].armed = 0;
		}
}

/* ---- modules ------------------------------------------------------------------------------------------ */

static void shuffle(struct processes *p, struct loaded *m)
{
	const struct trap_site *sites = table_sites(p->tables, m->table);
	uint32_t count = p->tables->plan->tables[m->table].count;

	m->order = calloc(count + 1, sizeof(*m->order));
	m->states = calloc(count + 1, sizeof(*m->states));
	if (!m->order || !m->states)
		BUG("no memory");
	for (uint32_t i = 0; i < count; i++)
		if (!(sites[i].flags & TRAP_QUIET))
			m->order[m->count++] = i;
	for (uint32_t i = m->count; i > 1; i--) {
		uint32_t j = draw(p, i), t = m->order[i - 1];

		m->order[i - 1] = m->order[j];
		m->order[j] = t;
	}
}

static void loaded_free(struct loaded *m)
{
	VEC_FREE(&m->live);
	free(m->order);
	free(m->states);
	free(m);
}

/* A forked child has its parent's int3s. */
static void inherit(struct processes *p, struct traced *process, struct loaded *m)
{
	uint32_t from = p->header->processes[process->number].parent;
	struct traced *parent = from ? traced_of(p, from - 1) : NULL;
	uint32_t count = p->tables->plan->tables[m->table].count;

	for (size_t i = 0; parent && i < parent->modules.count; i++) {
		struct loaded *other = parent->modules.items[i];

		if (other->table == m->table && other->base == m->base)
			for (uint32_t k = 0; k < count; k++)
				m->states[k].armed = other->states[k].armed;
	}
}

/* Modules its handler does not know yet are for the next look. */
static bool is_told(const struct processes *p, const struct traced *process, uint64_t base)
{
	const struct trap_modules *told = &p->tables->plan->modules[process->number];
	uint32_t count = __atomic_load_n(&told->count, __ATOMIC_SEQ_CST);

	for (uint32_t i = 0; i < count && i < TRAP_MODULES; i++)
		if (__atomic_load_n(&told->base[i], __ATOMIC_RELAXED) == base)
			return true;
	return false;
}

static void add_module(struct processes *p, struct traced *process, int table, uint64_t base)
{
	struct loaded *m;

	for (size_t i = 0; i < process->modules.count; i++)
		if (process->modules.items[i]->table == table && process->modules.items[i]->base == base) {
			process->modules.items[i]->gone = false;
			return;
		}
	m = calloc(1, sizeof(*m));
	if (!m)
		BUG("no memory");
	m->table = table;
	m->base = base;
	shuffle(p, m);
	inherit(p, process, m);
	VEC_PUSH(&process->modules, m);
}

/* Address of the first loadable segment, as the file wants it. */
static bool first_address(const char *path, uint64_t *address)
{
	Elf64_Ehdr head;
	Elf64_Phdr p = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = false;

	if (fd < 0)
		return false;
	if (pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) && head.e_phentsize == sizeof(p))
		for (unsigned i = 0; !found && i < head.e_phnum; i++)
			found = pread(fd, &p, sizeof(p), (off_t)(head.e_phoff + i * sizeof(p))) == (ssize_t)sizeof(p) &&
				p.p_type == PT_LOAD;
	close(fd);
	*address = (p.p_vaddr - p.p_offset) & ~(uint64_t)4095;
	return found;
}

static void look_at_line(struct processes *p, struct traced *process, const char *line)
{
	unsigned long long start, offset;
	int at = 0, table;
	uint64_t first;
	char path[4096];

	if (sscanf(line, "%llx-%*x %*s %llx %*s %*s %n", &start, &offset, &at) < 2 || !at || line[at] != '/' || offset)
		return;
	snprintf(path, sizeof(path), "%s", line + at);
	path[strcspn(path, "\n")] = 0;
	table = site_table_of(p->tables, path);
	if (table >= 0 && first_address(path, &first) && is_told(p, process, start - first))
		add_module(p, process, table, start - first);
}

static void look_at_modules(struct processes *p, struct traced *process)
{
	char path[64], line[4352];
	FILE *maps;
	size_t kept = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process->pid);
	maps = fopen(path, "r");
	if (!maps)
		return;
	for (size_t i = 0; i < process->modules.count; i++)
		process->modules.items[i]->gone = true;
	while (fgets(line, sizeof(line), maps))
		look_at_line(p, process, line);
	fclose(maps);
	for (size_t i = 0; i < process->modules.count; i++) {
		struct loaded *m = process->modules.items[i];

		if (m->gone)
			loaded_free(m);
		else
			process->modules.items[kept++] = m;
	}
	process->modules.count = kept;
}

/* ---- processes ----------------------------------------------------------------------------------------- */

struct traced *traced_of(struct processes *p, uint32_t number)
{
	for (size_t i = 0; i < p->all.count; i++)
		if (p->all.items[i]->number == number)
			return p->all.items[i];
	return NULL;
}

struct loaded *traced_module(struct traced *process, const struct tables *tables, uint64_t address)
{
	for (size_t i = 0; process && i < process->modules.count; i++) {
		struct loaded *m = process->modules.items[i];
		uint32_t count = tables->plan->tables[m->table].count;
		const struct trap_site *sites = table_sites(tables, m->table);

		if (address >= m->base && address - m->base <= (uint64_t)sites[count - 1].offset + 16)
			return m;
	}
	return NULL;
}

static void note(struct processes *p, const char *text, int pid, const char *why)
{
	char line[256];

	snprintf(line, sizeof(line), text, pid, why);
	if (p->sink.note)
		p->sink.note(p->sink.context, line);
}

static void add_process(struct processes *p, uint32_t number, pid_t pid)
{
	struct traced *new = calloc(1, sizeof(*new));
	char path[64];

	if (!new)
		BUG("no memory");
	for (size_t i = 0; i < p->all.count; i++) /* exec: the same process is another one now */
		if (p->all.items[i]->pid == pid)
			p->all.items[i]->over = true;
	new->number = number;
	new->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	new->mem = open(path, O_RDWR | O_CLOEXEC);
	if (new->mem < 0 && errno != ENOENT && errno != ESRCH)
		note(p, "process %d is not watched: its memory may not be written (%s)", (int)pid, strerror(errno));
	VEC_PUSH(&p->all, new);
}

static void find_new(struct processes *p)
{
	uint32_t count = __atomic_load_n(&p->header->process_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = (uint32_t)p->all.count; i < count && i < TRACE_PROCESSES; i++) {
		if (__atomic_load_n(&p->header->processes[i].state, __ATOMIC_ACQUIRE) == TRACE_PROCESS_NONE)
			break;
		add_process(p, i, (pid_t)p->header->processes[i].pid);
	}
}

static void end_process(struct processes *p, struct traced *process)
{
	process->over = true;
	for (size_t i = 0; i < process->modules.count; i++)
		loaded_free(process->modules.items[i]);
	VEC_FREE(&process->modules);
	if (process->mem >= 0)
		close(process->mem);
	process->mem = -1;
}

/* A debugger would get our traps; under seccomp our handler's system calls might kill. */
static const char *hindrance(const struct traced *process)
{
	char path[64], line[256];
	const char *found = NULL;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)process->pid);
	status = fopen(path, "r");
	while (status && fgets(line, sizeof(line), status)) {
		if (!strncmp(line, "TracerPid:", 10) && atoi(line + 10))
			found = "a debugger is attached";
		if (!strncmp(line, "Seccomp:", 8) && atoi(line + 8))
			found = "it has a seccomp filter";
	}
	if (status)
		fclose(status);
	return found;
}

static void restore_process(struct processes *p, struct traced *process)
{
	for (size_t i = 0; process->mem >= 0 && i < process->modules.count; i++)
		restore(p, process, process->modules.items[i]);
}

static void look_at(struct processes *p, struct traced *process, uint64_t now)
{
	const char *why;

	if (kill(process->pid, 0) && errno == ESRCH) {
		end_process(p, process);
		return;
	}
	why = hindrance(process);
	if (why) {
		restore_process(p, process);
		end_process(p, process);
		note(p, "process %d is not watched any more: %s", (int)process->pid, why);
		return;
	}
	process->next_look = now + LOOK_MS;
	look_at_modules(p, process);
}

void processes_look(struct processes *p, uint64_t now)
{
	find_new(p);
	for (size_t i = 0; i < p->all.count; i++) {
		struct traced *process = p->all.items[i];

		if (process->over && process->mem >= 0)
			end_process(p, process);
		if (!process->over && process->mem >= 0 && now >= process->next_look)
			look_at(p, process, now);
	}
}

void processes_free(struct processes *p)
{
	for (size_t i = 0; i < p->all.count; i++) {
		end_process(p, p->all.items[i]);
		free(p->all.items[i]);
	}
	VEC_FREE(&p->all);
}

void processes_restore(struct processes *p)
{
	for (size_t i = 0; i < p->all.count; i++)
		if (!p->all.items[i]->over)
			restore_process(p, p->all.items[i]);
}

/* utime and stime of all that are alive, and of those that were. */
uint64_t processes_cpu_ms(struct processes *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->all.count; i++) {
		struct traced *process = p->all.items[i];
		unsigned long long user, system;
		char path[64], line[512] = "";
		const char *end;
		FILE *stat;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)process->pid);
		stat = process->over ? NULL : fopen(path, "r");
		end = stat && fgets(line, sizeof(line), stat) ? strrchr(line, ')') : NULL;
		if (end && sscanf(end, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) == 2)
			process->cpu_ms = (user + system) * 1000 / (unsigned long long)sysconf(_SC_CLK_TCK);
		if (stat)
			fclose(stat);
		sum += process->cpu_ms;
	}
	return sum;
}

/* ---- arming --------------------------------------------------------------------------------------------- */

static void arm_fresh(struct processes *p, struct traced *process, unsigned count)
{
	for (size_t i = 0; i < process->modules.count && count; i++) {
		struct loaded *m = process->modules.items[i];

		while (m->fresh < m->count && count) {
			arm(p, process, m, m->order[m->fresh++]);
			count--;
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
		uint32_t k = draw(p, total);
		size_t i = 0;

		while (k >= process->modules.items[i]->live.count)
			k -= (uint32_t)process->modules.items[i++]->live.count;
		if (!best || process->modules.items[i]->states[process->modules.items[i]->live.items[k]].turns <
				     best->states[index].turns) {
			best = process->modules.items[i];
			index = best->live.items[k];
		}
	}
	if (best && !best->states[index].armed && best->states[index].private < PRIVATE_MOST)
		arm(p, process, best, index);
}

void processes_arm(struct processes *p, uint64_t now, unsigned fresh, unsigned live)
{
	for (size_t i = 0; i < p->all.count; i++) {
		struct traced *process = p->all.items[i];

		if (process->over || process->mem < 0 || !gate_enter(p, process, now))
			continue;
		arm_fresh(p, process, fresh);
		for (unsigned n = 0; n < live; n++)
			arm_one_live(p, process);
		gate_leave(p, process);
	}
}

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
