/*
 * signal - signals come at scheduling points, to the thread that has the turn.
 *
 *   from the program (pthread_kill, kill to itself, raise)   from the world (alarm, kill, ^C)
 *            |                                                        |
 *            |                              on_arrival: our handler, on any thread, any time
 *            v                                                        v
 *      signals_pending of the target  <-------------------------------+
 *            |   the target is enabled now, whatever it waits for (wait.c)
 *            v
 *      sched_signal_point: it has the turn; the signal is sent to itself for real, with the
 *      siginfo it came with, so that mask, alternate stack, SA_ flags are the kernel's work
 *
 * I1  `handling` is true exactly while a signal that arrives may run the program's handler:
 *     while we send one to ourselves, and while a mask change lets blocked ones in.
 * I2  Faults (SIGSEGV, SIGTRAP, ...) are the program's statement itself: never deferred.
 * I3  A signal the target blocks stays in signals_pending until it unblocks it or takes it
 *     with sigwait.
 * The kernel resets SA_RESETHAND handlers on arrival, which may be only the first of two:
 * we do it instead, when the handler really runs.
 */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/plain/plain.h"
#include "rt/sched/signals.h"
#include "rt/sched/turn.h"

#define SIGNALS 64

static struct sigaction wanted[SIGNALS + 1]; /* what the program asked for, where we stand in */
static bool ours[SIGNALS + 1];

static uint64_t bit(int sig)
{
	return 1ull << (sig - 1);
}

static bool is_fault(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGTRAP || sig == SIGSYS ||
	       sig == SIGABRT;
}

/* ---- where deferred siginfo waits --------------------------------------------------- */

/* More at once than this lose their siginfo (sender, value), not the signal. */
#define KEPT 64
static struct kept {
	struct sched_thread *thread; /* NULL: free */
	siginfo_t info;
} kept[KEPT];

static void keep_info(struct sched_thread *thread, const siginfo_t *info)
{
	for (int i = 0; i < KEPT; i++) {
		struct sched_thread *none = NULL;

		if (!__atomic_compare_exchange_n(&kept[i].thread, &none, thread, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		kept[i].info = *info;
		return;
	}
	rt_count(WIRE_LOST_RECORDS);
}

static void fetch_info(struct sched_thread *thread, int sig, siginfo_t *out)
{
	for (int i = 0; i < KEPT; i++)
		if (kept[i].thread == thread && kept[i].info.si_signo == sig) {
			*out = kept[i].info;
			__atomic_store_n(&kept[i].thread, NULL, __ATOMIC_RELEASE);
			return;
		}
	*out = (siginfo_t){ .si_signo = sig, .si_code = SI_TKILL };
	out->si_pid = (pid_t)rt_syscall(SYS_getpid);
	out->si_uid = (uid_t)rt_syscall(SYS_getuid);
}

void signal_add(struct sched_thread *thread, const siginfo_t *info)
{
	if (!(__atomic_fetch_or(&thread->signals_pending, bit(info->si_signo), __ATOMIC_ACQ_REL) & bit(info->si_signo)))
		keep_info(thread, info);
}

void signal_take(struct sched_thread *thread, int sig, siginfo_t *info)
{
	__atomic_fetch_and(&thread->signals_pending, ~bit(sig), __ATOMIC_ACQ_REL);
	fetch_info(thread, sig, info);
}

/* ---- masks ----------------------------------------------------------------------------- */

static uint64_t hex_after(const char *text, const char *end, const char *name)
{
	uint64_t value = 0;
	size_t n = 0;

	while (name[n])
		n++;
	for (; text + n < end; text++) {
		size_t i = 0;

		while (i < n && text[i] == name[i])
			i++;
		if (i == n)
			break;
	}
	for (text += n; text < end && *text != '\n'; text++)
		if (*text != ' ' && *text != '\t')
			value = value << 4 | (uint64_t)(*text <= '9' ? *text - '0' : (*text | 32) - 'a' + 10);
	return value;
}

/* "/proc/self/task/<tid>/status": the only way to see another thread's mask. */
static uint64_t mask_of_task(uint32_t tid)
{
	char path[64] = "/proc/self/task/", digits[12], text[2048];
	unsigned at = 16, n = 0;
	long fd, size;

	do
		digits[n++] = (char)('0' + tid % 10);
	while (tid /= 10);
	while (n)
		path[at++] = digits[--n];
	for (const char *s = "/status"; *s; s++)
		path[at++] = *s;
	fd = rt_syscall(SYS_openat, -100, path, 0x80000, 0);
	if (fd < 0)
		return 0;
	size = rt_syscall(SYS_read, fd, text, sizeof(text));
	rt_syscall(SYS_close, fd);
	return size > 0 ? hex_after(text, text + size, "SigBlk:") : 0;
}

/* A parked thread's mask only changes when it runs: good for as long as it makes no step. */
static uint64_t mask_of(const struct sched_thread *thread)
{
	struct sched_thread *t = (struct sched_thread *)thread;

	if (t->signal_mask_step != t->steps + 1) {
		t->signal_mask = mask_of_task(t->rt->tid);
		t->signal_mask_step = t->steps + 1;
	}
	return t->signal_mask;
}

static uint64_t own_mask(void)
{
	uint64_t mask = 0;

	rt_syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask));
	return mask;
}

