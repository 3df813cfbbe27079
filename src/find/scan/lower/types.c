/*
 * types - structs and arrays, with the names and offsets DWARF knows.
 *
 * LLVM's struct types have positions but no names; DWARF has names but code does not refer to
 * it. The two meet by name ("struct.queue" - queue) and size. types_collect() walks the debug
 * types that functions and globals reach and notes every named composite; an entry in types[]
 * is only made when code uses one. A struct without a name is called after the field that
 * holds it ("struct page::@8"), so that several units mean the same by it.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "find/scan/lower/internal.h"

enum { /* DWARF's numbers */
	TAG_ARRAY = 0x01, TAG_CLASS = 0x02, TAG_MEMBER = 0x0d, TAG_POINTER = 0x0f, TAG_REFERENCE = 0x10, TAG_STRUCT = 0x13,
	TAG_TYPEDEF = 0x16, TAG_UNION = 0x17, TAG_INHERITANCE = 0x1c, TAG_CONST = 0x26, TAG_VOLATILE = 0x35,
	TAG_RESTRICT = 0x37, TAG_RVALUE_REFERENCE = 0x42, TAG_ATOMIC = 0x47
};

static bool is_derived(LLVMMetadataRef node) { return LLVMGetMetadataKind(node) == LLVMDIDerivedTypeMetadataKind; }
static bool is_composite(LLVMMetadataRef node) { return LLVMGetMetadataKind(node) == LLVMDICompositeTypeMetadataKind; }

static bool is_wrapper(LLVMMetadataRef node)
{
	uint16_t tag = is_derived(node) ? LLVMGetDINodeTag(node) : 0;

	return tag == TAG_TYPEDEF || tag == TAG_CONST || tag == TAG_VOLATILE || tag == TAG_RESTRICT || tag == TAG_ATOMIC;
}

/* What is behind typedefs and qualifiers; flags and the first name met are collected on the way. */
static LLVMMetadataRef unwrap(struct lower *l, LLVMMetadataRef node, uint32_t *flags, LLVMMetadataRef *named)
{
	while (node && is_wrapper(node)) {
		uint16_t tag = LLVMGetDINodeTag(node);

		if (tag == TAG_VOLATILE && flags)
			*flags |= IR_FIELD_VOLATILE;
		if (tag == TAG_ATOMIC && flags)
			*flags |= IR_FIELD_ATOMIC;
		if (tag == TAG_TYPEDEF && named && !*named)
			*named = node;
		node = debug_operand(l, node, DEBUG_TYPE_BASE);
	}
	return node;
}

/* ---- which composites there are ------------------------------------------------------------------------ */

/* A name without template arguments: LLVM leaves out the last ones, DWARF none. "a<b>::c<d>" -> "a::c". */
static void add_plain(struct strbuf *out, const char *name, size_t length)
{
	int depth = 0;

	for (size_t i = 0; i < length; i++) {
		depth += name[i] == '<';
		if (!depth)
			strbuf_putc(out, name[i]);
		depth -= name[i] == '>' && depth;
	}
}

/* "class.std::vector.5" and "vector<int>" in namespace std are both "std::vector". */
static uint64_t name_key(const char *name, size_t length, uint64_t size)
{
	struct strbuf plain = STRBUF_INIT;
	uint64_t key;

	if (!memchr(name, '<', length))
		return XXH3_64bits_withSeed(name, length, size + 1) | 1;
	add_plain(&plain, name, length);
	key = XXH3_64bits_withSeed(plain.buf, plain.len, size + 1) | 1;
	strbuf_release(&plain);
	return key;
}

static void qualify(struct lower *l, struct strbuf *out, LLVMMetadataRef scope, int depth)
{
	LLVMMetadataKind kind = scope ? LLVMGetMetadataKind(scope) : LLVMDIFileMetadataKind;
	const char *name;
	size_t length;

	if ((kind != LLVMDINamespaceMetadataKind && kind != LLVMDICompositeTypeMetadataKind) || depth > 32)
		return;
	name = debug_text(l, scope, DEBUG_NAME, &length);
	if (!length)
		return;
	qualify(l, out, debug_operand(l, scope, DEBUG_SCOPE), depth + 1);
	add_plain(out, name, length);
	strbuf_puts(out, "::");
}

