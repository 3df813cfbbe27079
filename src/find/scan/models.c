/*
 * models - see models.h. models_line.c reads the lines.
 *
 * I1  Everything a model points to lies in the models' arena.
 * I2  Functions are found by hash of their name; asm patterns and fields, of which there are a
 *     few dozen, by trying them in turn, the last said first.
 */
#include "find/scan/models.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "find/scan/models_internal.h"


const char *model_kind_name(enum model_kind kind)
{
	static const char *const names[] = {
#define X(name, word) word,
		MODEL_KINDS(X)
#undef X
	};

	return (unsigned)kind < MODEL_KIND_COUNT ? names[kind] : "?";
}

/* ---- what is there ------------------------------------------------------------------------ */

static size_t bucket_of(const char *name)
{
	size_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash % MODEL_BUCKETS;
}

static struct models_entry *entry_find(const struct models *models, const char *name)
{
	struct models_entry *entry = models->buckets[bucket_of(name)];

	while (entry && strcmp(entry->model->name, name))
		entry = entry->chain;
	return entry;
}

void models_put(struct models *models, struct model *model, bool add)
{
	struct models_entry *entry = entry_find(models, model->name);
	size_t bucket = bucket_of(model->name);

	if (entry && add) {
		struct model *last = entry->model;

		while (last->next)
			last = (struct model *)last->next;
		last->next = model;
		return;
	}
	if (!entry) {
		entry = ARENA_NEW(&models->arena, struct models_entry);
		entry->chain = models->buckets[bucket];
		models->buckets[bucket] = entry;
		models->count++;
	}
	entry->model = model;
}

const struct model *models_find(const struct models *models, const char *function)
{
	const struct models_entry *entry = entry_find(models, function);

	return entry ? entry->model : NULL;
}

size_t models_count(const struct models *models)
{
	return models->count;
}

/* ---- asm and fields ------------------------------------------------------------------------ */

/* Runs of white space (and ";" with white space around) are one blank; none at the ends. */
char *models_normalised(const char *text)
{
	char *out = malloc(strlen(text) + 1), *to = out;

	if (!out)
		BUG("out of memory");
	for (; *text; text++) {
		if (!strchr(" \t\n\r;", *text))
			*to++ = *text;
		else if (to > out && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to > out && to[-1] == ' ')
		to--;
	*to = 0;
	return out;
}

/* "*" stands for anything, nothing included, "?" for one character; templates are short, so trying is cheap. */
static bool matches(const char *pattern, const char *text)
{
	for (; *pattern; pattern++, text++) {
		if (*pattern == '*') {
			while (pattern[1] == '*')
				pattern++;
			for (;; text++) {
				if (matches(pattern + 1, text))
					return true;
				if (!*text)
					return false;
			}
		}
		if (*pattern != *text && !(*pattern == '?' && *text))
			return false;
	}
	return !*text;
}

const struct model *models_find_asm(const struct models *models, const char *template, const char *constraints)
{
	char *text = models_normalised(template);
	const struct model *found = NULL;

	for (size_t i = models->patterns.count; i-- && !found;)
		if (matches(models->patterns.items[i]->name, text))
			found = models->patterns.items[i];
	free(text);
	return found;
}

static const char *without_tag(const char *type)
{
	if (!strncmp(type, "struct ", 7))
		return type + 7;
	return strncmp(type, "union ", 6) ? type : type + 6;
}

const struct model *models_find_field(const struct models *models, const char *type, const char *field)
{
	const char *name = without_tag(type);
	size_t length = strlen(name);

	for (size_t i = models->fields.count; i--;) {
		const char *known = models->fields.items[i]->name;

		if (!strncmp(known, name, length) && known[length] == '.' && !strcmp(known + length + 1, field))
			return models->fields.items[i];
	}
	return NULL;
}

/* ---- files --------------------------------------------------------------------------------------- */

static int load_file(struct models *models, const char *path, const char *shown)
{
	struct strbuf text = STRBUF_INIT;
	int r = strbuf_read_file(&text, path);

	if (r)
		error_cannot("cannot read the models of %s: %s", path, strerror(errno));
	else if (memchr(text.buf, 0, text.len))
		r = error_usage("%s: this is no text file", path);
	else
		r = models_parse(models, arena_strdup(&models->arena, shown), text.len ? text.buf : (char[]){ 0 });
	strbuf_release(&text);
	return r;
}

static int is_model(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && dot != entry->d_name && !strcmp(dot, ".model");
}

/*
 * As the runtimes are found: <bin>/../share/deadheat/models, in build/ and installed. One folder
 * higher up too: the unit tests' programs are in build/tests/unit.
 */
static const char *builtin_folder(struct arena *arena)
{
	static const char *const ways[] = { "../share/deadheat/models", "../../share/deadheat/models" };
	char self[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0) {
		error_cannot("cannot read /proc/self/exe: %s", strerror(errno));
		return NULL;
	}
	self[n] = 0;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		const char *folder = arena_printf(arena, "%s/%s", self, ways[i]);

		if (!access(folder, R_OK))
			return folder;
	}
	error_cannot("the models %s/%s are missing: install deadheat again", self, ways[0]);
	return NULL;
}

static int load_builtin(struct models *models)
{
	const char *folder = builtin_folder(&models->arena);
	struct dirent **names;
	int count, r = 0;

	if (!folder)
		return -1;
	count = scandir(folder, &names, is_model, alphasort);
	if (count <= 0)
		r = error_cannot("no models in %s: install deadheat again", folder);
	for (int i = 0; i < count; i++) {
		if (!r)
			r = load_file(models, arena_printf(&models->arena, "%s/%s", folder, names[i]->d_name),
				      arena_printf(&models->arena, "models/%s", names[i]->d_name));
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return r;
}

static struct models *load(bool builtin, const char *const *files, size_t count)
{
	struct models *models = calloc(1, sizeof(*models));
	int r;

	if (!models)
		BUG("out of memory");
	r = builtin ? load_builtin(models) : 0;
	for (size_t i = 0; i < count && !r; i++)
		r = load_file(models, files[i], files[i]);
	if (!r)
		return models;
	models_free(models);
	return NULL;
}

struct models *models_load(const char *const *files, size_t count)
{
	return load(true, files, count);
}

struct models *models_load_only(const char *const *files, size_t count)
{
	return load(false, files, count);
}

void models_free(struct models *models)
{
	if (!models)
		return;
	VEC_FREE(&models->patterns);
	VEC_FREE(&models->fields);
	arena_free(&models->arena);
	free(models);
}
