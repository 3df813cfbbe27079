/*
 * inject - see inject.h.
 */
#include "find/inject.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/spawn.h"

#define TRIES 400        /* looks for a good moment, 10 ms apart */
#define TRAP_FLAG 0x100
#define LOOK_MS 200
#define LEAVE_TRIES 300  /* 10 ms apart: until no thread is in the middle of a burst */
#define CALL_TRIES 20    /* another deadheat that looks in, or a debugger, may have it stopped just now */
#define RED_ZONE 128
#define ROOM 4096        /* below the stack pointer, for the text */

/* ---- what is mapped where -------------------------------------------------------------------- */

struct mapping {
	uint64_t low, high, offset;
	char path[512];
};

/* The first mapping for which wanted says yes. */
static bool find_mapping(pid_t pid, bool (*wanted)(const struct mapping *, const void *), const void *context,
			 struct mapping *found)
{
	char name[64], line[1024];
	bool yes = false;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "r");
	while (maps && !yes && fgets(line, sizeof(line), maps)) {
		*found = (struct mapping){ 0 };
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %511[^\n]", &found->low, &found->high, &found->offset, found->path) >= 3)
			yes = wanted(found, context);
	}
	if (maps)
		fclose(maps);
	return yes;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_libc(const struct mapping *m, const void *context)
{
	return !m->offset && (!strncmp(base_name(m->path), "libc.so.6", 9) || !strncmp(base_name(m->path), "libc-2.", 7));
}

static bool is_path(const struct mapping *m, const void *path)
{
	return !m->offset && !strcmp(m->path, path);
}

static bool holds(const struct mapping *m, const void *address)
{
	uint64_t a = *(const uint64_t *)address;

	return a >= m->low && a < m->high;
}

static bool is_any(const struct mapping *m, const void *context)
{
	return true;
}

/* Value of a defined symbol of the file's dynamic table; 0 if it has none. */
static uint64_t symbol_in(int fd, const char *name)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *section = NULL;
	uint64_t value = 0;
	GElf_Shdr header;

	while (elf && !value && (section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM || !header.sh_entsize ||
		    !(data = elf_getdata(section, NULL)))
			continue;
		for (size_t i = 0; i < header.sh_size / header.sh_entsize && !value; i++) {
			GElf_Sym symbol;
			const char *its = gelf_getsym(data, (int)i, &symbol) ? elf_strptr(elf, header.sh_link, symbol.st_name) : NULL;

			if (its && symbol.st_shndx != SHN_UNDEF && !strcmp(its, name))
				value = symbol.st_value;
		}
	}
	elf_end(elf);
	return value;
}

/* As the process sees it: it may live in another root. */
static uint64_t symbol_of(pid_t pid, const char *path, const char *name)
{
	char file[600];
	uint64_t value;
	int fd;

	elf_version(EV_CURRENT);
	snprintf(file, sizeof(file), "/proc/%d/root%s", (int)pid, path);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	value = symbol_in(fd, name);
	close(fd);
	return value;
}

static int class_of(pid_t pid)
{
	unsigned char ident[EI_NIDENT] = { 0 };
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (read(fd, ident, sizeof(ident)) != sizeof(ident))
		ident[EI_CLASS] = 0;
	close(fd);
	return ident[EI_CLASS];
}

/* ---- its threads -------------------------------------------------------------------------------- */

unsigned long long inject_status(pid_t pid, pid_t tid, const char *name, int base)
{
	unsigned long long value = 0;
	char path[64], line[256];
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	status = fopen(path, "r");
	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, name, strlen(name)))
			value = strtoull(line + strlen(name), NULL, base);
	if (status)
		fclose(status);
	return value;
}

int inject_find_thread(pid_t pid, const char *line, int base, bool (*yes)(unsigned long long value))
{
	struct dirent *entry;
	char path[64];
	int found = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && !found && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.' && yes(inject_status(pid, (pid_t)atoi(entry->d_name), line, base)))
			found = atoi(entry->d_name);
	if (tasks)
		closedir(tasks);
	return found;
}

static bool is_somebody(unsigned long long tracer)
{
	return tracer != 0;
}

