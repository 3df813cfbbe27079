/* store - see store.h: opening, closing, and ids by prefix. */
#include "store/store.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/internal.h"

#define PATIENCE_MS 60000 /* longer than any transaction of ours by far, on a slow disk too */

/* Only what was decided is worth committing; the rest is made again. */
static const char ignore_all[] = "*\n!.gitignore\n!suppressions\n!baseline\n";

static int cannot_make(const char *folder)
{
	return error_cannot("cannot make the store %s: %s; name another with --store", folder, strerror(errno));
}

static int write_ignore(const char *folder)
{
	struct arena arena = ARENA_INIT;
	char *path = arena_printf(&arena, "%s/.gitignore", folder);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int result = 0;

	if (fd >= 0) {
		if (write(fd, ignore_all, sizeof(ignore_all) - 1) != sizeof(ignore_all) - 1)
			result = errno == ENOSPC ? cannot_make(folder) : 0;
		close(fd);
	}
	arena_free(&arena);
	return result;
}

static int make_folder(const char *folder)
{
	struct stat st;

	if (!mkdir(folder, 0777))
		return write_ignore(folder);
	if (errno != EEXIST)
		return cannot_make(folder);
	if (stat(folder, &st) || !S_ISDIR(st.st_mode))
		return error_cannot("%s is not a folder: name another store with --store", folder);
	return 0;
}

bool store_is_shared(const char *location)
{
	return !strncmp(location, "postgresql://", 13) || !strncmp(location, "postgres://", 11);
}

char *store_hide_password(char *location)
{
	char *from = strstr(location, "://"), *at, *colon;

	from = from ? from + 3 : location;
	at = strpbrk(from, "@/?");
	colon = memchr(from, ':', at ? (size_t)(at - from) : 0);
	if (at && *at == '@' && colon)
		memmove(colon, at, strlen(at) + 1);
	from = strstr(location, "password=");
	if (from)
		memmove(from + 9, from + 9 + strcspn(from + 9, "&"), strlen(from + 9 + strcspn(from + 9, "&")) + 1);
	return location;
}

static const struct engine *engine_for(const char *location)
{
	if (store_is_shared(location))
		return &engine_postgresql;
	if (strstr(location, "://")) {
		char *shown = store_hide_password(strdup(location));

		error_cannot("cannot open %s: a store is a folder or postgresql://[USER@]HOST/DATABASE", shown);
		free(shown);
		return NULL;
	}
	return &engine_sqlite;
}

struct store *store_open(const char *location, bool create)
{
	const struct engine *engine = engine_for(location);
	struct store *store;

	if (!engine || (create && engine->has_folder && make_folder(location)))
		return NULL;
	store = calloc(1, sizeof(*store));
	ASSERT(store);
	store->engine = engine;
	store->location = strdup(location);
	store->patience = PATIENCE_MS;
	if (!engine->open(store, create)) {
		if (!suppressions_load(store))
			return store;
		store_close(store);
		return NULL;
	}
	free(store->location);
	free(store);
	return NULL;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	store->engine->close(store);
	suppressions_free(store);
	free(store->location);
	free(store);
}

void store_set_patience(struct store *store, unsigned milliseconds)
{
	store->patience = milliseconds;
	store->engine->set_patience(store, milliseconds);
}

bool store_is_gone(const struct store *store)
{
	return store->engine->is_gone(store);
}

void store_wait(struct store *store, unsigned milliseconds)
{
	store->engine->wait(store, milliseconds);
}

const char *store_location(const struct store *store)
{
	return store->location;
}

/* ---- ids ------------------------------------------------------------------------- */

static bool lower_hex(const char *prefix, char out[CANDIDATE_ID_SIZE])
{
	size_t n = strlen(prefix);

	if (!n || n >= CANDIDATE_ID_SIZE)
		return false;
	for (size_t i = 0; i <= n; i++)
		out[i] = (char)tolower((unsigned char)prefix[i]);
	return strspn(out, "0123456789abcdef") == n;
}

#define LISTED 8 /* ids named in the message before it says "..." */

static int ambiguous(const char *prefix, const char *list, size_t count)
{
	return error_usage("%s could be %s%s: give more digits", prefix, list, count > LISTED ? ", ..." : "");
}

int store_resolve(struct store *store, const char *prefix, char id[CANDIDATE_ID_SIZE])
{
	const struct engine *e = store->engine;
	struct strbuf list = STRBUF_INIT;
	char low[CANDIDATE_ID_SIZE], high[CANDIDATE_ID_SIZE + 1];
	struct cursor *c;
	size_t count = 0;
	int more;

	if (!lower_hex(prefix, low))
		return 0;
	strcpy(high, low);
	strcat(high, "g"); /* the first letter after the hex digits */
	c = e->query(store, "SELECT id FROM finding WHERE id >= $1 AND id < $2 AND number > 0 ORDER BY id LIMIT 9",
		     ARGS(TEXT(low), TEXT(high)));
	if (!c)
		return -1;
	while ((more = e->next(store, c)) > 0)
		if (count++ < LISTED) {
			strbuf_printf(&list, "%s%s", list.len ? ", " : "", e->text(c, 0));
			strcpy(id, e->text(c, 0));
		}
	if (!more)
		more = count > 1 ? ambiguous(prefix, list.buf, count) : (int)count;
	strbuf_release(&list);
	return more;
}
