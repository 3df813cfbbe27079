/*
 * code_frames - bounds of functions from .eh_frame (found by PT_GNU_EH_FRAME), and whether
 * they have an exception table. Only the encodings compilers for x86-64 use are read; a frame
 * in another is passed over, and its function then simply is not known.
 */
#include <string.h>

#include "find/sample/code_internal.h"

#define PE_OMIT 0xff
#define PE_PCREL 0x10

struct reader {
	const struct code *code;
	uint64_t at;
	bool bad;
};

static uint64_t take(struct reader *r, size_t size)
{
	size_t left;
	const uint8_t *bytes = code_bytes(r->code, r->at, &left, false);
	uint64_t value = 0;

	if (!bytes || left < size) {
		r->bad = true;
		return 0;
	}
	memcpy(&value, bytes, size);
	r->at += size;
	return value;
}

static uint64_t take_leb(struct reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 63 && !r->bad; shift += 7) {
		uint64_t byte = take(r, 1);

		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

static uint64_t take_encoded(struct reader *r, unsigned encoding)
{
	uint64_t at = r->at, value;

	switch (encoding & 0x0f) {
	case 0x00: case 0x04: case 0x0c: value = take(r, 8); break;
	case 0x02: value = take(r, 2); break;
	case 0x03: value = take(r, 4); break;
	case 0x0a: value = (uint64_t)(int64_t)(int16_t)take(r, 2); break;
	case 0x0b: value = (uint64_t)(int64_t)(int32_t)take(r, 4); break;
	default: r->bad = true; return 0;
	}
	if (!value)
		return 0;
	switch (encoding & 0x70) {
	case 0: return value;
	case PE_PCREL: return value + at;
	default: r->bad = true; return 0;
	}
}

struct cie {
	uint64_t place;
	unsigned pointers;   /* encoding of FDE addresses */
	unsigned lsda;       /* of the exception table's address; PE_OMIT none */
	bool augmented;
	bool known;
};

static void read_augmentation(struct reader *r, const char *letters, struct cie *cie)
{
	take_leb(r);
	for (; *letters && !r->bad; letters++)
		switch (*letters) {
		case 'R': cie->pointers = (unsigned)take(r, 1); break;
		case 'L': cie->lsda = (unsigned)take(r, 1); break;
		case 'P': take_encoded(r, (unsigned)take(r, 1) & 0x0f); break;
		case 'S': case 'B': break;
		default: r->bad = true; return;
		}
}

static struct cie read_cie(const struct code *code, uint64_t place)
{
	struct reader r = { code, place, false };
	struct cie cie = { .place = place, .lsda = PE_OMIT };
	char letters[8] = "";
	unsigned n = 0;
	char c;

	take(&r, 8); /* length, id */
	take(&r, 1);
	while ((c = (char)take(&r, 1)) && !r.bad && n < sizeof(letters) - 1)
		letters[n++] = c;
	take_leb(&r);
	take_leb(&r);
	take_leb(&r);
	cie.augmented = letters[0] == 'z';
	if (cie.augmented)
		read_augmentation(&r, letters + 1, &cie);
	cie.known = !r.bad && (cie.augmented || !letters[0]);
	return cie;
}

static void read_fde(struct code *code, uint64_t place, const struct cie *cie)
{
	struct reader r = { code, place + 8, false };
	uint64_t low = take_encoded(&r, cie->pointers);
	uint64_t size = take_encoded(&r, cie->pointers & 0x0f);
	bool unwinds = false;

	if (cie->augmented && cie->lsda != PE_OMIT) {
		take_leb(&r);
		unwinds = take_encoded(&r, cie->lsda) != 0;
	}
	if (!r.bad && size && low >= code->text_low && size <= code->text_high && low <= code->text_high - size)
		VEC_PUSH(&code->functions, (struct code_function){ low, low + size, false, unwinds });
}

static uint64_t eh_frame(const struct code *code)
{
	struct reader r = { code, code->eh_frame_hdr, false };
	unsigned encoding;

	take(&r, 1);
	encoding = (unsigned)take(&r, 1);
	take(&r, 2);
	return r.bad || encoding == PE_OMIT ? 0 : take_encoded(&r, encoding);
}

void code_read_frames(struct code *code)
{
	uint64_t place = code->eh_frame_hdr ? eh_frame(code) : 0;
	struct cie cie = { 0 };

	while (place) {
		struct reader r = { code, place, false };
		uint64_t length = take(&r, 4), id;

		if (r.bad || !length || length == 0xffffffff)
			return;
		id = take(&r, 4);
		if (id) {
			if (!cie.known || cie.place != place + 4 - id)
				cie = read_cie(code, place + 4 - id);
			if (cie.known)
				read_fde(code, place, &cie);
		}
		place += 4 + length;
	}
}
