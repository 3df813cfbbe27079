/*
 * text - bytes as UTF-8 and back, for servers and JSON, which take nothing else: arguments,
 * environments and names of symbols are arbitrary bytes.
 */
#include "store/internal.h"

/* Length of a valid UTF-8 character, 0 if it is none (overlong, surrogate, cut off). */
static size_t utf8_length(const unsigned char *p)
{
	size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
		 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

/* U+10FF00 + byte, a private character: f4 8f bc..bf xx. */
static bool is_escape(const unsigned char *p)
{
	return p[0] == 0xf4 && p[1] == 0x8f && p[2] >= 0xbc && p[2] <= 0xbf && p[3];
}

/*
 * A byte that is no UTF-8 becomes U+10FF00 + byte; such a character itself is taken as four
 * bytes of that kind, so that everything comes back as it was.
 */
const char *text_encode(struct arena *arena, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	struct strbuf out = STRBUF_INIT;
	char *copy;
	size_t n;

	while (*p && (n = utf8_length(p)) && !is_escape(p))
		p += n;
	if (!*p)
		return text;
	strbuf_add(&out, text, (size_t)((const char *)p - text));
	while (*p) {
		n = is_escape(p) ? 0 : utf8_length(p);
		if (n)
			strbuf_add(&out, p, n);
		else
			strbuf_add(&out, (char[]){ (char)0xf4, (char)0x8f, (char)(0xbc + (*p >> 6)), (char)(0x80 + (*p & 63)) }, 4);
		p += n ? n : 1;
	}
	copy = arena_strdup(arena, out.buf);
	strbuf_release(&out);
	return copy;
}

void text_decode(struct strbuf *out, const char *text)
{
	strbuf_reset(out);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (is_escape(p)) {
			strbuf_putc(out, (char)((p[2] - 0xbc) << 6 | (p[3] & 63)));
			p += 3;
		} else {
			strbuf_putc(out, (char)*p);
		}
}
