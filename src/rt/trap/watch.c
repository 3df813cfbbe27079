/*
 * watch - one watchpoint for the whole process, on the bytes one thread is about to touch.
 *
 * A breakpoint event of perf, opened before there are threads, so that all inherit it (inherit_thread);
 * one ioctl arms it in all of them. Whoever touches the bytes gets a SIGTRAP right after, with
 * the generation of the watch in it.
 *
 *   free -> busy (t1, compare and swap) -> stall -> busy (t1, time is up) -> free
 *                                       -> clock -> busy (t2 trips it, t1 four times, or it is old) -> free
 *
 * Stalled, t1 stands before its access: nobody can be ordered after or before it by anything, so
 * who touches the bytes meanwhile races with it, atomics apart, which the host leaves out. Not stalled
 * (clock), it races if t1 has passed no sync operation that we see: a suspicion.
 *
 * The bytes watched are a part of the operand (aligned, 1 to 8): a neighbour never trips it. A read is
 * watched for writes only. Where perf is refused, the stalled thread compares values instead.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

#include "rt/trap/internal.h"

#define OWN_HITS 4u
#define LOCKED_SHARE 4u /* of stalls that would be made with a lock held, one in so many: others wait for it too */
#define TRIP_NS 12000   /* a watchpoint's exception leaves the virtual machine: 11 us measured there; a few on bare metal */

enum { FREE, BUSY, STALL, CLOCK };
enum { UNTOUCHED, TOUCHED, TOLD };

static struct {
	uint32_t state;
	uint32_t touched;      /* futex: t1 waits here */
	uint64_t generation;
	int fd;                /* -1: none */
	uint32_t own;
	uint64_t since;
	uintptr_t armed;       /* the bytes watched */
	uint32_t flags;        /* of the site */
	struct trace_thread *t1;
	uint32_t t1_number;
	uint64_t t1_clock;
	struct trap_side a, b;
} watch = { .fd = -1 };

/* Of threads that were there before us (--pid): each has an event of its own, inherited by those it makes. */
#define OTHERS 4096
static int others[OTHERS];
static uint32_t other_count;

/* ---- the event -------------------------------------------------------------------------------------- */

/* Out of the way of the program's own numbers; there may be more threads than it may have files. */
static long move_up(long fd)
{
	long high = fd < 0 ? fd : rt_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FD_LEAST);

	if (high >= 0)
		rt_syscall(SYS_close, fd);
	return high >= 0 ? high : fd;
}

static long event_open(struct perf_event_attr *attr, long thread)
{
	return move_up(rt_syscall(SYS_perf_event_open, attr, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

static struct perf_event_attr event(uintptr_t address, uint32_t length, bool writes_only, bool on)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(struct perf_event_attr), .sample_period = 1,
		.bp_type = writes_only ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW, .bp_addr = address, .bp_len = length,
		.inherit = 1, .inherit_thread = 1, .sigtrap = 1, .remove_on_exec = 1, .exclude_kernel = 1, .exclude_hv = 1,
		.disabled = !on, .sig_data = watch.generation,
	};
}

static void open_other(struct perf_event_attr *attr, long thread)
{
	long fd = other_count < OTHERS ? event_open(attr, thread) : -1;

	if (fd >= 0)
		others[other_count++] = (int)fd;
}

/* A thread that comes while we read the list has its maker's event, or is not watched. */
static void open_each(struct perf_event_attr *attr, long list)
{
	char buffer[4096];
	long self = rt_syscall(SYS_gettid), n;

	while ((n = rt_syscall(SYS_getdents64, list, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < n;) {
			const struct dirent64 *entry = (const void *)(buffer + at);
			long thread = 0;

			for (const char *p = entry->d_name; *p >= '0' && *p <= '9'; p++)
				thread = thread * 10 + (*p - '0');
			if (thread && thread != self)
				open_other(attr, thread);
			at += entry->d_reclen;
		}
}

static void open_others(struct perf_event_attr *attr)
{
	uint64_t limit[2], more[2];
	bool raised = rt_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, limit) == 0;
	long list = rt_syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	more[0] = more[1] = limit[1];
	raised = raised && rt_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, more, NULL) == 0;
	if (list >= 0) {
		open_each(attr, list);
		rt_syscall(SYS_close, list);
	}
	if (raised)
		rt_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, limit, NULL);
}

