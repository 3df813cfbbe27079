/* cache - see cache.h. */
#include "find/scan/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"

#define STALE_SECONDS 3600 /* what a dead scan left lies at least this long: others may share the folder by network */

/* Content of files by a hash of their name; each is read once. */
struct content {
	struct cache_key name, data;
	int64_t changed;       /* ns */
	bool readable;
};
struct cache {
	char *folder;
	bool own;               /* goes at the end */
	atomic_uint next;       /* temporary names */
	pthread_mutex_t lock;   /* of contents */
	struct content *contents;
	size_t count, size;
};

/* ---- keys --------------------------------------------------------------------------------------------- */

void cache_mix(struct cache_key *key, const void *data, size_t size)
{
	XXH128_hash_t hash = XXH3_128bits(data, size);
	uint64_t words[4] = { key->high, key->low, hash.high64, hash.low64 };

	hash = XXH3_128bits(words, sizeof(words));
	*key = (struct cache_key){ hash.high64, hash.low64 };
}

void cache_mix_text(struct cache_key *key, const char *text)
{
	cache_mix(key, text, strlen(text));
}

static struct content content_read(const char *path, struct cache_key name)
{
	struct content content = { .name = name };
	struct strbuf text = STRBUF_INIT;
	struct stat status;

	if (!stat(path, &status) && S_ISREG(status.st_mode) && !strbuf_read_file(&text, path)) {
		content.readable = true;
		content.changed = status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
		cache_mix(&content.data, text.buf, text.len);
	}
	strbuf_release(&text);
	return content;
}

static struct content *content_slot(struct content *table, size_t size, struct cache_key name)
{
	size_t at = name.low & (size - 1);

	while ((table[at].name.high || table[at].name.low) &&
	       (table[at].name.high != name.high || table[at].name.low != name.low))
		at = (at + 1) & (size - 1);
	return &table[at];
}

static void contents_grow(struct cache *cache)
{
	size_t size = cache->size ? cache->size * 2 : 4096;
	struct content *table = calloc(size, sizeof(*table));

	if (!table)
		BUG("out of memory");
	for (size_t i = 0; i < cache->size; i++)
		if (cache->contents[i].name.high || cache->contents[i].name.low)
			*content_slot(table, size, cache->contents[i].name) = cache->contents[i];
	free(cache->contents);
	cache->contents = table;
	cache->size = size;
}

/* Two threads may read one file at the same time: both find the same, the first is kept. */
static struct content content_of(struct cache *cache, const char *path)
{
	struct cache_key name = { 0 };
	struct content found, *slot;

	cache_mix_text(&name, path);
	pthread_mutex_lock(&cache->lock);
	if (cache->count * 2 >= cache->size)
		contents_grow(cache);
	found = *content_slot(cache->contents, cache->size, name);
	pthread_mutex_unlock(&cache->lock);
	if (found.name.high || found.name.low)
		return found;
	found = content_read(path, name);
	pthread_mutex_lock(&cache->lock);
	if (cache->count * 2 >= cache->size)
		contents_grow(cache);
	slot = content_slot(cache->contents, cache->size, name);
	if (!slot->name.high && !slot->name.low) {
		*slot = found;
		cache->count++;
	}
	pthread_mutex_unlock(&cache->lock);
	return found;
}

int cache_mix_file(struct cache *cache, struct cache_key *key, const char *path, int64_t *changed)
{
	struct content content = content_of(cache, path);

	if (!content.readable)
		return -1;
	cache_mix_text(key, path);
	cache_mix(key, &content.data, sizeof(content.data));
	if (changed && content.changed > *changed)
		*changed = content.changed;
	return 0;
}

/* ---- files of the cache -------------------------------------------------------------------------------- */

static void key_path(const struct cache *cache, struct strbuf *out, struct cache_key key, const char *ending)
{
	strbuf_printf(out, "%s/%016llx%016llx.%s", cache->folder, (unsigned long long)key.high, (unsigned long long)key.low,
		ending);
}

bool cache_mix_listed(struct cache *cache, struct cache_key *key, int64_t *changed)
{
	struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	bool good;

	key_path(cache, &path, *key, "deps");
	good = !access(path.buf, R_OK) && !strbuf_read_file(&text, path.buf) && text.len;
	for (char *line = text.buf, *end; good && *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			good = false; /* cut off */
		if (end)
			*end = 0;
		good = good && !cache_mix_file(cache, key, line, changed);
		if (!end)
			break;
	}
	strbuf_release(&path);
	strbuf_release(&text);
	return good;
}

static void write_beside(struct cache *cache, const char *path, const struct strbuf *text)
{
	struct arena arena = ARENA_INIT;
	char *beside = cache_temporary(cache, &arena, "deps");

	if (strbuf_replace_file(text, beside) || rename(beside, path))
		unlink(beside); /* the next scan compiles again: no harm */
	arena_free(&arena);
}

