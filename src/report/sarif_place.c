/* sarif_place - places of SARIF: files, lines, addresses, functions. */
#include <string.h>

#include "report/sarif.h"

void sarif_message(struct json *j, const char *key, const char *text)
{
	put_begin(j, key, '{');
	put_text(j, "text", text);
	json_end(j, '}');
}

const char *sarif_uri(struct arena *arena, const char *prefix, const char *path)
{
	char *out = arena_alloc(arena, strlen(prefix) + 3 * strlen(path) + 1), *w = stpcpy(out, prefix);

	for (; *path; path++)
		if ((*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') || (*path >= '0' && *path <= '9') ||
		    strchr("/-._~", *path))
			*w++ = *path;
		else
			w += sprintf(w, "%%%02X", (unsigned char)*path);
	return out;
}

void sarif_artifact(struct json *j, const struct report *r, const char *path)
{
	put_begin(j, "artifactLocation", '{');
	if (*path == '/') {
		put_text(j, "uri", sarif_uri(r->arena, "file://", path));
	} else {
		put_text(j, "uri", sarif_uri(r->arena, "", path));
		put_text(j, "uriBaseId", SARIF_ROOT);
	}
	json_end(j, '}');
}

void sarif_region(struct json *j, const char *source, int line, int column)
{
	put_begin(j, "region", '{');
	put_number(j, "startLine", (uint64_t)line);
	if (column > 0)
		put_number(j, "startColumn", (uint64_t)column);
	if (source)
		sarif_message(j, "snippet", source);
	json_end(j, '}');
}

void sarif_place(struct json *j, const struct report *r, const char *file, int line, int column,
			 const struct place *place)
{
	bool has_line = file && *file && line > 0;

	if (!has_line && !(place && place->module && *place->module))
		return;
	put_begin(j, "physicalLocation", '{');
	sarif_artifact(j, r, has_line ? file : place->module);
	if (has_line) {
		sarif_region(j, r->sym ? sym_source_line(r->sym, file, line) : NULL, line, column);
	} else {
		put_begin(j, "address", '{');
		put_number(j, "relativeAddress", place->offset);
		json_end(j, '}');
	}
	json_end(j, '}');
}

void sarif_function(struct json *j, const char *function)
{
	if (!function || !*function)
		return;
	put_begin(j, "logicalLocations", '[');
	json_begin(j, '{');
	put_text(j, "fullyQualifiedName", function);
	put_text(j, "kind", "function");
	json_end(j, '}');
	json_end(j, ']');
}

void sarif_access(struct json *j, const struct report *r, const struct access *a)
{
	sarif_place(j, r, a->file, a->line, a->column, a->place_count ? &a->places[0] : NULL);
	sarif_function(j, a->function);
}

const char *sarif_access_text(struct arena *arena, char side, const struct access *a)
{
	const char *locks = a->lock_count ? "" : ", no locks held";

	for (size_t i = 0; i < a->lock_count; i++)
		locks = arena_printf(arena, "%s%s%s%s", locks, i ? ", " : ", holds ", a->locks[i].name,
				     a->locks[i].mode == LOCK_READ ? " (for reading)" : "");
	return arena_printf(arena, "%c: %s by %s in %s%s%s%s", side, access_words(arena, a),
			    a->thread ? a->thread : "a thread", function_short(arena, a->function), locks,
			    a->value ? ", value " : "", a->value ? a->value : "");
}
