/* json - see json.h. Separators are those of jansson: ", " and ": ". */
#include "base/json.h"

#include <stdio.h>
#include <string.h>

static void separate(struct json *json)
{
	if (json->comma)
		strbuf_add(json->out, ", ", 2);
	json->comma = true;
}

void json_begin(struct json *json, char bracket)
{
	separate(json);
	strbuf_putc(json->out, bracket);
	json->comma = false;
}

void json_end(struct json *json, char bracket)
{
	strbuf_putc(json->out, bracket);
	json->comma = true;
}

/* Length of the UTF-8 sequence at p, 0 if it is none (overlong, surrogate, cut short). */
static size_t sequence(const unsigned char *p)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	uint32_t c = p[0] & (0xffu >> (n + 1));

	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

static void put_escaped(struct strbuf *out, unsigned char c)
{
	static const char letters[] = "\"\"\\\\\nn\tt\rr\bb\ff";

	for (const char *p = letters; *p; p += 2)
		if ((unsigned char)*p == c) {
			strbuf_putc(out, '\\');
			strbuf_putc(out, p[1]);
			return;
		}
	strbuf_printf(out, "\\u%04x", c);
}

static void put_quoted(struct strbuf *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	strbuf_putc(out, '"');
	while (*p) {
		size_t n = 0;

		while (is_plain(p[n]))
			n++;
		strbuf_add(out, p, n);
		p += n;
		if (!*p)
			break;
		n = *p < 0x80 ? 0 : sequence(p);
		if (n)
			strbuf_add(out, p, n);
		else if (*p < 0x80)
			put_escaped(out, *p);
		else
			strbuf_putc(out, '?');
		p += n ? n : 1;
	}
	strbuf_putc(out, '"');
}

void json_key(struct json *json, const char *key)
{
	separate(json);
	put_quoted(json->out, key);
	strbuf_add(json->out, ": ", 2);
	json->comma = false;
}

void json_text(struct json *json, const char *text)
{
	separate(json);
	if (text)
		put_quoted(json->out, text);
	else
		strbuf_puts(json->out, "null");
}

void json_number(struct json *json, int64_t number)
{
	char digits[24];
	char *p = digits + sizeof(digits);
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;

	separate(json);
	do
		*--p = (char)('0' + rest % 10);
	while (rest /= 10);
	if (number < 0)
		*--p = '-';
	strbuf_add(json->out, p, (size_t)(digits + sizeof(digits) - p));
}

void json_flag(struct json *json, bool flag)
{
	separate(json);
	strbuf_puts(json->out, flag ? "true" : "false");
}

void json_none(struct json *json)
{
	json_text(json, NULL);
}