void watch_open(void)
{
	static uint64_t nowhere;
	struct perf_event_attr attr = event((uintptr_t)&nowhere, 8, true, false);
	long fd = trap_plan->no_perf ? -EPERM : event_open(&attr, 0);

	watch.state = FREE;
	watch.fd = -1;
	if (fd < 0) {
		trap_count(TRAP_C_NO_WATCH, 1);
		return;
	}
	watch.fd = (int)fd;
	if (trap_plan->late)
		open_others(&attr);
}

void watch_close(void)
{
	if (watch.fd >= 0)
		rt_syscall(SYS_close, watch.fd);
	watch.fd = -1;
	while (other_count)
		rt_syscall(SYS_close, others[--other_count]);
}

/* False: the event is gone (a program that closed all files). */
static bool arm(uintptr_t address, uint32_t length, bool writes_only, bool on)
{
	struct perf_event_attr attr = event(address, length, writes_only, on);
	long result = rt_syscall(SYS_ioctl, watch.fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr);

	if (result == -EBADF || result == -ENOTTY) {
		watch.fd = -1;
		trap_count(TRAP_C_NO_WATCH, 1);
	}
	for (uint32_t i = 0; result == 0 && i < other_count; i++) /* one whose thread has ended does no harm */
		rt_syscall(SYS_ioctl, others[i], PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr);
	return result == 0;
}

/* Dropping: of the old generation no trip is taken any more. */
static void disarm(void)
{
	watch.generation++;
	if (watch.fd >= 0)
		arm((uintptr_t)&watch.fd & -8ul, 8, true, false);
}

/*
 * By t2, once it has touched the bytes: t1 may not be on a processor for milliseconds, and each further touch would
 * be another exception. Only the event; the generation stays t1's. Before TOLD: t1 goes on to another watch no earlier.
 */
static void hush(void)
{
	if (watch.fd >= 0)
		rt_syscall(SYS_ioctl, watch.fd, PERF_EVENT_IOC_DISABLE, 0);
	for (uint32_t i = 0; i < other_count; i++)
		rt_syscall(SYS_ioctl, others[i], PERF_EVENT_IOC_DISABLE, 0);
}

static void release(void)
{
	__atomic_store_n(&watch.state, FREE, __ATOMIC_RELEASE);
}

/* ---- what a side tells --------------------------------------------------------------------------------- */

static void read_stack(struct trap_side *side, const struct trace_thread *self, const ucontext_t *context)
{
	uintptr_t frame = (uintptr_t)context->uc_mcontext.gregs[REG_RBP];
	uintptr_t low = (uintptr_t)context->uc_mcontext.gregs[REG_RSP], high = self->stack_high;

	side->stack_count = 0;
	while (side->stack_count < TRAP_STACK && frame % 8 == 0 && frame >= low && high > 16 && frame < high - 16) {
		const uintptr_t *words = (const uintptr_t *)frame;

		if (!trace_module_of(words[1]))
			break;
		side->stack[side->stack_count++] = words[1];
		if (words[0] <= frame)
			break;
		low = frame;
		frame = words[0];
	}
}

static void fill(struct trap_side *side, const struct trace_thread *self, uintptr_t pc, uintptr_t address, uint32_t size,
		 const ucontext_t *context)
{
	uint32_t locks = self->lock_count < TRAP_LOCKS ? self->lock_count : TRAP_LOCKS;

	side->pc = pc;
	side->address = address;
	side->size = size;
	side->thread = self->number;
	side->clock = self->clock;
	side->lock_count = locks;
	for (uint32_t i = 0; i < locks; i++)
		side->locks[i] = self->held[i].lock | (self->held[i].mode == LOCK_READ ? TRACE_LOCK_SHARED : 0);
	read_stack(side, self, context);
}

static void tell(enum trap_how how)
{
	uint32_t n = __atomic_fetch_add(&trap_plan->find_next, 1, __ATOMIC_RELAXED) % TRAP_FINDS;
	struct trap_find *find = &trap_plan->finds[n];

	if (__atomic_load_n(&find->ready, __ATOMIC_ACQUIRE)) {
		trap_count(TRAP_C_LOST, 1);
		return;
	}
	find->process = trace_process;
	find->how = how;
	find->flags = watch.flags;
	find->a = watch.a;
	find->b = watch.b;
	__atomic_store_n(&find->ready, 1, __ATOMIC_RELEASE);
}

/* ---- t1 --------------------------------------------------------------------------------------------------- */

