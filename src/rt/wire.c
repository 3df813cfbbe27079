/*
 * wire - the target's end of the border (wire/wire.h, event.h, plan.h).
 *
 * I1  The constructor claims or nobody does: DEADHEAT_WIRE is taken out of the
 *     environment in any case, and so is our folder at the front of LD_LIBRARY_PATH,
 *     so that programs started from here find the plain runtime of their own and run inert.
 * I2  What does not fit is refused with a text in the header; the program then runs inert.
 * I3  Nothing is kept on this side: each record and counter is in the shared mapping at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/internal.h"
#include "rt/text.h"

struct wire_header *rt_wire;
const struct wire_plan *rt_plan;
int rt_control = -1;

/* ---- the environment -------------------------------------------------------------------- */

/* Index of NAME=... in environ, -1 if it is not there. */
static int variable(const char *name)
{
	size_t size = rt_strlen(name);

	for (int i = 0; environ && environ[i]; i++)
		if (!rt_strncmp(environ[i], name, size) && environ[i][size] == '=')
			return i;
	return -1;
}

static void variable_remove(int index)
{
	do
		environ[index] = environ[index + 1];
	while (environ[index++]);
}

/* "LD_LIBRARY_PATH=OURS:rest" -> "LD_LIBRARY_PATH=rest"; nothing left: no variable. */
static void strip_library_path(void)
{
	const char *own = rt_own_path();
	int index = variable("LD_LIBRARY_PATH");
	size_t size = rt_strlen(own);
	char *value;

	while (size && own[size - 1] != '/')
		size--;
	if (index < 0 || size < 2)
		return;
	size--; /* without the slash */
	value = environ[index] + sizeof("LD_LIBRARY_PATH=") - 1;
	if (rt_strncmp(value, own, size))
		return;
	if (!value[size])
		variable_remove(index);
	else if (value[size] == ':')
		rt_memmove(value, value + size + 1, rt_strlen(value + size + 1) + 1);
}

/* Digits up to `,` or the end; -1 if it is anything else. */
static int number(const char **text)
{
	int n = 0;

	if (**text < '0' || **text > '9')
		return -1;
	for (; **text >= '0' && **text <= '9' && n < 1 << 20; (*text)++)
		n = n * 10 + (**text - '0');
	return **text && **text != ',' ? -1 : n;
}

/* ---- claiming ------------------------------------------------------------------------------ */

static struct wire_header *map_file(int file, size_t size)
{
	long address = rt_syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	return address < 0 && address > -4096 ? NULL : (struct wire_header *)address;
}

static void refuse(struct wire_header *wire, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_format(wire->refusal, sizeof(wire->refusal), format, arguments);
	va_end(arguments);
	__atomic_store_n(&wire->state, WIRE_REFUSED, __ATOMIC_RELEASE);
}

static bool fits(uint64_t total, uint64_t offset, uint64_t size)
{
	return offset % 8 == 0 && offset <= total && size <= total - offset;
}

static bool layout_fits(const struct wire_header *wire)
{
	uint64_t total = wire->total_size;

	return wire->plan_size >= sizeof(struct wire_plan) && fits(total, wire->plan_offset, wire->plan_size) &&
	       fits(total, wire->log_offset, wire->log_size) && fits(total, wire->steps_offset, wire->steps_size);
}

