/* strbuf - see strbuf.h. */
#include "base/strbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

char strbuf_empty[1];

static void grow(struct strbuf *sb, size_t extra)
{
	size_t need = sb->len + extra + 1;

	if (need <= sb->size)
		return;
	if (need < 2 * sb->size)
		need = 2 * sb->size;
	sb->buf = realloc(sb->size ? sb->buf : NULL, need);
	if (!sb->buf)
		BUG("out of memory (%zu bytes)", need);
	sb->size = need;
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	grow(sb, len);
	memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

void strbuf_puts(struct strbuf *sb, const char *string)
{
	strbuf_add(sb, string, strlen(string));
}

void strbuf_putc(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_printf(struct strbuf *sb, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	grow(sb, (size_t)len);
	va_start(args, format);
	vsnprintf(sb->buf + sb->len, (size_t)len + 1, format, args);
	va_end(args);
	sb->len += (size_t)len;
}

void strbuf_reset(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->size)
		sb->buf[0] = '\0';
}

void strbuf_release(struct strbuf *sb)
{
	if (sb->size)
		free(sb->buf);
	*sb = (struct strbuf)STRBUF_INIT;
}

int strbuf_read_file(struct strbuf *sb, const char *path)
{
	FILE *file = fopen(path, "re");
	char block[16384];
	size_t n;
	int failed;

	if (!file)
		return error("cannot read %s: %s", path, strerror(errno));
	while ((n = fread(block, 1, sizeof(block), file)) > 0)
		strbuf_add(sb, block, n);
	failed = ferror(file);
	fclose(file);
	return failed ? error("cannot read %s: %s", path, strerror(errno)) : 0;
}

int strbuf_replace_file(const struct strbuf *sb, const char *path)
{
	struct strbuf beside = STRBUF_INIT;
	FILE *file;
	bool good;

	strbuf_printf(&beside, "%s.new", path);
	file = fopen(beside.buf, "w");
	good = file && fwrite(sb->buf, 1, sb->len, file) == sb->len;
	if (file && fclose(file))
		good = false;
	good = good && !rename(beside.buf, path);
	if (!good) {
		error_cannot("cannot write %s: %s", path, strerror(errno));
		unlink(beside.buf);
	}
	strbuf_release(&beside);
	return good ? 0 : -1;
}
