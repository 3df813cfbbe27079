/*
 * path - file names as people want to read them: "." and ".." taken out, relative to the
 * current folder when below it. Purely textual; the file need not exist here.
 */
#include <string.h>

#include "sym/internal.h"

const char *path_clean(struct arena *arena, const char *path)
{
	char *out = arena_alloc(arena, strlen(path) + 2), *w = out;
	const char *p = path;

	if (*p == '/')
		*w++ = '/';
	while (*p) {
		size_t n;

		p += strspn(p, "/");
		n = strcspn(p, "/");
		if (n == 2 && p[0] == '.' && p[1] == '.' && w - out >= 2 && !(w - out >= 3 && !strncmp(w - 3, "../", 3))) {
			for (w--; w > out && w[-1] != '/'; w--)
				;
		} else if (n && !(n == 1 && p[0] == '.')) {
			memcpy(w, p, n);
			w += n;
			*w++ = '/';
		}
		p += n;
	}
	if (w > out + 1)
		w--;
	*w = 0;
	return out;
}

const char *path_display(struct sym *sym, struct arena *arena, const char *path)
{
	size_t n = strlen(sym->cwd);

	if (!path)
		return NULL;
	path = path_clean(arena, path);
	if (n > 1 && !strncmp(path, sym->cwd, n) && path[n] == '/')
		return path + n + 1;
	return path;
}

bool path_matches(const char *path, const char *wanted)
{
	size_t n = strlen(path), m;

	while (!strncmp(wanted, "./", 2))
		wanted += 2;
	m = strlen(wanted);
	if (!m || m > n || strcmp(path + n - m, wanted))
		return false;
	return m == n || path[n - m - 1] == '/';
}