static bool take(void)
{
	uint32_t expected = FREE;

	return __atomic_compare_exchange_n(&watch.state, &expected, BUSY, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* A watch nobody trips is dropped by the next one who wants it. */
static void drop_old(uint64_t now)
{
	uint32_t expected = CLOCK;

	if (__atomic_load_n(&watch.state, __ATOMIC_ACQUIRE) != CLOCK || now - watch.since < trap_plan->limit_ns)
		return;
	if (__atomic_compare_exchange_n(&watch.state, &expected, BUSY, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		disarm();
		release();
	}
}

/* The largest aligned part of the operand a debug register can hold. */
static uint32_t part(uintptr_t *address, uint32_t size)
{
	for (uint32_t length = 8; length > 1; length /= 2) {
		uintptr_t at = (*address + length - 1) & -(uintptr_t)length;

		if (at + length <= *address + size) {
			*address = at;
			return length;
		}
	}
	return 1;
}

static bool read_value(uintptr_t address, uint32_t size, uint64_t *value)
{
	struct iovec local = { value, size }, remote = { (void *)address, size };

	*value = 0;
	return rt_syscall(SYS_process_vm_readv, rt_syscall(SYS_getpid), &local, 1, &remote, 1, 0) == (long)size;
}

static void wait_touched(uint64_t ns)
{
	struct timespec limit = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	rt_syscall(SYS_futex, &watch.touched, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, UNTOUCHED, &limit, NULL, 0);
}

/* Somebody has claimed the touch and is writing it down: microseconds. */
static bool is_told(void)
{
	for (int i = 0; i < 10000 && __atomic_load_n(&watch.touched, __ATOMIC_ACQUIRE) == TOUCHED; i++)
		rt_syscall(SYS_sched_yield);
	return __atomic_load_n(&watch.touched, __ATOMIC_ACQUIRE) == TOLD;
}

static uint64_t stall(uintptr_t address, uint32_t length, bool watched)
{
	uint64_t before, after, began = trap_now(), stood;
	bool known = !watched && read_value(address, length, &before);

	__atomic_store_n(&watch.state, STALL, __ATOMIC_RELEASE);
	wait_touched(trap_plan->stall_ns);
	__atomic_store_n(&watch.state, BUSY, __ATOMIC_RELEASE);
	stood = trap_now() - began;
	if (watched) {
		disarm();
		if (is_told())
			tell(TRAP_BY_STALL);
	} else if (known && read_value(address, length, &after) && before != after) {
		watch.b = (struct trap_side){ 0 };
		tell(TRAP_BY_VALUE);
	}
	release();
	trap_count(TRAP_C_STALLS, 1);
	trap_count(TRAP_C_STALL_NS, stood);
	return stood;
}

/* Who holds a lock makes others wait: rarely. */
static bool may_stall(const struct trace_thread *self)
{
	if (trap_plan->mode == TRAP_CLOCK || __atomic_load_n(&trap_plan->tokens_ns, __ATOMIC_RELAXED) <= 0)
		return false;
	return !self->lock_count || (trap_now() >> 10) % LOCKED_SHARE == 0;
}

static uint64_t cpu_now(void)
{
	struct timespec t;

	rt_syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Where the machine is busy it also waited for a core, as everybody does: that is not our doing. */
static void pay(const struct trace_thread *self, uint64_t cpu_began, uint64_t stood)
{
	uint64_t spent = cpu_now() - cpu_began, most = 2 * trap_plan->stall_ns;

	if (stood > most)
		stood = most;
	spent += stood && self->lock_count ? stood * LOCKED_SHARE : stood;
	__atomic_fetch_sub(&trap_plan->tokens_ns, (int64_t)spent, __ATOMIC_RELAXED);
	trap_count(TRAP_C_HANDLER_NS, spent);
}

static void prepare(struct trace_thread *self, const struct trap_place *place, uintptr_t address, uint64_t now,
		    const ucontext_t *context)
{
	watch.touched = UNTOUCHED;
	watch.own = 0;
	watch.since = now;
	watch.flags = place->site->flags;
	watch.t1 = self;
	watch.t1_number = self->number;
	watch.t1_clock = self->clock;
	watch.generation++;
	fill(&watch.a, self, place->base + place->site->offset, address, place->site->size, context);
}

static bool is_own_stack(const struct trace_thread *self, uintptr_t address, const ucontext_t *context)
{
	uintptr_t low = (uintptr_t)context->uc_mcontext.gregs[REG_RSP] - 4096;

	return address >= low && address < self->stack_high;
}

uint32_t watch_access(struct trace_thread *self, const struct trap_place *place, const ucontext_t *context)
{
	uintptr_t address = site_operand(place, context), watched = address;
	uint32_t length = part(&watched, place->site->size), result;
	bool writes_only = !(place->site->flags & TRAP_WRITE), stalls, on;
	uint64_t now = trap_now(), stood = 0, cpu;

	if (is_own_stack(self, address, context))
		return TRAP_HIT_PRIVATE;
	drop_old(now);
	stalls = may_stall(self);
	if (!stalls && (trap_plan->mode == TRAP_COLLIDER || watch.fd < 0))
		return TRAP_HIT_BUSY;
	if (__atomic_load_n(&trap_plan->tokens_ns, __ATOMIC_RELAXED) <= 0 || !take())
		return TRAP_HIT_BUSY;
	cpu = cpu_now();
	prepare(self, place, address, now, context);
	watch.armed = watched;
	on = watch.fd >= 0 && arm(watched, length, writes_only, true);
	trap_count(TRAP_C_WATCHES, 1);
	if (stalls) {
		stood = stall(watched, length, on);
		result = TRAP_HIT_WATCHED | TRAP_HIT_STALLED;
	} else if (on) {
		__atomic_store_n(&watch.state, CLOCK, __ATOMIC_RELEASE);
		result = TRAP_HIT_WATCHED;
	} else {
		release();
		result = TRAP_HIT_BUSY;
	}
	pay(self, cpu, stood);
	return result;
}

/* ---- t2 ------------------------------------------------------------------------------------------------------ */

static void tripped_stalled(struct trace_thread *self, const ucontext_t *context)
{
	uint32_t expected = UNTOUCHED;

	if (!__atomic_compare_exchange_n(&watch.touched, &expected, TOUCHED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	fill(&watch.b, self, (uintptr_t)context->uc_mcontext.gregs[REG_RIP], watch.a.address, 0, context);
	hush();
	__atomic_store_n(&watch.touched, TOLD, __ATOMIC_RELEASE);
	rt_syscall(SYS_futex, &watch.touched, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}

static bool take_clock(void)
{
	uint32_t expected = CLOCK;

	return __atomic_compare_exchange_n(&watch.state, &expected, BUSY, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* A stall lasts a millisecond or what --stall says; after that it is not waited for. */
#define STOP_TURNS 100000

void watch_stop(void)
{
	for (int i = 0; i < STOP_TURNS && !take() && !take_clock(); i++)
		rt_syscall(SYS_sched_yield);
	disarm();
	watch_close();
}

static void tripped_by_self(void)
{
	trap_count(TRAP_C_OWN, 1);
	if (__atomic_add_fetch(&watch.own, 1, __ATOMIC_RELAXED) >= OWN_HITS && take_clock()) {
		disarm();
		release();
	}
}

static void tripped_unstalled(struct trace_thread *self, const ucontext_t *context)
{
	const struct trace_thread *t1 = watch.t1;
	bool same;

	if (!take_clock())
		return;
	same = t1->number == watch.t1_number && __atomic_load_n(&t1->clock, __ATOMIC_RELAXED) == watch.t1_clock && !t1->ended;
	if (same) {
		fill(&watch.b, self, (uintptr_t)context->uc_mcontext.gregs[REG_RIP], watch.a.address, 0, context);
		tell(TRAP_BY_CLOCK);
	}
	disarm();
	release();
}

/*
 * The signal of a thread that was preempted right after its access comes late, and carries the event's data as
 * they are then, not as they were: only the address is that of the access.
 */
void watch_tripped(struct trace_thread *self, uint64_t generation, uintptr_t address, const ucontext_t *context)
{
	uint32_t state = __atomic_load_n(&watch.state, __ATOMIC_ACQUIRE);

	__atomic_fetch_sub(&trap_plan->tokens_ns, TRIP_NS, __ATOMIC_RELAXED);
	trap_count(TRAP_C_HANDLER_NS, TRIP_NS);
	if (generation != watch.generation || address != watch.armed || (state != STALL && state != CLOCK)) {
		trap_count(TRAP_C_LATE, 1);
		return;
	}
	if (self == watch.t1) {
		if (state == CLOCK)
			tripped_by_self();
		return;
	}
	trap_count(TRAP_C_FOREIGN, 1);
	if (state == STALL)
		tripped_stalled(self, context);
	else
		tripped_unstalled(self, context);
}
