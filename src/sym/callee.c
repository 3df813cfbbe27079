/* callee - see callee.h. */
#include "sym/callee.h"

#include <stdlib.h>
#include <string.h>

#include "race/access.h"

#define R ACCESS_READ | ACCESS_RANGE
#define W ACCESS_WRITE | ACCESS_RANGE

/* libc functions that read or write memory on their caller's behalf; sorted. */
static const struct {
	const char *name;
	struct callee callee;
} ranged[] = {
	{ "_ZdaPv", { 0, 1, { W | ACCESS_FREE } } },
	{ "_ZdaPvRKSt9nothrow_t", { 0, 1, { W | ACCESS_FREE } } },
	{ "_ZdaPvSt11align_val_t", { 0, 1, { W | ACCESS_FREE } } },
	{ "_ZdaPvSt11align_val_tRKSt9nothrow_t", { 0, 1, { W | ACCESS_FREE } } },
	{ "_ZdaPvm", { 0, 1, { W | ACCESS_FREE } } },
	{ "_ZdaPvmSt11align_val_t", { 0, 1, { W | ACCESS_FREE } } },
	{ "_ZdlPv", { 0, 1, { W | ACCESS_FREE } } },
	{ "_ZdlPvRKSt9nothrow_t", { 0, 1, { W | ACCESS_FREE } } },
	{ "_ZdlPvSt11align_val_t", { 0, 1, { W | ACCESS_FREE } } },
	{ "_ZdlPvSt11align_val_tRKSt9nothrow_t", { 0, 1, { W | ACCESS_FREE } } },
	{ "_ZdlPvm", { 0, 1, { W | ACCESS_FREE } } },
	{ "_ZdlPvmSt11align_val_t", { 0, 1, { W | ACCESS_FREE } } },
	{ "__getdelim", { 0, 1, { W } } },
	{ "__memcpy_chk", { 0, 2, { R, W } } },
	{ "__memmove_chk", { 0, 2, { R, W } } },
	{ "__mempcpy_chk", { 0, 2, { R, W } } },
	{ "__memset_chk", { 0, 1, { W } } },
	{ "__snprintf_chk", { 0, 2, { R, W } } },
	{ "__sprintf_chk", { 0, 2, { R, W } } },
	{ "__stpcpy_chk", { 0, 2, { R, W } } },
	{ "__stpncpy_chk", { 0, 2, { R, W } } },
	{ "__strcat_chk", { 0, 2, { R, W } } },
	{ "__strcpy_chk", { 0, 2, { R, W } } },
	{ "__strdup", { 0, 1, { R } } },
	{ "__strncat_chk", { 0, 2, { R, W } } },
	{ "__strncpy_chk", { 0, 2, { R, W } } },
	{ "__strndup", { 0, 1, { R } } },
	{ "__strtok_r", { 0, 2, { R, W } } },
	{ "__tsan_memcpy", { 0, 2, { R, W } } },
	{ "__tsan_memmove", { 0, 2, { R, W } } },
	{ "__tsan_memset", { 0, 1, { W } } },
	{ "__tsan_read_range", { 0, 1, { R } } },
	{ "__tsan_vptr_read", { 8, 1, { ACCESS_READ } } },
	{ "__tsan_vptr_update", { 8, 1, { ACCESS_WRITE } } },
	{ "__tsan_write_range", { 0, 1, { W } } },
	{ "__vsnprintf_chk", { 0, 2, { R, W } } },
	{ "__vsprintf_chk", { 0, 2, { R, W } } },
	{ "atof", { 0, 1, { R } } },
	{ "atoi", { 0, 1, { R } } },
	{ "atol", { 0, 1, { R } } },
	{ "atoll", { 0, 1, { R } } },
	{ "bcmp", { 0, 1, { R } } },
	{ "bcopy", { 0, 2, { R, W } } },
	{ "bzero", { 0, 1, { W } } },
	{ "explicit_bzero", { 0, 1, { W } } },
	{ "fgets", { 0, 1, { W } } },
	{ "fputs", { 0, 1, { R } } },
	{ "fread", { 0, 1, { W } } },
	{ "fread_unlocked", { 0, 1, { W } } },
	{ "free", { 0, 1, { W | ACCESS_FREE } } },
	{ "fwrite", { 0, 1, { R } } },
	{ "fwrite_unlocked", { 0, 1, { R } } },
	{ "getdelim", { 0, 1, { W } } },
	{ "getline", { 0, 1, { W } } },
	{ "index", { 0, 1, { R } } },
	{ "memccpy", { 0, 2, { R, W } } },
	{ "memchr", { 0, 1, { R } } },
	{ "memcmp", { 0, 1, { R } } },
	{ "memcpy", { 0, 2, { R, W } } },
	{ "memmem", { 0, 1, { R } } },
	{ "memmove", { 0, 2, { R, W } } },
	{ "mempcpy", { 0, 2, { R, W } } },
	{ "memrchr", { 0, 1, { R } } },
	{ "memset", { 0, 1, { W } } },
	{ "mremap", { 0, 1, { W | ACCESS_FREE } } },
	{ "munmap", { 0, 1, { W | ACCESS_FREE } } },
	{ "pread", { 0, 1, { W } } },
	{ "pread64", { 0, 1, { W } } },
	{ "preadv", { 0, 1, { W } } },
	{ "preadv64", { 0, 1, { W } } },
	{ "puts", { 0, 1, { R } } },
	{ "pwrite", { 0, 1, { R } } },
	{ "pwrite64", { 0, 1, { R } } },
	{ "pwritev", { 0, 1, { R } } },
	{ "pwritev64", { 0, 1, { R } } },
	{ "rawmemchr", { 0, 1, { R } } },
	{ "read", { 0, 1, { W } } },
	{ "readv", { 0, 1, { W } } },
	{ "realloc", { 0, 1, { W | ACCESS_FREE } } },
	{ "reallocarray", { 0, 1, { W | ACCESS_FREE } } },
	{ "recv", { 0, 1, { W } } },
	{ "recvfrom", { 0, 1, { W } } },
	{ "recvmmsg", { 0, 1, { W } } },
	{ "recvmsg", { 0, 1, { W } } },
	{ "rindex", { 0, 1, { R } } },
	{ "send", { 0, 1, { R } } },
	{ "sendmmsg", { 0, 1, { R } } },
	{ "sendmsg", { 0, 1, { R } } },
	{ "sendto", { 0, 1, { R } } },
	{ "snprintf", { 0, 2, { R, W } } },
	{ "sprintf", { 0, 2, { R, W } } },
	{ "stpcpy", { 0, 2, { R, W } } },
	{ "stpncpy", { 0, 2, { R, W } } },
	{ "strcasecmp", { 0, 1, { R } } },
	{ "strcasestr", { 0, 1, { R } } },
	{ "strcat", { 0, 2, { R, W } } },
	{ "strchr", { 0, 1, { R } } },
	{ "strchrnul", { 0, 1, { R } } },
	{ "strcmp", { 0, 1, { R } } },
	{ "strcoll", { 0, 1, { R } } },
	{ "strcpy", { 0, 2, { R, W } } },
	{ "strcspn", { 0, 1, { R } } },
	{ "strdup", { 0, 1, { R } } },
	{ "strlen", { 0, 1, { R } } },
	{ "strncasecmp", { 0, 1, { R } } },
	{ "strncat", { 0, 2, { R, W } } },
	{ "strncmp", { 0, 1, { R } } },
	{ "strncpy", { 0, 2, { R, W } } },
	{ "strndup", { 0, 1, { R } } },
	{ "strnlen", { 0, 1, { R } } },
	{ "strpbrk", { 0, 1, { R } } },
	{ "strrchr", { 0, 1, { R } } },
	{ "strsep", { 0, 2, { R, W } } },
	{ "strspn", { 0, 1, { R } } },
	{ "strstr", { 0, 1, { R } } },
	{ "strtod", { 0, 1, { R } } },
	{ "strtof", { 0, 1, { R } } },
	{ "strtok_r", { 0, 2, { R, W } } },
	{ "strtol", { 0, 1, { R } } },
	{ "strtoll", { 0, 1, { R } } },
	{ "strtoul", { 0, 1, { R } } },
	{ "strtoull", { 0, 1, { R } } },
	{ "vsnprintf", { 0, 2, { R, W } } },
	{ "vsprintf", { 0, 2, { R, W } } },
	{ "wcscat", { 0, 2, { R, W } } },
	{ "wcschr", { 0, 1, { R } } },
	{ "wcscmp", { 0, 1, { R } } },
	{ "wcscpy", { 0, 2, { R, W } } },
	{ "wcsdup", { 0, 1, { R } } },
	{ "wcslen", { 0, 1, { R } } },
	{ "wcsncat", { 0, 2, { R, W } } },
	{ "wcsncmp", { 0, 1, { R } } },
	{ "wcsncpy", { 0, 2, { R, W } } },
	{ "wcsnlen", { 0, 1, { R } } },
	{ "wcsrchr", { 0, 1, { R } } },
	{ "wmemcmp", { 0, 1, { R } } },
	{ "wmemcpy", { 0, 2, { R, W } } },
	{ "wmemmove", { 0, 2, { R, W } } },
	{ "wmemset", { 0, 1, { W } } },
	{ "write", { 0, 1, { R } } },
	{ "writev", { 0, 1, { R } } },
};

