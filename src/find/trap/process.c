/*
 * process - processes under our eyes, and what is loaded where in them: /proc/PID/maps, read when a process says
 * that its modules have changed, not all the time. What gets an int3: arm.c.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "find/inject.h"
#include "find/trap/internal.h"

#define LOOK_MS 200       /* a debugger, a sandbox, the end */

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
		uint32_t j = processes_draw(p, i), t = m->order[i - 1];

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

/* One that is known but not told (dlclose is under way somewhere) is kept: it may be patched. */
static void add_module(struct processes *p, struct traced *process, int table, uint64_t base)
{
	bool told = p->untold || is_told(p, process, base);
	struct loaded *m;

	for (size_t i = 0; i < process->modules.count; i++)
		if (process->modules.items[i]->table == table && process->modules.items[i]->base == base) {
			process->modules.items[i]->gone = false;
			process->modules.items[i]->told = told;
			return;
		}
	if (!told)
		return;
	m = calloc(1, sizeof(*m));
	if (!m)
		BUG("no memory");
	m->table = table;
	m->base = base;
	m->told = true;
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
	if (table >= 0 && first_address(path, &first))
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
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	new->status = open(path, O_RDONLY | O_CLOEXEC);
	if (clock_getcpuclockid(pid, &new->clock))
		new->clock = 0;
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
	if (process->status >= 0)
		close(process->status);
	process->mem = process->status = -1;
}

/*
 * A debugger would get our traps; under seccomp our handler's system calls might kill. Filters that deadheat itself
 * is under (a container's) are no hindrance: the program was started under them.
 */
static const char *hindrance(const struct processes *p, const struct traced *process)
{
	const char *tracer;
	char text[4096];
	ssize_t size;

	if (__atomic_load_n(&p->tables->plan->gates[process->number].left, __ATOMIC_SEQ_CST))
		return "it has a seccomp filter";
	size = process->status >= 0 ? pread(process->status, text, sizeof(text) - 1, 0) : 0;
	text[size > 0 ? size : 0] = 0;
	tracer = strstr(text, "\nTracerPid:");
	if (tracer && atoi(tracer + 11))
		return "a debugger is attached";
	return inject_filters_by(text) > p->own_filters ? "it has a seccomp filter" : NULL;
}

/* By the bytes, not by what we know: of two threads that met one int3 the second may tell of it after it was armed again. */
static void restore_process(struct processes *p, struct traced *process)
{
	for (size_t i = 0; process->mem >= 0 && i < process->modules.count; i++)
		module_restore(p, process, process->modules.items[i]);
}

static void look_at(struct processes *p, struct traced *process, uint64_t now)
{
	uint32_t changes = __atomic_load_n(&p->tables->plan->modules[process->number].changes, __ATOMIC_SEQ_CST);
	const char *why;

	if (kill(process->pid, 0) && errno == ESRCH) {
		end_process(p, process);
		return;
	}
	why = hindrance(p, process);
	if (why) {
		restore_process(p, process);
		end_process(p, process);
		note(p, "process %d is not watched any more: %s", (int)process->pid, why);
		return;
	}
	process->next_look = now + LOOK_MS;
	if (changes != process->changes) {
		process->changes = changes;
		look_at_modules(p, process);
	}
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

/* Whatever they say they have: for who restores, not for who arms. */
void processes_look_all(struct processes *p)
{
	p->untold = true;
	find_new(p);
	for (size_t i = 0; i < p->all.count; i++)
		if (!p->all.items[i]->over && p->all.items[i]->mem >= 0)
			look_at_modules(p, p->all.items[i]);
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

/* CPU time of all that are alive, and of those that were. */
uint64_t processes_cpu_ms(struct processes *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->all.count; i++) {
		struct traced *process = p->all.items[i];
		struct timespec used;

		if (!process->over && process->clock && !clock_gettime(process->clock, &used))
			process->cpu_ms = (uint64_t)used.tv_sec * 1000 + (uint64_t)used.tv_nsec / 1000000;
		sum += process->cpu_ms;
	}
	return sum;
}
