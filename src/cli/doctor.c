/* doctor - see doctor.h: the checks, in the order they are printed. */
#include "cli/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cli.h"
#include "find/target.h"
#include "store/store.h"
#include "sym/sym.h"

const char *doctor_find(struct arena *arena, const char *program)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t length = strcspn(path, ":");
		const char *file = arena_printf(arena, "%.*s/%s", (int)length, path, program);

		if (!access(file, X_OK))
			return file;
		path += length + (path[length] == ':');
	}
	return NULL;
}

const char *doctor_first_line(struct arena *arena, const char *program, const char *argument)
{
	char line[200];
	FILE *out = popen(arena_printf(arena, "%s %s 2>/dev/null", program, argument), "r");
	bool got = out && fgets(line, sizeof(line), out);

	if (out)
		pclose(out);
	if (!got)
		return NULL;
	line[strcspn(line, "\n")] = 0;
	return arena_strdup(arena, line);
}

/* The number in a file of /proc or /sys; `absent` if there is none. */
static int read_number(const char *path, int absent)
{
	FILE *file = fopen(path, "re");
	int value = absent;

	if (file && fscanf(file, "%d", &value) != 1)
		value = absent;
	if (file)
		fclose(file);
	return value;
}

/* ---- the machine ------------------------------------------------------------------------- */

static struct diagnosis look_machine(struct arena *arena)
{
	struct utsname name;

	uname(&name);
	if (strcmp(name.machine, "x86_64"))
		return BAD(NULL, "%s: deadheat knows x86-64 only", name.machine);
	return GOOD("deadheat %s, %s, Linux %s, glibc %s, %s, %s", DEADHEAT_VERSION, name.machine, name.release,
		    gnu_get_libc_version(), store_library(), sym_library());
}

static struct diagnosis look_compiler(struct arena *arena)
{
	static const char *const names[] = { "gcc", "g++", "clang-19", "clang++-19", "clang", "clang++" };
	const char *found = "";
	bool c = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *version = doctor_find(arena, names[i]) ? doctor_first_line(arena, names[i], "-dumpversion") : NULL;

		if (version)
			found = arena_printf(arena, "%s%s%s %s", found, *found ? ", " : "", names[i], version);
		c |= version && (!strcmp(names[i], "gcc") || !strncmp(names[i], "clang", 5));
	}
	if (!*found || !c)
		return BAD("apt install gcc g++", "there is neither gcc nor clang: deadheat-cc has nothing to drive");
	if (!doctor_find(arena, "gcc"))
		return LESS("apt install gcc g++, or: export DEADHEAT_CC=clang", "%s; deadheat-cc takes gcc unless told", found);
	return GOOD("%s", found);
}

static struct diagnosis look_runtimes(struct arena *arena)
{
	static const char *const kinds[] = { "nop", "detect", "sched", "explore" };
	const char *folder = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		folder = target_runtime_dir(arena, kinds[i]);
		if (!folder || access(arena_printf(arena, "%s/libdeadheat_rt.so", folder), R_OK))
			return BAD("make install (or install the package again)", "the runtime '%s' is not where deadheat looks: %s",
				   kinds[i], folder ? folder : error_message());
	}
	return GOOD("nop, detect, sched and explore in %.*s", (int)(strrchr(folder, '/') - folder), folder);
}

/* What scan and the production commands need beside the runtimes. */
static struct diagnosis look_helpers(struct arena *arena)
{
	const char *nop = target_runtime_dir(arena, "nop"), *slash = nop ? strrchr(nop, '/') : NULL;
	const char *folder = slash ? arena_printf(arena, "%.*s", (int)(slash - nop), nop) : ".";

	if (access(arena_printf(arena, "%s/trace/libdeadheat_trace.so", folder), R_OK))
		return LESS("make install (or install the package again)", "%s/trace is missing: no unmodified program can be watched",
			    folder);
	if (access(arena_printf(arena, "%s/lower", folder), X_OK))
		return LESS("make install (or install the package again)", "%s/lower is missing: source cannot be scanned", folder);
	if (!doctor_find(arena, "clang-19"))
		return LESS("apt install clang-19", "there is no clang-19: source cannot be scanned");
	return GOOD("for unmodified programs: trace; for source: lower, clang-19");
}

/* ---- what the kernel lets us do ------------------------------------------------------------ */

static struct diagnosis look_memfd(struct arena *arena)
{
	int fd = memfd_create("deadheat-doctor", MFD_CLOEXEC);

	if (fd < 0)
		return BAD("let the container's seccomp profile allow memfd_create", "memfd_create: %s: no run can report",
			   strerror(errno));
	close(fd);
	return GOOD("works");
}

static struct diagnosis look_membarrier(struct arena *arena)
{
	long known = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	if (known < 0 || !(known & MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE))
		return LESS("use a kernel from 4.16 on with CONFIG_MEMBARRIER", "no sync-core membarrier: schedules run slower");
	return GOOD("works");
}

static struct diagnosis look_memory(struct arena *arena)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return GOOD("address space is not limited");
	return LESS("ulimit -v unlimited", "address space is limited to %llu MB: detect keeps shadow memory and may run out",
		    (unsigned long long)limit.rlim_cur >> 20);
}

static struct diagnosis look_huge_pages(struct arena *arena)
{
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
	char line[100] = "";