/* Of a process whose first thread has ended the others may go on. */
static bool is_alive(pid_t pid)
{
	char path[64], line[512] = "";
	const char *end;
	int threads = 0;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	stat = fopen(path, "r");
	end = stat && fgets(line, sizeof(line), stat) ? strrchr(line, ')') : NULL;
	if (stat)
		fclose(stat);
	if (!end || end[1] != ' ' || sscanf(end + 4, "%*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &threads) != 1)
		return false;
	return (end[2] != 'Z' && end[2] != 'X') || threads > 1;
}

/* Its mappings are looked at now and then: there may be hundreds. */
enum inject_state inject_state(struct inject *inject)
{
	uint64_t now = monotonic_ms();
	struct mapping own;

	if (!is_alive(inject->pid))
		return INJECT_ENDED;
	if (now < inject->next_look)
		return inject->seen;
	inject->next_look = now + LOOK_MS;
	if (find_mapping(inject->pid, is_path, inject->path, &own))
		inject->seen = INJECT_INSIDE;
	else /* one that is about to end has no memory any more */
		inject->seen = find_mapping(inject->pid, is_any, NULL, &own) ? INJECT_OUTSIDE : INJECT_ENDED;
	return inject->seen;
}

const char *inject_ended(struct inject *inject)
{
	inject->next_look = 0;
	switch (inject_state(inject)) {
	case INJECT_INSIDE: return "detached";
	case INJECT_OUTSIDE: return is_alive(inject->pid) ? "executed another program" : "ended";
	default: return "ended";
	}
}

int inject_filters_by(const char *status)
{
	const char *filters = strstr(status, "\nSeccomp_filters:"), *mode = strstr(status, "\nSeccomp:");
	int count = filters ? atoi(filters + 17) : 0;

	return count ? count : mode && atoi(mode + 9) != 0;
}

int inject_filters(pid_t pid)
{
	char path[64], text[4096];
	ssize_t size;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	size = file >= 0 ? read(file, text, sizeof(text) - 1) : 0;
	if (file >= 0)
		close(file);
	text[size > 0 ? size : 0] = 0;
	return inject_filters_by(text);
}

int inject_open(struct inject *inject, pid_t pid, const char *library)
{
	struct mapping libc;
	uint64_t offset;

	*inject = (struct inject){ .pid = pid, .path = library };
	if ((kill(pid, 0) && errno == ESRCH) || !is_alive(pid))
		return error_cannot("--pid %d: there is no such process", (int)pid);
	if (class_of(pid) < 0)
		return error_cannot("--pid %d: we may not look at it: run deadheat as its user or as root", (int)pid);
	if (inject_find_thread(pid, "TracerPid:", 10, is_somebody))
		return error_cannot("--pid %d is traced already (gdb, strace): let go of it first", (int)pid);
	if (class_of(pid) != ELFCLASS64)
		return error_cannot("--pid %d is a 32-bit program; deadheat traces 64-bit ones only", (int)pid);
	if (inject_filters(pid) > inject_filters(getpid()))
		return error_cannot("--pid %d has a seccomp filter: our system calls inside it might kill it", (int)pid);
	if (!find_mapping(pid, is_libc, NULL, &libc))
		return error_cannot("--pid %d is statically linked or uses another libc than glibc: nothing can be loaded into it",
				    (int)pid);
	offset = symbol_of(pid, libc.path, "dlopen");
	if (!offset)
		return error_cannot("--pid %d: its %s has no dlopen: it is older than glibc 2.34; start it with deadheat sample PROG",
				    (int)pid, base_name(libc.path));
	inject->dlopen = libc.low + offset;
	return 0;
}

/* ---- a thread at a good moment --------------------------------------------------------------------- */

static int refused(pid_t pid)
{
	if (errno == EPERM)
		return error_cannot("--pid %d: the kernel does not let us attach: it is traced already (gdb, strace), or "
				    "kernel.yama.ptrace_scope forbids it (sysctl kernel.yama.ptrace_scope=0, or as root)", (int)pid);
	return error_cannot("--pid %d: cannot attach: %s", (int)pid, strerror(errno));
}

/* *signal: what it was about to get; it must still get it, or an int3 it has just executed is half an instruction. */
static int stop(pid_t tid, int *signal)
{
	int status;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return -1;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) || waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status)) {
		ptrace(PTRACE_DETACH, tid, NULL, NULL);
		errno = ESRCH;
		return -1;
	}
	*signal = status >> 16 ? 0 : WSTOPSIG(status);
	return 0;
}