static void note_name(struct lower *l, LLVMMetadataRef composite, LLVMMetadataRef named)
{
	struct strbuf full = STRBUF_INIT;
	size_t length;
	const char *name = debug_text(l, named, DEBUG_NAME, &length);
	uint64_t size = LLVMDITypeGetSizeInBits(composite) / 8;
	uint32_t *at;
	bool fresh;

	if (!length || LLVMDITypeGetFlags(composite) & LLVMDIFlagFwdDecl)
		return;
	if (l->flags & IR_UNIT_CXX)
		qualify(l, &full, debug_operand(l, named, DEBUG_SCOPE), 0);
	strbuf_add(&full, name, length);
	at = map_put(&l->node_named, name_key(full.buf, full.len, size), &fresh);
	if (fresh) {
		*at = (uint32_t)l->nodes.count;
		VEC_PUSH(&l->nodes, composite);
	}
	strbuf_release(&full);
}

struct walk { /* nodes still to be looked at: type graphs are deep, so no recursion */
	VEC(LLVMMetadataRef) todo;
};

static void walk_push(struct lower *l, struct walk *walk, LLVMMetadataRef node)
{
	bool fresh;

	if (!node)
		return;
	map_put(&l->seen, (uintptr_t)node, &fresh);
	if (fresh)
		VEC_PUSH(&walk->todo, node);
}

static void walk_list(struct lower *l, struct walk *walk, LLVMMetadataRef list)
{
	unsigned count = debug_operand_count(l, list);

	for (unsigned i = 0; i < count; i++)
		walk_push(l, walk, debug_operand(l, list, i));
}

static void walk_composite(struct lower *l, struct walk *walk, LLVMMetadataRef node)
{
	uint16_t tag = LLVMGetDINodeTag(node);

	if (tag == TAG_ARRAY) {
		walk_push(l, walk, debug_operand(l, node, DEBUG_TYPE_BASE));
	} else if (tag == TAG_STRUCT || tag == TAG_UNION || tag == TAG_CLASS) {
		note_name(l, node, node);
		walk_list(l, walk, debug_operand(l, node, DEBUG_COMPOSITE_ELEMENTS));
	}
}

static void walk_derived(struct lower *l, struct walk *walk, LLVMMetadataRef node)
{
	LLVMMetadataRef base = debug_operand(l, node, DEBUG_TYPE_BASE), plain;
	size_t length;

	walk_push(l, walk, base);
	if (LLVMGetDINodeTag(node) != TAG_TYPEDEF)
		return;
	plain = unwrap(l, base, NULL, NULL);
	if (!plain || !is_composite(plain) || LLVMGetDINodeTag(plain) == TAG_ARRAY)
		return;
	debug_text(l, plain, DEBUG_NAME, &length);
	if (!length) /* typedef struct { ... } name; */
		note_name(l, plain, node);
}

static void walk_one(struct lower *l, struct walk *walk, LLVMMetadataRef node)
{
	switch (LLVMGetMetadataKind(node)) {
	case LLVMDICompositeTypeMetadataKind:
		walk_composite(l, walk, node);
		break;
	case LLVMDIDerivedTypeMetadataKind:
		walk_derived(l, walk, node);
		break;
	case LLVMDISubroutineTypeMetadataKind:
		walk_list(l, walk, debug_operand(l, node, DEBUG_SUBROUTINE_TYPES));
		break;
	case LLVMDISubprogramMetadataKind:
		walk_push(l, walk, debug_operand(l, node, DEBUG_FUNCTION_TYPE));
		walk_list(l, walk, debug_operand(l, node, DEBUG_FUNCTION_RETAINED));
		walk_push(l, walk, debug_operand(l, node, DEBUG_FUNCTION_UNIT));
		break;
	case LLVMDICompileUnitMetadataKind:
		walk_list(l, walk, debug_operand(l, node, DEBUG_UNIT_RETAINED));
		walk_list(l, walk, debug_operand(l, node, DEBUG_UNIT_GLOBALS));
		break;
	case LLVMDIGlobalVariableExpressionMetadataKind:
		walk_push(l, walk, LLVMDIGlobalVariableExpressionGetVariable(node));
		break;
	case LLVMDIGlobalVariableMetadataKind:
	case LLVMDILocalVariableMetadataKind:
		walk_push(l, walk, debug_operand(l, node, DEBUG_VARIABLE_TYPE));
		break;
	default:
		break;
	}
}

void types_collect(struct lower *l)
{
	struct walk walk = { { 0 } };
	unsigned units = LLVMGetNamedMetadataNumOperands(l->module, "llvm.dbg.cu");
	VEC(LLVMValueRef) roots = { 0 };

	for (unsigned i = 0; i < units; i++)
		VEC_PUSH(&roots, NULL);
	if (units)
		LLVMGetNamedMetadataOperands(l->module, "llvm.dbg.cu", roots.items);
	for (unsigned i = 0; i < units; i++)
		walk_push(l, &walk, LLVMValueAsMetadata(roots.items[i]));
	for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
		walk_push(l, &walk, LLVMGetSubprogram(f));
	while (walk.todo.count)
		walk_one(l, &walk, walk.todo.items[--walk.todo.count]);
	VEC_FREE(&walk.todo);
	VEC_FREE(&roots);
}

