/*
 * unit - the tables of the file being made. Strings, constants and signatures are kept once.
 *
 * The file is written beside its name and renamed: a reader never sees half of one.
 */
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "find/scan/lower/internal.h"

uint32_t unit_string(struct lower *l, const char *text, size_t length)
{
	uint64_t key = XXH3_64bits(text, length) | 1;
	uint32_t *at;
	bool fresh;

	if (!length)
		return 0;
	for (;; key += 2) { /* two strings of one hash live next to each other */
		at = map_put(&l->string_at, key, &fresh);
		if (fresh)
			break;
		if (!strncmp(l->strings.buf + *at, text, length) && !l->strings.buf[*at + length])
			return *at;
	}
	*at = (uint32_t)l->strings.len;
	/* A NUL inside would end the string early for every reader: cut there. */
	strbuf_add(&l->strings, text, strnlen(text, length));
	strbuf_putc(&l->strings, '\0');
	return *at;
}

uint32_t unit_text(struct lower *l, const char *text)
{
	return text ? unit_string(l, text, strlen(text)) : 0;
}

ir_operand unit_constant(struct lower *l, ir_operand base, int64_t value)
{
	struct ir_constant constant = { base, 0, value };
	uint64_t key = XXH3_64bits(&constant, sizeof(constant)) | 1;
	uint32_t *at;
	bool fresh;

	for (;; key += 2) {
		at = map_put(&l->constant_at, key, &fresh);
		if (fresh)
			break;
		if (!memcmp(&l->constants.items[*at], &constant, sizeof(constant)))
			return ir_make(IR_K_CONST, *at);
	}
	*at = (uint32_t)l->constants.count;
	VEC_PUSH(&l->constants, constant);
	return ir_make(IR_K_CONST, *at);
}

static char type_letter(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVoidTypeKind: return 'v';
	case LLVMPointerTypeKind: return 'p';
	case LLVMFloatTypeKind: return 'f';
	case LLVMDoubleTypeKind: return 'd';
	case LLVMIntegerTypeKind: {
		unsigned bits = LLVMGetIntTypeWidth(type);

		return bits <= 8 ? 'b' : bits <= 16 ? 'h' : bits <= 32 ? 'i' : bits <= 64 ? 'l' : 'a';
	}
	default: return 'a';
	}
}

uint32_t unit_signature(struct lower *l, LLVMTypeRef function_type)
{
	unsigned count = LLVMCountParamTypes(function_type);
	struct strbuf text = STRBUF_INIT;
	VEC(LLVMTypeRef) formals = { 0 };
	uint32_t *at;
	bool fresh;

	at = map_put(&l->signature_at, (uintptr_t)function_type, &fresh);
	if (!fresh)
		return *at;
	for (unsigned i = 0; i < count; i++)
		VEC_PUSH(&formals, NULL);
	if (count)
		LLVMGetParamTypes(function_type, formals.items);
	strbuf_printf(&text, "%c(", type_letter(LLVMGetReturnType(function_type)));
	for (unsigned i = 0; i < count; i++)
		strbuf_putc(&text, type_letter(formals.items[i]));
	strbuf_puts(&text, LLVMIsFunctionVarArg(function_type) ? ".)" : ")");
	*at = (uint32_t)l->signatures.count;
	VEC_PUSH(&l->signatures, (struct ir_signature){ unit_text(l, text.buf), count });
	VEC_FREE(&formals);
	strbuf_release(&text);
	return *at;
}

static struct ir_section section_add(struct strbuf *out, const void *items, size_t count, size_t size)
{
	struct ir_section section;

	while (out->len % 8)
		strbuf_putc(out, '\0');
	section = (struct ir_section){ out->len, count };
	if (count)
		strbuf_add(out, items, count * size);
	return section;
}
#define SECTION(name) header.name = section_add(&out, l->name.items, l->name.count, sizeof(*l->name.items))

/* Lines of the main file as text; when it is gone, the last line that has code. */
static uint64_t lines_of(const struct lower *l)
{
	FILE *file = fopen(l->strings.buf + l->source, "r");
	char buffer[1 << 14];
	uint64_t lines = 0;
	size_t got;

	if (!file) {
		for (size_t i = 0; i < l->locations.count; i++)
			if (l->locations.items[i].file == l->source && l->locations.items[i].line > lines)
				lines = l->locations.items[i].line;
		return lines;
	}
	while ((got = fread(buffer, 1, sizeof(buffer), file)) > 0)
		for (const char *at = buffer; (at = memchr(at, '\n', (size_t)(buffer + got - at))); at++)
			lines++;
	fclose(file);
	return lines;
}

int unit_write(struct lower *l, const char *path)
{
	struct ir_header header = { .magic = IR_MAGIC, .version = IR_VERSION, .source = l->source, .flags = l->flags,
		.hash = { l->hash[0], l->hash[1] } };
	struct strbuf out = STRBUF_INIT;
	int result;

	strbuf_add(&out, &header, sizeof(header));
	header.strings = section_add(&out, l->strings.buf, l->strings.len, 1);
	SECTION(constants);
	SECTION(instrs);
	SECTION(extras);
	SECTION(blocks);
	SECTION(functions);
	SECTION(formal_names);
	SECTION(globals);
	SECTION(inits);
	SECTION(types);
	SECTION(fields);
	SECTION(signatures);
	SECTION(locations);
	SECTION(aliases);
	while (out.len % 8)
		strbuf_putc(&out, '\0');
	header.size = out.len;
	header.lines = lines_of(l);
	memcpy(out.buf, &header, sizeof(header));
	result = strbuf_replace_file(&out, path);
	strbuf_release(&out);
	return result;
}

void unit_free(struct lower *l)
{
	strbuf_release(&l->strings);
	VEC_FREE(&l->constants);
	VEC_FREE(&l->instrs);
	VEC_FREE(&l->extras);
	VEC_FREE(&l->blocks);
	VEC_FREE(&l->functions);
	VEC_FREE(&l->formal_names);
	VEC_FREE(&l->globals);
	VEC_FREE(&l->inits);
	VEC_FREE(&l->types);
	VEC_FREE(&l->fields);
	VEC_FREE(&l->signatures);
	VEC_FREE(&l->locations);
	VEC_FREE(&l->aliases);
	VEC_FREE(&l->nodes);
	map_free(&l->string_at);
	map_free(&l->constant_at);
	map_free(&l->signature_at);
	map_free(&l->function_at);
	map_free(&l->global_at);
	map_free(&l->location_at);
	map_free(&l->file_at);
	map_free(&l->type_at);
	map_free(&l->type_named);
	map_free(&l->node_named);
	map_free(&l->seen);
	map_free(&l->value_at);
	map_free(&l->pointee_at);
	map_free(&l->block_at);
}
