/*
 * schedule - witnesses: the row in the store and the file schedules/<id>.dhs, or, where the
 * store has no folder, the row in schedule.
 *
 * Files where there can be: people look at them, copy them and send them. Inside one transaction
 * the file is written under another name, synced and renamed, then the row is put: a row always
 * has a whole file, a kill in between leaves at most a file without a row, and of two processes
 * that have a witness of one finding the last one's row and file stay.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/internal.h"

char *schedule_path(struct arena *arena, const struct store *store, const char *id)
{
	return store->engine->has_folder ? arena_printf(arena, "%s/schedules/%s.dhs", store->location, id) : NULL;
}

static int cannot_write(const char *path)
{
	if (errno == ENOSPC || errno == EDQUOT)
		return error_cannot("disk full while writing %s: free some space and run again, what was finished is kept",
				    path);
	return error_cannot("cannot write %s: %s", path, strerror(errno));
}

static int write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		data += n;
		size -= (size_t)n;
	}
	return fsync(fd);
}

static int write_file(const char *temporary, const char *path, const void *data, size_t size)
{
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int result;

	if (fd < 0)
		return cannot_write(path);
	result = write_all(fd, data, size) ? cannot_write(path) : 0;
	if (close(fd) && !result)
		result = cannot_write(path);
	if (!result && rename(temporary, path))
		result = cannot_write(path);
	if (result)
		unlink(temporary);
	return result;
}

/* A rename is on the disk only when its folder is. */
static void sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

static int write_schedule(struct store *store, const char *id, const void *schedule, size_t size)
{
	struct arena arena = ARENA_INIT;
	char *folder = arena_printf(&arena, "%s/schedules", store->location);
	char *path = schedule_path(&arena, store, id);
	char *temporary = arena_printf(&arena, "%s.%d.tmp", path, (int)getpid());
	int result = mkdir(folder, 0777) && errno != EEXIST ? cannot_write(folder) : 0;

	if (!result)
		result = write_file(temporary, path, schedule, size);
	if (!result)
		sync_folder(folder);
	arena_free(&arena);
	return result;
}

static int put_row(struct store *store, int64_t finding, const struct witness *w)
{
	return sql_run(store, "INSERT INTO witness (finding, seed, policy, steps, switches, outcome, program)"
			      " VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (finding) DO UPDATE SET"
			      " seed = excluded.seed, policy = excluded.policy, steps = excluded.steps,"
			      " switches = excluded.switches, outcome = excluded.outcome, program = excluded.program",
		       ARGS(INT(finding), INT(w->seed), TEXT(w->policy ? w->policy : ""), INT(w->steps), INT(w->switches),
			    TEXT(w->outcome ? w->outcome : ""), REF(store->program)));
}

static int put_bytes(struct store *store, int64_t finding, const void *schedule, size_t size)
{
	return sql_run(store, "INSERT INTO schedule (finding, bytes) VALUES ($1, $2)"
			      " ON CONFLICT (finding) DO UPDATE SET bytes = excluded.bytes",
		       ARGS(INT(finding), BYTES(schedule, size)));
}

int store_put_witness(struct store *store, const char *id, const struct witness *witness,
		      const void *schedule, size_t size)
{
	int64_t finding, kind, rung;
	int found = finding_find(store, id, &finding, &kind, &rung);

	if (found <= 0)
		return found ? -1 : error("a witness of the unknown finding %s", id);
	if (sql_begin(store))
		return -1;
	found = store->engine->has_folder ? write_schedule(store, id, schedule, size)
					  : put_bytes(store, finding, schedule, size);
	return sql_end(store, found ? found : put_row(store, finding, witness));
}

static int get_bytes(struct store *store, const char *id, struct strbuf *out)
{
	const struct engine *e = store->engine;
	struct cursor *c = e->query(store, "SELECT s.bytes FROM schedule s JOIN finding f ON f.number = s.finding"
					   " WHERE f.id = $1", ARGS(TEXT(id)));
	int found = c ? e->next(store, c) : -1;

	if (found > 0) {
		e->bytes(c, 0, out);
		e->stop(store, c);
	}
	return found > 0 ? 0 : found < 0 ? -1 : error("the schedule of %s is not in the store %s", id, store->location);
}

int store_get_schedule(struct store *store, struct arena *arena, const char *id,
		       void **schedule, size_t *size, int64_t *program)
{
	struct strbuf file = STRBUF_INIT;
	int64_t number = 0;
	int found = sql_number(store, "SELECT coalesce(w.program, 0) FROM witness w JOIN finding f ON f.number = w.finding"
				      " WHERE f.id = $1", ARGS(TEXT(id)), &number);
	int result;

	if (found <= 0)
		return found;
	result = store->engine->has_folder ? strbuf_read_file(&file, schedule_path(arena, store, id))
					   : get_bytes(store, id, &file);
	result = result ? -1 : 1;
	if (result > 0) {
		*schedule = arena_copy(arena, file.buf, file.len);
		*size = file.len;
		if (program)
			*program = number;
	}
	strbuf_release(&file);
	return result;
}