void cache_list(struct cache *cache, struct cache_key key, const struct strbuf *files)
{
	struct strbuf path = STRBUF_INIT;

	key_path(cache, &path, key, "deps");
	write_beside(cache, path.buf, files);
	strbuf_release(&path);
}

char *cache_unit(struct cache *cache, struct arena *arena, struct cache_key key)
{
	struct strbuf path = STRBUF_INIT;
	char *copy;

	key_path(cache, &path, key, "ir");
	copy = arena_strdup(arena, path.buf);
	strbuf_release(&path);
	return copy;
}

char *cache_temporary(struct cache *cache, struct arena *arena, const char *ending)
{
	return arena_printf(arena, "%s/tmp.%d.%u.%s", cache->folder, (int)getpid(), atomic_fetch_add(&cache->next, 1), ending);
}

void cache_touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}

const char *cache_folder(const struct cache *cache)
{
	return cache->folder;
}

/* ---- opening and cleaning up ----------------------------------------------------------------------------- */

static int make_folders(const char *path)
{
	struct strbuf part = STRBUF_INIT;
	int result = 0;

	for (const char *at = path; !result; at++) {
		if (*at == '/' || !*at) {
			strbuf_reset(&part);
			strbuf_add(&part, path, (size_t)(at - path));
			if (part.len && mkdir(part.buf, 0777) && errno != EEXIST)
				result = error_cannot("cannot make the folder %s: %s", part.buf, strerror(errno));
		}
		if (!*at)
			break;
	}
	strbuf_release(&part);
	return result;
}

/* The compiler runs elsewhere: the folder's name must be good from there too. */
static char *own_folder(void)
{
	const char *temporary = getenv("TMPDIR");
	char *name = NULL;

	if (asprintf(&name, "%s/deadheat-scan.XXXXXX", temporary && *temporary ? temporary : "/tmp") < 0 || !mkdtemp(name)) {
		error_cannot("cannot make a temporary folder %s: %s", name ? name : "", strerror(errno));
		free(name);
		return NULL;
	}
	return name;
}

struct cache *cache_open(const char *folder)
{
	struct cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		BUG("out of memory");
	cache->own = !folder;
	if (!folder)
		cache->folder = own_folder();
	else if (!make_folders(folder)) {
		cache->folder = realpath(folder, NULL);
		if (!cache->folder || access(cache->folder, W_OK)) {
			error_cannot("the cache %s cannot be written: %s", folder, strerror(errno));
			free(cache->folder);
			cache->folder = NULL;
		}
	}
	if (!cache->folder) {
		free(cache);
		return NULL;
	}
	pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

struct old_file {
	char *name;
	time_t used;
	uint64_t size;
};
typedef VEC(struct old_file) old_list;

static int by_age(const void *a, const void *b)
{
	const struct old_file *x = a, *y = b;

	return x->used < y->used ? -1 : x->used > y->used;
}

/* A temporary file whose scan is dead and gone for long. */
static bool is_stale(const char *name, time_t used)
{
	int pid;

	return sscanf(name, "tmp.%d.", &pid) == 1 && kill(pid, 0) && errno == ESRCH && time(NULL) - used > STALE_SECONDS;
}

static bool is_ours(const char *name)
{
	const char *dot = strrchr(name, '.');

	return !strncmp(name, "tmp.", 4) || (dot && dot - name == 32 && (!strcmp(dot, ".ir") || !strcmp(dot, ".deps")));
}

static void prune(struct cache *cache)
{
	DIR *folder = opendir(cache->folder);
	struct dirent *entry;
	uint64_t total = 0;
	old_list files = { 0 };

	while (folder && (entry = readdir(folder))) {
		struct stat status;

		if (!is_ours(entry->d_name) || fstatat(dirfd(folder), entry->d_name, &status, 0))
			continue;
		if (cache->own || is_stale(entry->d_name, status.st_mtim.tv_sec)) {
			unlinkat(dirfd(folder), entry->d_name, 0);
		} else if (strncmp(entry->d_name, "tmp.", 4)) {
			total += (uint64_t)status.st_size;
			VEC_PUSH(&files, (struct old_file){ strdup(entry->d_name), status.st_mtim.tv_sec, (uint64_t)status.st_size });
		}
	}
	if (total > CACHE_MAX)
		qsort(files.items, files.count, sizeof(files.items[0]), by_age);
	for (size_t i = 0; i < files.count; i++) {
		if (total > CACHE_MAX && files.items[i].name && !unlinkat(dirfd(folder), files.items[i].name, 0))
			total -= files.items[i].size;
		free(files.items[i].name);
	}
	VEC_FREE(&files);
	if (folder)
		closedir(folder);
}

void cache_close(struct cache *cache, bool added)
{
	if (added || cache->own)
		prune(cache);
	if (cache->own)
		rmdir(cache->folder);
	pthread_mutex_destroy(&cache->lock);
	free(cache->contents);
	free(cache->folder);
	free(cache);
}
