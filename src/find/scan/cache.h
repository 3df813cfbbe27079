/*
 * cache - lowered units by content, so that a second scan only redoes what changed.
 *
 *     KEY1.deps   the files one compile read: KEY1 is a hash of the command, the compiler, our
 *                 own version and the main file's content
 *     KEY2.ir     the unit: KEY2 is a hash of KEY1 and the content of each of those files
 *
 * A hit needs no compiler: read the list, hash the files (each once a scan), look for KEY2.ir.
 * Files are written beside and renamed, so a kill or a second scan does no harm. A header that
 * appears where an earlier one was found before is not noticed (ccache's direct mode neither).
 *
 * I1  A .ir file's content is a function of its name: whoever writes it writes the same.
 */
#ifndef FIND_SCAN_CACHE_H
#define FIND_SCAN_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"

#define CACHE_MAX (4ull << 30) /* bytes; a kernel's defconfig needs about a tenth */

struct cache_key {
	uint64_t high, low;
};
struct cache;

/* Folder NULL: one of our own that goes with cache_close(). NULL with a message on failure. */
struct cache *cache_open(const char *folder);
/* Takes away what is not needed: our own folder, or the oldest units beyond CACHE_MAX. */
void cache_close(struct cache *cache, bool added);
const char *cache_folder(const struct cache *cache);

/* Hash of some bytes, added to a key. */
void cache_mix(struct cache_key *key, const void *data, size_t size);
void cache_mix_text(struct cache_key *key, const char *text);
/* Content of a file (read once a scan) added; -1 if it cannot be read. changed: latest change of any, or NULL. */
int cache_mix_file(struct cache *cache, struct cache_key *key, const char *path, int64_t *changed);
/* The listed files of KEY1 mixed into it. False: no list, or a file is gone. */
bool cache_mix_listed(struct cache *cache, struct cache_key *key, int64_t *changed);
/* Remember the files a compile of KEY1 read: names parted by line ends. */
void cache_list(struct cache *cache, struct cache_key key, const struct strbuf *files);

/* KEY2.ir as a path in arena. */
char *cache_unit(struct cache *cache, struct arena *arena, struct cache_key key);
/* A name nobody else uses: "tmp.PID.N" + ending. */
char *cache_temporary(struct cache *cache, struct arena *arena, const char *ending);
/* This unit was used now. */
void cache_touch(const char *path);

#endif
