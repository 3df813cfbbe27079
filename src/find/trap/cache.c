/*
 * cache - tables of sites by build-id, so that a large program is decoded once and not at every start.
 *
 *     FOLDER/BUILD-ID.sites    struct head | the sites
 *
 * Written beside and renamed: a kill or a second deadheat does no harm. A file that is cut, of another version or has
 * a byte turned over is as good as none: the module is decoded again and the file replaced.
 *
 * I1  A file's content is a function of its name and of SITES_VERSION: raise it with every change of table.c or
 *     find/plain that makes other sites of the same bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "find/trap/internal.h"

#define MAGIC 0x3153455449534444ull /* "DDSITES1" */
#define SITES_VERSION 1u

struct head {
	uint64_t magic;
	uint32_t version, site_size;
	uint64_t count;
	uint64_t sum;         /* of what follows */
	char build_id[64];
};

static uint64_t sum_of(const struct trap_site *sites, size_t count)
{
	const uint64_t *words = (const void *)sites;
	uint64_t sum = 14695981039346656037ull;

	_Static_assert(sizeof(struct trap_site) % sizeof(uint64_t) == 0, "whole words");
	for (size_t i = 0; i < count * (sizeof(*sites) / sizeof(uint64_t)); i++) {
		sum = (sum ^ words[i]) * 1099511628211ull;
		sum ^= sum >> 29;
	}
	return sum;
}

static bool path_of(char *path, size_t size, const char *folder, const char *build_id, const char *ending)
{
	return folder && build_id[0] && strlen(build_id) < sizeof(((struct head *)0)->build_id) &&
	       (size_t)snprintf(path, size, "%s/%s%s", folder, build_id, ending) < size;
}

static struct head head_of(const char *build_id, const struct trap_site *sites, size_t count)
{
	struct head head = {
		.magic = MAGIC, .version = SITES_VERSION, .site_size = sizeof(*sites), .count = count, .sum = sum_of(sites, count),
	};

	memcpy(head.build_id, build_id, strlen(build_id));
	return head;
}

static size_t read_all(int file, void *to, size_t size)
{
	size_t done = 0;
	ssize_t n;

	while (done < size && (n = read(file, (char *)to + done, size - done)) != 0) {
		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	return done;
}

size_t site_cache_read(const char *folder, const char *build_id, struct trap_site *sites, size_t most)
{
	struct head head, wanted;
	char path[4096];
	size_t count = 0;
	int file;

	if (!path_of(path, sizeof(path), folder, build_id, ".sites"))
		return 0;
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	if (read_all(file, &head, sizeof(head)) == sizeof(head) && head.magic == MAGIC && head.version == SITES_VERSION &&
	    head.site_size == sizeof(*sites) && head.count && head.count < most &&
	    read_all(file, sites, head.count * sizeof(*sites)) == head.count * sizeof(*sites)) {
		wanted = head_of(build_id, sites, head.count);
		count = memcmp(&head, &wanted, sizeof(head)) ? 0 : head.count;
	}
	close(file);
	return count;
}

static bool write_all(int file, const void *from, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = write(file, (const char *)from + done, size - done);

		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

static void make_folders(const char *folder)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s", folder);
	for (char *p = path + 1; *p; p++)
		if (*p == '/') {
			*p = 0;
			mkdir(path, 0777);
			*p = '/';
		}
	mkdir(path, 0777);
}

void site_cache_write(const char *folder, const char *build_id, const struct trap_site *sites, size_t count)
{
	char path[4096], beside[4096], ending[32];
	struct head head;
	bool whole;
	int file;

	snprintf(ending, sizeof(ending), ".%d.new", (int)getpid());
	if (!path_of(path, sizeof(path), folder, build_id, ".sites") || !path_of(beside, sizeof(beside), folder, build_id, ending))
		return;
	make_folders(folder);
	file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file < 0)
		return;
	head = head_of(build_id, sites, count);
	whole = write_all(file, &head, sizeof(head)) && write_all(file, sites, count * sizeof(*sites));
	if (close(file) || !whole || rename(beside, path))
		unlink(beside);
}