/* ---- making entries --------------------------------------------------------------------------------------- */

#define TYPE_DEPTH_MAX 64 /* structs in structs; deeper is broken debug information */

typedef VEC(struct ir_field) field_list;
static uint32_t composite_make(struct lower *l, LLVMMetadataRef node, LLVMMetadataRef named, const char *outer);

/* A type's parts are made before it, so that no type can hold itself (ir_open checks that). */
static uint32_t type_add(struct lower *l, uint32_t name, uint64_t size, field_list *fields)
{
	VEC_PUSH(&l->types, (struct ir_type){ .name = name, .size = size, .element = IR_NO,
		.first_field = (uint32_t)l->fields.count, .field_count = (uint32_t)fields->count });
	for (size_t i = 0; i < fields->count; i++)
		VEC_PUSH(&l->fields, fields->items[i]);
	VEC_FREE(fields);
	return (uint32_t)l->types.count - 1;
}

static uint32_t array_add(struct lower *l, uint32_t element, uint64_t size, uint64_t element_size)
{
	VEC_PUSH(&l->types, (struct ir_type){ .size = size, .element = element, .element_size = element_size ? element_size : 1 });
	return (uint32_t)l->types.count - 1;
}

/* "int", "struct queue", "char *": for display and for models. */
static void type_words(struct lower *l, struct strbuf *out, LLVMMetadataRef node, int depth)
{
	size_t length = 0;
	const char *name;
	uint16_t tag;

	while (node && is_wrapper(node) && LLVMGetDINodeTag(node) != TAG_TYPEDEF)
		node = debug_operand(l, node, DEBUG_TYPE_BASE);
	if (!node || depth > 8) {
		strbuf_puts(out, "void");
		return;
	}
	if (LLVMGetMetadataKind(node) == LLVMDISubroutineTypeMetadataKind) {
		strbuf_puts(out, "function");
		return;
	}
	name = debug_text(l, node, DEBUG_NAME, &length);
	tag = is_derived(node) || is_composite(node) ? LLVMGetDINodeTag(node) : 0;
	if (tag == TAG_POINTER || tag == TAG_REFERENCE || tag == TAG_RVALUE_REFERENCE) {
		type_words(l, out, debug_operand(l, node, DEBUG_TYPE_BASE), depth + 1);
		strbuf_puts(out, out->buf[out->len - 1] == '*' ? "*" : " *");
	} else if (tag == TAG_ARRAY) {
		type_words(l, out, debug_operand(l, node, DEBUG_TYPE_BASE), depth + 1);
		strbuf_puts(out, "[]");
	} else {
		strbuf_puts(out, tag == TAG_STRUCT ? "struct " : tag == TAG_UNION ? "union " : "");
		strbuf_add(out, name, length);
	}
}

static bool is_function_pointer(struct lower *l, LLVMMetadataRef pointer)
{
	LLVMMetadataRef to = unwrap(l, debug_operand(l, pointer, DEBUG_TYPE_BASE), NULL, NULL);

	return to && LLVMGetMetadataKind(to) == LLVMDISubroutineTypeMetadataKind;
}

static uint32_t member_flags(struct lower *l, LLVMMetadataRef plain)
{
	uint16_t tag = plain && is_derived(plain) ? LLVMGetDINodeTag(plain) : 0;

	if (tag != TAG_POINTER && tag != TAG_REFERENCE && tag != TAG_RVALUE_REFERENCE)
		return 0;
	return IR_FIELD_POINTER | (is_function_pointer(l, plain) ? IR_FIELD_FUNCTION : 0);
}

static struct ir_field member_make(struct lower *l, LLVMMetadataRef member, const char *outer)
{
	LLVMMetadataRef base = debug_operand(l, member, DEBUG_TYPE_BASE), named = NULL, plain;
	uint64_t offset = LLVMDITypeGetOffsetInBits(member), bits = LLVMDITypeGetSizeInBits(member);
	struct ir_field field = { .type = IR_NO, .offset = offset / 8 };
	struct strbuf text = STRBUF_INIT;
	size_t length;
	const char *name = debug_text(l, member, DEBUG_NAME, &length);

