/* stuck - see stuck.h. All from /proc: no tracing, no stopping. */
#include "base/stuck.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/spawn.h"

#define FUTEX_COMMAND 0x7f
/* Signals 32 and 33 belong to the thread library. */
#define LIBRARY_SIGNALS (3ull << 31)

static bool read_text(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t n;

	if (!file)
		return false;
	n = fread(text, 1, size - 1, file);
	text[n] = 0;
	fclose(file);
	return true;
}

static uint64_t mix(uint64_t h, uint64_t value)
{
	return (h ^ value) * 0x100000001b3ull;
}

static unsigned long long field(const char *status, const char *name, int base)
{
	const char *at = strstr(status, name);

	return at ? strtoull(at + strlen(name), NULL, base) : 0;
}

/* 0: it can go on by itself. */
static uint64_t thread_state(pid_t pid, const char *tid)
{
	char path[320], text[4096];
	unsigned long long number = 0, arguments[6] = { 0 };
	uint64_t h = 0xcbf29ce484222325ull;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/syscall", (int)pid, tid);
	if (!read_text(path, text, sizeof(text)) ||
	    sscanf(text, "%llu %llx %llx %llx %llx", &number, &arguments[0], &arguments[1], &arguments[2],
		   &arguments[3]) != 5)
		return 0; /* running, or not ours to see */
	if (number != SYS_futex || arguments[3])
		return 0;
	switch (arguments[1] & FUTEX_COMMAND) {
	case 0: case 6: case 9: case 13: /* wait, lock_pi, wait_bitset, lock_pi2 */
		break;
	default:
		return 0;
	}
	snprintf(path, sizeof(path), "/proc/%d/task/%s/status", (int)pid, tid);
	if (!read_text(path, text, sizeof(text)) || (field(text, "SigCgt:", 16) & ~LIBRARY_SIGNALS))
		return 0;
	h = mix(mix(h, (uint64_t)strtoul(tid, NULL, 10)), arguments[0]);
	return mix(h, field(text, "\nvoluntary_ctxt_switches:", 10)) | 1;
}

static bool has_children(pid_t pid, const char *tid)
{
	char path[320], text[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)pid, tid);
	return !read_text(path, text, sizeof(text)) || text[0];
}

static uint64_t process_state(pid_t pid)
{
	char path[64];
	uint64_t h = 0, one = 1;
	struct dirent *entry;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	if (!threads)
		return 0;
	while (one && (entry = readdir(threads))) {
		if (entry->d_name[0] == '.')
			continue;
		one = has_children(pid, entry->d_name) ? 0 : thread_state(pid, entry->d_name);
		h = mix(h, one);
	}
	closedir(threads);
	return one ? h : 0;
}

bool stuck_look(struct stuck *stuck, pid_t pid)
{
	uint64_t state = process_state(pid), now = monotonic_ms();

	if (!state || state != stuck->state) {
		stuck->state = state;
		stuck->since = now;
		return false;
	}
	return now - stuck->since >= STUCK_MS;
}
