/* place - where something stands in the source: DILocation, DISubprogram, DIVariable -> locations[]. */
#include <string.h>

#include "find/scan/lower/internal.h"

/* Folder and name as one path; an absolute name stays as it is, "./" in front goes. */
static uint32_t join_path(struct lower *l, const char *folder, size_t folder_length, const char *name, size_t length)
{
	struct strbuf path = STRBUF_INIT;
	uint32_t string;

	while (length > 2 && name[0] == '.' && name[1] == '/') {
		name += 2;
		length -= 2;
	}
	if (folder_length && length && name[0] != '/') {
		strbuf_add(&path, folder, folder_length);
		if (path.buf[path.len - 1] != '/')
			strbuf_putc(&path, '/');
	}
	strbuf_add(&path, name, length);
	string = unit_string(l, path.buf, path.len);
	strbuf_release(&path);
	return string;
}

uint32_t place_file(struct lower *l, LLVMMetadataRef scope)
{
	LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
	unsigned folder_length = 0, length = 0;
	const char *folder, *name;
	uint32_t *at;
	bool fresh;

	if (!file)
		return 0;
	at = map_put(&l->file_at, (uintptr_t)file, &fresh);
	if (!fresh)
		return *at;
	folder = LLVMDIFileGetDirectory(file, &folder_length);
	name = LLVMDIFileGetFilename(file, &length);
	return *at = join_path(l, folder, folder_length, name, length);
}

uint32_t place_enclosing(struct lower *l, LLVMMetadataRef scope)
{
	size_t length;
	const char *name;

	while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind) {
		LLVMMetadataKind kind = LLVMGetMetadataKind(scope);

		if (kind != LLVMDILexicalBlockMetadataKind && kind != LLVMDILexicalBlockFileMetadataKind)
			return 0;
		scope = debug_operand(l, scope, DEBUG_SCOPE);
	}
	name = scope ? debug_text(l, scope, DEBUG_NAME, &length) : "";
	return scope ? unit_string(l, name, length) : 0;
}

static uint32_t place_add(struct lower *l, struct ir_location location)
{
	VEC_PUSH(&l->locations, location);
	return (uint32_t)l->locations.count - 1;
}

uint32_t place_of_instruction(struct lower *l, LLVMValueRef instruction)
{
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction), scope;
	uint32_t *at, number;
	bool fresh;

	if (!location)
		return 0;
	at = map_put(&l->location_at, (uintptr_t)location, &fresh);
	if (!fresh)
		return *at;
	scope = LLVMDILocationGetScope(location);
	number = place_add(l, (struct ir_location){ place_file(l, scope), LLVMDILocationGetLine(location),
		LLVMDILocationGetColumn(location), LLVMDILocationGetInlinedAt(location) ? place_enclosing(l, scope) : 0 });
	*map_put(&l->location_at, (uintptr_t)location, &fresh) = number;
	return number;
}

uint32_t place_of_function(struct lower *l, LLVMMetadataRef subprogram)
{
	return subprogram ? place_add(l, (struct ir_location){ place_file(l, subprogram), LLVMDISubprogramGetLine(subprogram),
		0, 0 }) : 0;
}

uint32_t place_of_variable(struct lower *l, LLVMMetadataRef variable)
{
	LLVMMetadataRef file = LLVMDIVariableGetFile(variable);

	return file ? place_add(l, (struct ir_location){ place_file(l, file), LLVMDIVariableGetLine(variable), 0, 0 }) : 0;
}