	if (file && !fgets(line, sizeof(line), file))
		line[0] = 0;
	if (file)
		fclose(file);
	if (strstr(line, "[always]"))
		return LESS("echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
			    "transparent huge pages are always on: detect takes more memory than it needs");
	return GOOD("transparent huge pages: %.*s", *line ? (int)strcspn(line, "\n") : 4, *line ? line : "none");
}

static struct diagnosis look_affinity(struct arena *arena)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) || sched_setaffinity(0, sizeof(set), &set))
		return LESS("allow sched_setaffinity in the container", "threads cannot be tied to a core (%s): schedules run slower",
			    strerror(errno));
	return GOOD("%d core%s to use", CPU_COUNT(&set), CPU_COUNT(&set) == 1 ? "" : "s");
}

/* ---- gdb ------------------------------------------------------------------------------------ */

static struct diagnosis look_gdb(struct arena *arena)
{
	if (!doctor_find(arena, "gdb"))
		return LESS("apt install gdb", "not found: `replay --gdb` will not work");
	return GOOD("%s", doctor_first_line(arena, "gdb", "--version"));
}

static struct diagnosis look_ptrace(struct arena *arena)
{
	pid_t child = fork();
	int status = -1;

	if (!child)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? 1 : 0);
	if (child > 0)
		waitpid(child, &status, 0);
	if (status)
		return LESS("sysctl kernel.yama.ptrace_scope=1 (docker run --cap-add=SYS_PTRACE)",
			    "a child may not be traced: `replay --gdb` will not work");
	return GOOD("own children can be traced (yama ptrace_scope %d)", read_number("/proc/sys/kernel/yama/ptrace_scope", 0));
}

/* In a child: a personality would stay. */
static struct diagnosis look_randomisation(struct arena *arena)
{
	pid_t child = fork();
	int status = -1, level = read_number("/proc/sys/kernel/randomize_va_space", 0);

	if (!child)
		_exit(personality(ADDR_NO_RANDOMIZE) == -1);
	if (child > 0)
		waitpid(child, &status, 0);
	if (status)
		return LESS("docker run --security-opt seccomp=unconfined",
			    "addresses are random (level %d) and gdb may not change that: they differ between two `replay --gdb`", level);
	return GOOD("addresses are random (level %d), gdb can switch that off; schedules do not depend on it", level);
}

/* ---- perf ------------------------------------------------------------------------------------ */

static struct diagnosis look_perf(struct arena *arena)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_TASK_CLOCK,
					.exclude_kernel = 1, .exclude_hv = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	int level = read_number("/proc/sys/kernel/perf_event_paranoid", -2);

	if (fd < 0)
		return LESS("sysctl kernel.perf_event_paranoid=2 (docker run --cap-add=PERFMON)",
			    "perf_event_open: %s (perf_event_paranoid %d): unmodified programs cannot be watched", strerror(errno), level);
	close(fd);
	return GOOD("perf events can be opened (perf_event_paranoid %d)", level);
}

/* ---- the store --------------------------------------------------------------------------------- */

/* Made and taken away again where there is none: root may write anywhere, says access(). */
static struct diagnosis look_server(struct arena *arena)
{
	struct store *store = store_open(cli_store, false);
	const char *message = arena_strdup(arena, error_message());
	bool empty = !store && !strncmp(message, "no store at", 11);

	store_close(store);
	if (store || empty)
		return GOOD("the server answers%s", empty ? ", its database has no store yet" : "");
	return BAD("see docs/many-machines.md", "%s", message);
}

static struct diagnosis look_store(struct arena *arena)
{
	bool exists = !access(cli_store, F_OK);
	struct statvfs disk;
	uint64_t free_kb = UINT64_MAX;

	if (strstr(cli_store, "://"))
		return look_server(arena);
	if (exists ? access(cli_store, W_OK | X_OK) : mkdir(cli_store, 0777))
		return BAD("use --store PATH with a folder you may write", "%s cannot be %s: %s", cli_store,
			   exists ? "written" : "made", strerror(errno));
	if (!statvfs(cli_store, &disk))
		free_kb = disk.f_bavail * (disk.f_frsize >> 10);
	if (!exists)
		rmdir(cli_store);
	if (free_kb < 64 << 10)
		return LESS("free some space, or use --store PATH on another disk", "less than 64 MB are free where %s is", cli_store);
	return GOOD("%s can be %s", cli_store, exists ? "written" : "made");
}

const struct doctor_check doctor_checks[] = {
	{ "machine", look_machine },
	{ "compilers", look_compiler },
	{ "runtimes", look_runtimes },
	{ "helpers", look_helpers },
	{ "memfd", look_memfd },
	{ "membarrier", look_membarrier },
	{ "memory", look_memory },
	{ "huge pages", look_huge_pages },
	{ "cores", look_affinity },
	{ "gdb", look_gdb },
	{ "ptrace", look_ptrace },
	{ "addresses", look_randomisation },
	{ "perf", look_perf },
	{ "samples", doctor_samples },
	{ "watchpoints", doctor_watchpoints },
	{ "code", doctor_text },
	{ "attaching", doctor_attach },
	{ "store", look_store },
	{ "a race", doctor_try },
};
const unsigned doctor_check_count = sizeof(doctor_checks) / sizeof(doctor_checks[0]);