bool sched_signal_due(const struct sched_thread *thread)
{
	uint64_t pending = __atomic_load_n(&thread->signals_pending, __ATOMIC_ACQUIRE);

	return unlikely(pending) && (pending & ~mask_of(thread));
}

/* ---- running handlers -------------------------------------------------------------------- */

static void run_handler(struct sched_thread *self, int sig, siginfo_t *info, void *context)
{
	struct sigaction action = wanted[sig];
	int code = errno;

	if (action.sa_flags & SA_RESETHAND) {
		ours[sig] = false;
		rt_syscall(SYS_rt_sigaction, sig, &(uint64_t[4]){ 0 }, NULL, 8);
	}
	if (self) {
		self->signals_taken++;
		self->restart = action.sa_flags & SA_RESTART;
		self->handling = false;
	}
	errno = code;
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(sig, info, context);
	else
		action.sa_handler(sig);
	if (self)
		self->handling = true;
}

static void on_arrival(int sig, siginfo_t *info, void *context)
{
	struct sched_thread *self = sched_self();

	if (self && !self->handling)
		signal_add(self, info);
	else
		run_handler(self, sig, info, context);
}

/* To ourselves, now: the kernel runs the handler before the system call returns. */
void signal_send_self(struct sched_thread *self, siginfo_t *info)
{
	bool before = self->handling;

	self->handling = true;
	rt_syscall(SYS_rt_tgsigqueueinfo, rt_syscall(SYS_getpid), rt_syscall(SYS_gettid), info->si_signo, info);
	self->handling = before;
}

void sched_signal_point(struct sched_thread *self)
{
	uint64_t due;

	while (self->signals_pending && (due = self->signals_pending & ~own_mask()) != 0) {
		int sig = __builtin_ctzll(due) + 1;
		siginfo_t info;

		signal_take(self, sig, &info);
		step_record(self, STEP_SIGNAL, OP_SIGNAL, 0, (uint32_t)sig, self->pc);
		signal_send_self(self, &info);
	}
	if (self->cancel_pending && self->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS && sched_cancel_due(self))
		sched_cancel_act();
}

/* ---- sigaction ----------------------------------------------------------------------------- */

static bool stands_in(int sig, const struct sigaction *action)
{
	return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN && !is_fault(sig);
}

static int set_action(int sig, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction before = { 0 }, installed, previous = { 0 };
	sigset_t room;
	bool mine = sig >= 1 && sig <= SIGNALS && ours[sig];
	int result;

	if (plain_owns(sig)) {
		plain_sigaction(action, old);
		return 0;
	}
	if (mine)
		before = wanted[sig];
	if (!action) {
		result = REAL(sigaction)(sig, NULL, &previous);
	} else {
		installed = *action;
		installed.sa_mask = *plain_mask(&action->sa_mask, &room);
		if (sig >= 1 && sig <= SIGNALS && stands_in(sig, action)) {
			wanted[sig] = *action;
			installed.sa_sigaction = on_arrival;
			installed.sa_flags = (action->sa_flags | SA_SIGINFO) & ~SA_RESETHAND;
		}
		result = REAL(sigaction)(sig, &installed, &previous);
		if (!result)
			ours[sig] = stands_in(sig, action);
	}
	if (!result && old)
		*old = mine ? before : previous;
	return result;
}