/* Is it ours to speak over? Says why not in the header; its first fields never move. */
static bool acceptable(struct wire_header *wire)
{
	uint32_t nobody = 0;
	uint32_t pid = rt_syscall(SYS_getpid);

	if (wire->magic != WIRE_MAGIC)
		return false;
	if (!__atomic_compare_exchange_n(&wire->claimed_pid, &nobody, pid, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	wire->runtime_version = WIRE_VERSION;
	wire->runtime = rt_kind;
	if (wire->version != WIRE_VERSION)
		refuse(wire, "the runtime speaks version %u of the wire, deadheat speaks %u: install both from one build",
		       WIRE_VERSION, wire->version);
	else if (wire->wanted_runtime && wire->wanted_runtime != rt_kind)
		refuse(wire, "runtime %u was asked for, but the program has loaded %s: is another folder in its run path?",
		       wire->wanted_runtime, rt_own_path());
	else if (!layout_fits(wire))
		refuse(wire, "the areas of the wire do not fit into its %lu bytes", (unsigned long)wire->total_size);
	else
		return true;
	return false;
}

static bool plan_fits(const struct wire_header *wire, const struct wire_plan *plan)
{
	uint64_t need = sizeof(*plan) + (uint64_t)plan->module_count * sizeof(struct wire_plan_module) +
			(uint64_t)plan->site_count * sizeof(struct wire_plan_site) +
			(uint64_t)plan->edge_count * sizeof(struct wire_plan_edge) +
			(uint64_t)plan->choice_count * sizeof(struct wire_choice) +
			(uint64_t)plan->plain_count * sizeof(struct wire_plan_plain);

	return plan->size == sizeof(*plan) && need <= wire->plan_size;
}

static const char *take(struct wire_header *wire, int file)
{
	struct wire_header *whole = map_file(file, wire->total_size);
	const struct wire_plan *plan;

	if (!whole)
		return "the kernel refuses to map the wire: is ulimit -v too low?";
	plan = (const void *)((char *)whole + whole->plan_offset);
	if (!plan_fits(whole, plan)) {
		rt_unreserve(whole, wire->total_size);
		return "the plan does not fit into its area of the wire";
	}
	rt_plan = plan;
	rt_wire = whole;
	return NULL;
}

static void claim(int file)
{
	struct wire_header *wire = map_file(file, sizeof(*wire));
	const char *problem;

	if (!wire)
		return;
	if (acceptable(wire)) {
		problem = take(wire, file);
		if (problem)
			refuse(wire, "%s", problem);
		else
			__atomic_store_n(&wire->state, WIRE_CLAIMED, __ATOMIC_RELEASE);
	}
	rt_unreserve(wire, sizeof(*wire));
}

void rt_wire_start(void)
{
	int index = variable(WIRE_ENV);
	const char *value;
	int file;

	if (index < 0)
		return;
	value = environ[index] + sizeof(WIRE_ENV);
	variable_remove(index);
	strip_library_path();
	file = number(&value);
	if (file < 0)
		return;
	if (*value++ == ',')
		rt_control = number(&value);
	claim(file);
	rt_syscall(SYS_close, file);
	if (rt_control >= 0 && rt_wire)
		rt_syscall(SYS_fcntl, rt_control, F_SETFD, FD_CLOEXEC);
	else if (rt_control >= 0)
		rt_syscall(SYS_close, rt_control);
	if (!rt_wire)
		rt_control = -1;
}

void rt_wire_leave(void)
{
	rt_wire = NULL;
	rt_plan = NULL;
	if (rt_control >= 0)
		rt_syscall(SYS_close, rt_control);
	rt_control = -1;
}

/* ---- the plan's arrays, in the order of plan.h ----------------------------------------------- */

const struct wire_plan_module *rt_plan_modules(void)
{
	return (const void *)(rt_plan + 1);
}

const struct wire_plan_site *rt_plan_sites(void)
{
	return (const void *)(rt_plan_modules() + rt_plan->module_count);
}

const struct wire_plan_edge *rt_plan_edges(void)
{
	return (const void *)(rt_plan_sites() + rt_plan->site_count);
}

const struct wire_choice *rt_plan_choices(void)
{
	return (const void *)(rt_plan_edges() + rt_plan->edge_count);
}

const struct wire_plan_plain *rt_plan_plain(void)
{
	return (const void *)(rt_plan_choices() + rt_plan->choice_count);
}

/* ---- records and counters ---------------------------------------------------------------------- */

void rt_count_add(enum wire_counter counter, uint64_t n)
{
	if (rt_wire)
		__atomic_fetch_add(&rt_wire->counters[counter], n, __ATOMIC_RELAXED);
}

void rt_count(enum wire_counter counter)
{
	rt_count_add(counter, 1);
}

void *rt_record(size_t size)
{
	struct wire_record *record;
	uint64_t at;

	if (!rt_wire)
		return NULL;
	size = (size + 7) & -(size_t)8;
	at = __atomic_load_n(&rt_wire->log_reserved, __ATOMIC_RELAXED);
	do
		if (size > rt_wire->log_size || at > rt_wire->log_size - size) {
			rt_count(WIRE_LOST_RECORDS);
			return NULL;
		}
	while (!__atomic_compare_exchange_n(&rt_wire->log_reserved, &at, at + size, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED));
	record = (void *)((char *)rt_wire + rt_wire->log_offset + at);
	rt_memset(record, 0, size);
	record->size = size;
	return record;
}

void rt_commit(void *record, enum wire_record_type type)
{
	struct wire_record *head = record;

	if (head)
		__atomic_store_n(&head->type, type, __ATOMIC_RELEASE);
}

void rt_note(const char *format, ...)
{
	char text[512];
	struct wire_ev_note *record;
	va_list arguments;
	size_t size;

	va_start(arguments, format);
	size = text_format(text, sizeof(text), format, arguments) + 1;
	va_end(arguments);
	record = rt_record(sizeof(*record) + size);
	if (!record)
		return;
	record->text_size = size;
	rt_memcpy(record + 1, text, size);
	rt_commit(record, WIRE_EV_NOTE);
}
