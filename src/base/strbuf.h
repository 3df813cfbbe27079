/*
 * strbuf - a string that grows. buf is always NUL terminated and never NULL.
 *
 *     struct strbuf sb = STRBUF_INIT;
 *     strbuf_printf(&sb, "%d", 1);
 *     strbuf_release(&sb);
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stddef.h>

struct strbuf {
	char *buf;
	size_t len, size;
};

extern char strbuf_empty[];
#define STRBUF_INIT { strbuf_empty, 0, 0 }

void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_puts(struct strbuf *sb, const char *string);
void strbuf_putc(struct strbuf *sb, char c);
void strbuf_printf(struct strbuf *sb, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_reset(struct strbuf *sb);
void strbuf_release(struct strbuf *sb);
/* Whole file appended. 0, or -1 with a message. */
int strbuf_read_file(struct strbuf *sb, const char *path);
/* The file gets this text: written beside and renamed, a kill leaves the old one. 0 / -1. */
int strbuf_replace_file(const struct strbuf *sb, const char *path);

#endif