	plain = unwrap(l, base, &field.flags, &named);
	field.flags |= member_flags(l, plain);
	field.name = unit_string(l, name, length);
	if (!bits && plain) /* a base class says nothing of its own */
		bits = LLVMDITypeGetSizeInBits(plain);
	field.size = (bits + offset % 8 + 7) / 8;
	type_words(l, &text, base, 0);
	field.type_name = unit_string(l, text.buf, text.len);
	strbuf_reset(&text);
	if (length)
		strbuf_printf(&text, "%s::%.*s", outer, (int)length, name);
	else
		strbuf_printf(&text, "%s::@%llu", outer, (unsigned long long)field.offset);
	if (plain && is_composite(plain))
		field.type = composite_make(l, plain, named, text.buf);
	strbuf_release(&text);
	return field;
}

static field_list struct_fields(struct lower *l, uint32_t name, LLVMMetadataRef node)
{
	LLVMMetadataRef elements = debug_operand(l, node, DEBUG_COMPOSITE_ELEMENTS);
	unsigned count = debug_operand_count(l, elements);
	struct strbuf outer = STRBUF_INIT;
	field_list fields = { 0 };

	strbuf_puts(&outer, l->strings.buf + name);
	for (unsigned i = 0; i < count; i++) {
		LLVMMetadataRef element = debug_operand(l, elements, i);

		if (element && is_derived(element) && !(LLVMDITypeGetFlags(element) & LLVMDIFlagStaticMember) &&
		    (LLVMGetDINodeTag(element) == TAG_MEMBER || LLVMGetDINodeTag(element) == TAG_INHERITANCE))
			VEC_PUSH(&fields, member_make(l, element, outer.buf));
	}
	strbuf_release(&outer);
	return fields;
}

static uint32_t struct_name(struct lower *l, LLVMMetadataRef node, LLVMMetadataRef named, const char *outer)
{
	uint16_t tag = LLVMGetDINodeTag(node);
	struct strbuf text = STRBUF_INIT;
	size_t length;
	const char *name = debug_text(l, node, DEBUG_NAME, &length);
	uint32_t string;

	if (length) {
		strbuf_puts(&text, tag == TAG_UNION ? "union " : tag == TAG_CLASS ? "class " : "struct ");
		if (l->flags & IR_UNIT_CXX)
			qualify(l, &text, debug_operand(l, node, DEBUG_SCOPE), 0);
	} else if (named) {
		name = debug_text(l, named, DEBUG_NAME, &length);
	} else {
		name = outer;
		length = strlen(outer);
	}
	add_plain(&text, name, length);
	string = unit_string(l, text.buf, text.len);
	strbuf_release(&text);
	return string;
}

static uint32_t array_make(struct lower *l, LLVMMetadataRef node, const char *outer)
{
	LLVMMetadataRef named = NULL, element = unwrap(l, debug_operand(l, node, DEBUG_TYPE_BASE), NULL, &named);
	uint64_t size = element ? LLVMDITypeGetSizeInBits(element) / 8 : 0;
	uint32_t inner = IR_NO;

	if (element && is_composite(element))
		inner = composite_make(l, element, named, outer);
	return array_add(l, inner, LLVMDITypeGetSizeInBits(node) / 8, size);
}

static uint32_t composite_make(struct lower *l, LLVMMetadataRef node, LLVMMetadataRef named, const char *outer)
{
	uint16_t tag = LLVMGetDINodeTag(node);
	uint32_t known = map_get(&l->type_at, (uintptr_t)node), type, name;
	field_list fields;
	bool fresh;

	if (known != IR_NO)
		return known;
	if (l->type_depth > TYPE_DEPTH_MAX)
		return IR_NO;
	if (tag != TAG_ARRAY && tag != TAG_STRUCT && tag != TAG_UNION && tag != TAG_CLASS)
		return IR_NO; /* an enumeration */
	l->type_depth++;
	if (tag == TAG_ARRAY) {
		type = array_make(l, node, outer);
	} else {
		name = struct_name(l, node, named, outer);
		fields = struct_fields(l, name, node);
		type = type_add(l, name, LLVMDITypeGetSizeInBits(node) / 8, &fields);
		l->types.items[type].is_union = tag == TAG_UNION;
	}
	l->type_depth--;
	*map_put(&l->type_at, (uintptr_t)node, &fresh) = type;
	return type;
}

uint32_t types_of_debug(struct lower *l, LLVMMetadataRef node)
{
	LLVMMetadataRef named = NULL, plain = unwrap(l, node, NULL, &named);

	return plain && is_composite(plain) ? composite_make(l, plain, named, "") : IR_NO;
}