/* A pipe, a socket, a terminal: not a file somebody reads while he loads a library or a table of libc's. */
static bool is_stream(pid_t pid, int fd)
{
	struct stat st;
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)pid, fd);
	return !stat(name, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode));
}

/* Conditions, semaphores and joins wait by a bit set; the locks libc uses itself do not. */
static bool is_own_wait(unsigned long long operation)
{
	return (operation & 0x7f) == FUTEX_WAIT_BITSET;
}

static bool is_harmless(pid_t pid, const struct user_regs_struct *r)
{
	switch ((long)r->orig_rax) {
	case SYS_read:
		return is_stream(pid, (int)r->rdi);
	case SYS_futex:
		return is_own_wait(r->rsi);
	case SYS_poll: case SYS_ppoll: case SYS_select: case SYS_pselect6: case SYS_epoll_wait: case SYS_epoll_pwait:
	case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_accept: case SYS_accept4: case SYS_pause: case SYS_wait4:
	case SYS_rt_sigtimedwait: case SYS_rt_sigsuspend: case SYS_recvfrom: case SYS_recvmsg:
		return true;
	default:
		return false;
	}
}

/* Files whose code may hold locks dlopen wants. */
static bool is_delicate(const char *path)
{
	static const char *const names[] = { "libc.so", "libc-", "ld-", "libpthread", "libjemalloc", "libtcmalloc", "[vdso]",
					     "libdeadheat_" };
	const char *name = base_name(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return !*name;
}

/* A SIGTRAP of its own is under way (an int3 it has just executed): it must come before anything else. */
static bool has_trap_pending(pid_t pid, pid_t tid)
{
	unsigned long long pending = 0;
	char name[64], line[256];
	FILE *status;

	snprintf(name, sizeof(name), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	status = fopen(name, "r");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "SigPnd: %llx", &pending) == 1)
			break;
	if (status)
		fclose(status);
	return pending >> (SIGTRAP - 1) & 1;
}

static bool is_good_moment(pid_t pid, const struct user_regs_struct *r)
{
	struct mapping m;
	uint64_t ip = r->rip;

	if (r->eflags & TRAP_FLAG) /* it steps for a sample, and must go on with our handler in its place */
		return false;
	if ((long)r->orig_rax >= 0)
		return is_harmless(pid, r);
	return find_mapping(pid, holds, &ip, &m) && !is_delicate(m.path);
}

/* One look at each thread: the first that is at a good moment stays stopped. 0 none, -1 refused. */
static pid_t look(pid_t pid, struct user_regs_struct *r)
{
	char name[64];
	pid_t found = 0;
	struct dirent *entry;
	DIR *tasks;
	int signal;

	snprintf(name, sizeof(name), "/proc/%d/task", (int)pid);
	tasks = opendir(name);
	while (tasks && !found && (entry = readdir(tasks))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid <= 0)
			continue;
		if (stop(tid, &signal)) {
			if (errno == EPERM)
				found = -1;
			continue;
		}
		if (!signal && !has_trap_pending(pid, tid) && !ptrace(PTRACE_GETREGS, tid, NULL, r) && is_good_moment(pid, r))
			found = tid;
		else
			ptrace(PTRACE_DETACH, tid, NULL, (void *)(long)signal);
	}
	if (tasks)
		closedir(tasks);
	return found;
}

static pid_t good_moment(pid_t pid, struct user_regs_struct *r)
{
	for (int i = 0; i < TRIES; i++) {
		pid_t tid = look(pid, r);

		if (tid < 0) {
			errno = EPERM;
			return refused(pid);
		}
		if (tid)
			return tid;
		if (!is_alive(pid))
			return error_cannot("--pid %d: it has ended", (int)pid);
		usleep(10000);
	}
	return error_cannot("--pid %d: no thread of it came to a place where it is safe to load a library; try again", (int)pid);
}

/* ---- a call ------------------------------------------------------------------------------------------- */

static bool put(pid_t pid, uint64_t address, const void *data, size_t size)
{
	struct iovec from = { (void *)data, size }, to = { (void *)address, size };

	return process_vm_writev(pid, &from, 1, &to, 1, 0) == (ssize_t)size;
}