static int compare(const void *key, const void *row)
{
	return strcmp(key, *(const char *const *)row);
}

static const struct callee *one(unsigned size, unsigned flags)
{
	static _Thread_local struct callee callees[128];
	static _Thread_local unsigned used;

	for (unsigned i = 0; i < used; i++)
		if (callees[i].size == size && callees[i].flags[0] == flags)
			return &callees[i];
	if (used == sizeof(callees) / sizeof(callees[0]))
		return NULL;
	callees[used] = (struct callee){ size, 1, { flags, 0 } };
	return &callees[used++];
}

static const char *skip(const char *name, const char *prefix, unsigned *flags, unsigned flag)
{
	size_t n = strlen(prefix);

	if (strncmp(name, prefix, n))
		return name;
	*flags |= flag;
	return name + n;
}

/* unaligned_ volatile_ then read, write or read_write, then the size; _pc and _kept (cli/kept.awk) variants alike. */
static const struct callee *plain(const char *name)
{
	unsigned flags = 0, none = 0;
	const char *kind;
	char *end;
	unsigned long size;

	name = skip(name, "unaligned_", &none, 0);
	name = skip(name, "volatile_", &flags, ACCESS_VOLATILE);
	kind = name;
	name = skip(name, "read_write", &flags, ACCESS_WRITE);
	if (name == kind)
		name = skip(name, "write", &flags, ACCESS_WRITE);
	if (name == kind)
		name = skip(name, "read", &flags, 0);
	size = name == kind ? 0 : strtoul(name, &end, 10);
	if (!size || size > 16 || (*end && strcmp(end, "_pc") && strcmp(end, "_kept")))
		return NULL;
	return one((unsigned)size, flags);
}

/* atomic32_load reads; store, exchange, fetch_add, compare_exchange_strong ... write. */
static const struct callee *atomic(const char *bits)
{
	char *end;
	unsigned long size = strtoul(bits, &end, 10) / 8;

	if (!size || size > 16 || *end != '_')
		return NULL;
	return one((unsigned)size, ACCESS_ATOMIC | (strcmp(end, "_load") ? ACCESS_WRITE : ACCESS_READ));
}

const struct callee *callee_find(const char *name)
{
	const void *row = bsearch(name, ranged, sizeof(ranged) / sizeof(ranged[0]), sizeof(ranged[0]), compare);

	if (row)
		return &ranged[(const typeof(ranged[0]) *)row - ranged].callee;
	if (strncmp(name, "__tsan_", 7))
		return NULL;
	name += 7;
	return strncmp(name, "atomic", 6) ? plain(name) : atomic(name + 6);
}