RT_EXPORT int sigaction(int sig, const struct sigaction *action, struct sigaction *old)
{
	return sched_self() ? set_action(sig, action, old) : REAL(sigaction)(sig, action, old);
}

RT_EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

	if (!sched_self())
		return REAL(signal)(sig, handler);
	return set_action(sig, &action, &old) ? SIG_ERR : old.sa_handler;
}

/* ---- masks of the program ------------------------------------------------------------------- */

static void changed_mask(struct sched_thread *self)
{
	self->signal_mask_step = 0;
	if (self->signals_pending)
		sched_signal_point(self);
}

RT_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	struct sched_thread *self = sched_self();
	sigset_t room;
	int result;

	if (!self)
		return REAL(pthread_sigmask)(how, set, old);
	self->handling = true;
	result = REAL(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : plain_mask(set, &room), old);
	self->handling = false;
	changed_mask(self);
	return result;
}

RT_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	struct sched_thread *self = sched_self();
	sigset_t room;
	int result;

	if (!self)
		return REAL(sigprocmask)(how, set, old);
	self->handling = true;
	result = REAL(sigprocmask)(how, how == SIG_UNBLOCK ? set : plain_mask(set, &room), old);
	self->handling = false;
	changed_mask(self);
	return result;
}

RT_EXPORT int sigpending(sigset_t *set)
{
	struct sched_thread *self = sched_self();
	int result = REAL(sigpending)(set);

	if (self && !result)
		set->__val[0] |= self->signals_pending;
	return result;
}

/* For calls that wait under a mask of their own (sigsuspend, ppoll, pselect, epoll_pwait). */
void signal_swap_mask(struct sched_thread *self, const sigset_t *set, uint64_t *old)
{
	bool before = self->handling;

	self->handling = true;
	rt_syscall(SYS_rt_sigprocmask, SIG_SETMASK, set, old, sizeof(*old));
	self->handling = before;
	changed_mask(self);
}

/* Whom would the kernel give a signal for the whole process? Those that do not block it. */
static uint32_t takers(int sig, struct sched_thread **nth, uint32_t wish)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < sched_thread_count(); i++) {
		struct sched_thread *t = sched_thread_at(i);

		if (!t->alive || ((t == sched_self() ? own_mask() : mask_of(t)) & bit(sig)))
			continue;
		if (count++ == wish)
			*nth = t;
	}
	return count;
}

/* Does it do anything but kill or stop the whole process? Then it is the kernel's alone. */
static bool has_handler(int sig)
{
	struct { void *handler; uint64_t flags; void *restorer; uint64_t mask; } now = { 0 };

	rt_syscall(SYS_rt_sigaction, sig, NULL, &now, sizeof(now.mask));
	return now.handler != (void *)SIG_DFL && now.handler != (void *)SIG_IGN;
}

static void give(struct sched_thread *self, struct sched_thread *target, siginfo_t *info)
{
	if (target == self && !(own_mask() & bit(info->si_signo))) {
		step_record(self, STEP_SIGNAL, OP_SIGNAL, 0, (uint32_t)info->si_signo, self->pc);
		signal_send_self(self, info);
	} else {
		signal_add(target, info);
	}
}

int signal_thread(struct sched_thread *target, siginfo_t *info, uintptr_t pc)
{
	struct sched_thread *self = sched_self();
	int sig = info->si_signo;

	sched_step(OP_SIGNAL, NULL, pc, NULL, NULL);
	if (sig < 0 || sig > SIGNALS)
		return EINVAL;
	if (sig == 0 || !target->alive)
		return 0;
	if (sig == SIGKILL || sig == SIGSTOP)
		return (int)-rt_syscall(SYS_tgkill, rt_syscall(SYS_getpid), target->rt->tid, sig);
	give(self, target, info);
	return 0;
}

int signal_process(siginfo_t *info, uintptr_t pc)
{
	struct sched_thread *self = sched_self(), *target = NULL;
	int sig = info->si_signo;
	uint32_t count;

	sched_step(OP_SIGNAL, NULL, pc, NULL, NULL);
	if (sig <= 0 || sig > SIGNALS || !has_handler(sig) || !(count = takers(sig, &target, 0)))
		return (int)-rt_syscall(SYS_rt_sigqueueinfo, rt_syscall(SYS_getpid), sig, info);
	if (count > 1)
		takers(sig, &target, sched_choose(OP_SIGNAL, count));
	give(self, target, info);
	return 0;
}