/* It returns to address 0, where it faults: that is the end of the call. Other signals wait their turn. */
static bool run_to_end(pid_t tid, struct user_regs_struct *r)
{
	int held[64], held_count = 0, status, signal;

	for (;;) {
		if (ptrace(PTRACE_CONT, tid, NULL, 0) || waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
			return false;
		signal = WSTOPSIG(status);
		if (signal == SIGSEGV && !ptrace(PTRACE_GETREGS, tid, NULL, r) && r->rip == 0)
			break;
		if (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL)
			return false;
		if (status >> 16 == 0 && signal != SIGTRAP && held_count < 64)
			held[held_count++] = signal;
	}
	for (int i = 0; i < held_count; i++)
		syscall(SYS_tgkill, tid, tid, held[i]);
	return true;
}

/* The thread was taken anywhere in its own code: vector registers are in use there, and a call may change them. */
#define VECTORS 32768 /* xsave area; with AMX tiles about 11,000 */

static bool vectors(pid_t tid, bool save, struct iovec *area)
{
	return !ptrace(save ? PTRACE_GETREGSET : PTRACE_SETREGSET, tid, (void *)NT_X86_XSTATE, area);
}

static int call(const struct inject *inject, uint64_t function, const char *text, uint64_t second, int64_t *result)
{
	static uint64_t room_for_vectors[VECTORS / 8];
	struct iovec area = { room_for_vectors, sizeof(room_for_vectors) };
	struct user_regs_struct saved, r;
	pid_t tid = good_moment(inject->pid, &saved);
	uint64_t room, zero = 0;
	bool ended = false, kept;

	if (tid < 0)
		return -1;
	r = saved;
	room = (r.rsp - RED_ZONE - ROOM) & ~63ull;
	r.rsp = room - 8;
	r.rip = function;
	r.rdi = text ? room : 0;
	r.rsi = second;
	r.rax = 0;
	r.orig_rax = (unsigned long long)-1;
	kept = vectors(tid, true, &area);
	if (kept && (!text || put(tid, room, text, strlen(text) + 1)) && put(tid, r.rsp, &zero, sizeof(zero)) &&
	    !ptrace(PTRACE_SETREGS, tid, NULL, &r))
		ended = run_to_end(tid, &r);
	ptrace(PTRACE_SETREGS, tid, NULL, &saved);
	if (kept)
		vectors(tid, false, &area);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	if (!ended)
		return error_cannot("--pid %d: it ended, or executed another program, while we came in or went", (int)inject->pid);
	*result = (int64_t)r.rax;
	return 0;
}

int inject_load(struct inject *inject)
{
	struct mapping own;
	int64_t handle = 0;

	if (!find_mapping(inject->pid, is_path, inject->path, &own)) {
		if (call(inject, inject->dlopen, inject->path, 2 /* RTLD_NOW */, &handle))
			return -1;
		if (!handle)
			return error_cannot("--pid %d: it cannot load %s: does it see that file, in its root and as its user?",
					    (int)inject->pid, inject->path);
	}
	if (!find_mapping(inject->pid, is_path, inject->path, &own))
		return error("--pid %d: %s is not mapped after loading", (int)inject->pid, inject->path);
	inject->library = own.low;
	return 0;
}

int inject_call(struct inject *inject, const char *function, const char *text, int64_t *result)
{
	uint64_t offset = symbol_of(inject->pid, inject->path, function);

	if (!offset)
		return error("%s has no %s", inject->path, function);
	return call(inject, inject->library + offset, text, 0, result);
}

int inject_leave(struct inject *inject, const char *mapping)
{
	int64_t answer = 0;
	int failed = 0;

	inject->next_look = 0;
	for (int i = 0; i < LEAVE_TRIES && inject_state(inject) == INJECT_INSIDE; i++) {
		if (!inject_call(inject, "deadheat_trace_detach", mapping, &answer)) {
			if (answer != 4)
				return 0;
		} else if (++failed == CALL_TRIES) {
			return inject_state(inject) == INJECT_INSIDE ? -1 : 0;
		}
		usleep(failed ? 200000 : 10000);
	}
	return 0;
}