/* ---- LLVM's own ---------------------------------------------------------------------------------------------- */

/* "struct.queue.12" -> "queue"; the suffix tells copies of one name apart. */
static const char *plain_name(const char *name, size_t *length)
{
	static const char *const prefixes[] = { "struct.", "union.", "class." };
	size_t n = strlen(name);

	for (size_t i = 0; i < 3; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) {
			name += strlen(prefixes[i]);
			n = strlen(name);
			break;
		}
	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	*length = n && name[n - 1] == '.' && name[n] ? n - 1 : strlen(name);
	if (*length > 5 && !memcmp(name + *length - 5, ".base", 5))
		*length -= 5;
	return name;
}

static uint32_t struct_from_llvm(struct lower *l, LLVMTypeRef type, const char *name, size_t length)
{
	unsigned count = LLVMCountStructElementTypes(type);
	struct strbuf text = STRBUF_INIT;
	field_list fields = { 0 };
	uint32_t made, string;

	if (length && strncmp(name, "anon", length < 4 ? length : 4))
		strbuf_printf(&text, "struct %.*s", (int)length, name);
	string = unit_string(l, text.buf, text.len);
	strbuf_release(&text);
	for (unsigned i = 0; i < count; i++) {
		LLVMTypeRef element = LLVMStructGetTypeAtIndex(type, i);

		VEC_PUSH(&fields, (struct ir_field){ .type = types_of_llvm(l, element),
			.offset = LLVMOffsetOfElement(l->layout, type, i), .size = LLVMABISizeOfType(l->layout, element),
			.flags = LLVMGetTypeKind(element) == LLVMPointerTypeKind ? IR_FIELD_POINTER : 0 });
	}
	made = type_add(l, string, LLVMABISizeOfType(l->layout, type), &fields);
	return made;
}

static uint32_t struct_type(struct lower *l, LLVMTypeRef type)
{
	const char *name = LLVMIsLiteralStruct(type) ? "" : LLVMGetStructName(type);
	size_t length = 0;
	uint32_t node;

	if (!LLVMTypeIsSized(type))
		return IR_NO;
	name = plain_name(name ? name : "", &length);
	node = map_get(&l->node_named, name_key(name, length, LLVMABISizeOfType(l->layout, type)));
	if (length && node != IR_NO)
		return types_of_debug(l, l->nodes.items[node]);
	return struct_from_llvm(l, type, name, length);
}

static uint32_t array_type(struct lower *l, LLVMTypeRef type)
{
	LLVMTypeRef element = LLVMGetElementType(type);

	if (!LLVMTypeIsSized(type))
		return IR_NO;
	return array_add(l, types_of_llvm(l, element), LLVMABISizeOfType(l->layout, type),
		LLVMABISizeOfType(l->layout, element));
}

uint32_t types_of_llvm(struct lower *l, LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	uint32_t known, made;
	bool fresh;

	if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind)
		return IR_NO;
	known = map_get(&l->type_at, (uintptr_t)type);
	if (known != IR_NO)
		return known;
	made = kind == LLVMStructTypeKind ? struct_type(l, type) : array_type(l, type);
	*map_put(&l->type_at, (uintptr_t)type, &fresh) = made;
	return made;
}

/* ---- looking up -------------------------------------------------------------------------------------------- */

uint32_t types_field(const struct lower *l, uint32_t type, uint64_t offset)
{
	const struct ir_type *t;

	if (type == IR_NO)
		return IR_NO;
	t = &l->types.items[type];
	for (uint32_t i = 0; i < t->field_count; i++) {
		const struct ir_field *field = &l->fields.items[t->first_field + i];

		if (offset >= field->offset && offset - field->offset < field->size)
			return i;
	}
	for (uint32_t i = 0; i < t->field_count; i++) /* a flexible array has no size */
		if (l->fields.items[t->first_field + i].offset == offset)
			return i;
	return IR_NO;
}

void types_innermost(const struct lower *l, uint32_t type, uint64_t offset, uint32_t *inner, uint32_t *field)
{
	*inner = *field = IR_NO;
	while (type != IR_NO) {
		const struct ir_type *t = &l->types.items[type];
		uint32_t at;

		if (t->element_size) {
			offset %= t->element_size;
			type = t->element;
			continue;
		}
		if (t->is_union || (at = types_field(l, type, offset)) == IR_NO)
			return;
		*inner = type;
		*field = at;
		offset -= l->fields.items[t->first_field + at].offset;
		type = l->fields.items[t->first_field + at].type;
	}
}
