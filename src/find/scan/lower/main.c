/*
 * main - lower IN OUT: bitcode (or .ll) IN becomes the unit OUT of ir.h.
 *
 * Exit status 0, or 3 with one line on stderr: the file and the reason. LLVM itself may abort
 * on a broken file; whoever started us takes a death by signal for such a line.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "find/scan/lower/internal.h"

/*
 * Only what makes values visible: sroa and mem2reg turn locals into SSA values; the last one
 * decides __builtin_constant_p and __builtin_object_size and drops the branches nobody can take.
 * Nothing that moves, merges or removes an access to shared memory.
 */
#define PASSES "function(sroa,mem2reg,lower-constant-intrinsics)"

static const char *input; /* for the handlers LLVM calls */

static void say(const char *reason)
{
	const char *end = strchrnul(reason, '\n');

	fprintf(stderr, "%s: %.*s\n", input, (int)(end - reason), reason);
}

static void on_fatal(const char *reason)
{
	say(reason);
	_exit(3);
}

/* Errors go into the context's handler; warnings (debug info of another version) only matter as a flag. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
	char **message = context;

	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError || *message)
		return;
	*message = LLVMGetDiagInfoDescription(info);
}

static bool is_bitcode(const unsigned char *data, size_t size)
{
	return size >= 4 && (!memcmp(data, "BC\xc0\xde", 4) || !memcmp(data, "\xde\xc0\x17\x0b", 4));
}

static int parse(struct lower *l, LLVMMemoryBufferRef buffer, char **message)
{
	const unsigned char *data = (const unsigned char *)LLVMGetBufferStart(buffer);
	size_t size = LLVMGetBufferSize(buffer);
	XXH128_hash_t hash = XXH3_128bits(data, size);

	l->hash[0] = hash.high64;
	l->hash[1] = hash.low64;
	if (!size)
		return error_cannot("the file is empty");
	if (is_bitcode(data, size)) {
		LLVMBool failed = LLVMParseBitcodeInContext2(l->context, buffer, &l->module);

		LLVMDisposeMemoryBuffer(buffer);
		if (failed)
			return error_cannot("not readable as bitcode of LLVM 19: %s", *message ? *message : "unknown error");
		return 0;
	}
	if (memchr(data, '\0', size)) {
		LLVMDisposeMemoryBuffer(buffer);
		return error_cannot("neither LLVM bitcode nor its text");
	}
	if (LLVMParseIRInContext(l->context, buffer, &l->module, message)) /* takes the buffer */
		return error_cannot("not readable as LLVM text: %s", *message ? *message : "unknown error");
	return 0;
}

static int read_module(struct lower *l, const char *path)
{
	LLVMMemoryBufferRef buffer;
	char *message = NULL;
	int result;

	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message))
		return error_cannot("cannot be read: %s", message);
	l->context = LLVMContextCreate();
	LLVMContextSetDiagnosticHandler(l->context, on_diagnostic, &message);
	result = parse(l, buffer, &message);
	LLVMContextSetDiagnosticHandler(l->context, NULL, NULL);
	return result;
}

static int run_passes(struct lower *l)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef failed = LLVMRunPasses(l->module, PASSES, NULL, options);

	LLVMDisposePassBuilderOptions(options);
	if (failed) {
		char *message = LLVMGetErrorMessage(failed);

		error_cannot("passes failed: %s", message);
		LLVMDisposeErrorMessage(message);
		return -1;
	}
	return 0;
}

static unsigned attribute_kind(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* The unit's main file, its language, and whether it has debug information at all. */
static void describe_unit(struct lower *l)
{
	LLVMValueRef unit = NULL;
	size_t length;
	const char *name = LLVMGetSourceFileName(l->module, &length), *dot = strrchr(name, '.');

	l->source = unit_string(l, name, length);
	if (LLVMGetNamedMetadataNumOperands(l->module, "llvm.dbg.cu") == 1) {
		LLVMGetNamedMetadataOperands(l->module, "llvm.dbg.cu", &unit);
		l->source = place_file(l, LLVMValueAsMetadata(unit));
	} else if (!LLVMGetNamedMetadataNumOperands(l->module, "llvm.dbg.cu")) {
		l->flags |= IR_UNIT_NO_DEBUG;
	}
	LLVMGetModuleInlineAsm(l->module, &length);
	if (length)
		l->flags |= IR_UNIT_MODULE_ASM;
	if (dot && strchr("cC", dot[1]) && strcmp(dot, ".c") && strcmp(dot, ".cl"))
		l->flags |= IR_UNIT_CXX;
}

static void begin(struct lower *l)
{
	l->strings = (struct strbuf)STRBUF_INIT;
	strbuf_putc(&l->strings, '\0');
	VEC_PUSH(&l->locations, (struct ir_location){ 0 });
	l->layout = LLVMGetModuleDataLayout(l->module);
	l->dbg_kind = LLVMGetMDKindIDInContext(l->context, "dbg", 3);
	l->noreturn_kind = attribute_kind("noreturn");
	l->byval_kind = attribute_kind("byval");
	l->elementtype_kind = attribute_kind("elementtype");
}

static void lower_bodies(struct lower *l)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			body_lower(l, f, map_get(&l->function_at, (uintptr_t)f));
}

static int lower_file(const char *in, const char *out)
{
	struct lower l = { 0 };
	int result;

	if (read_module(&l, in) || run_passes(&l))
		return -1;
	begin(&l);
	describe_unit(&l);
	types_collect(&l);
	symbols_collect(&l);
	symbols_constructors(&l);
	inits_collect(&l);
	lower_bodies(&l);
	result = unit_write(&l, out);
	unit_free(&l);
	return result;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--self-test")) {
		input = "lower";
		if (!debug_self_test())
			return 0;
		say(error_message());
		return 3;
	}
	if (argc != 3) {
		fprintf(stderr, "usage: lower IN.bc OUT.ir | lower --self-test\n");
		return 2;
	}
	input = argv[1];
	LLVMInstallFatalErrorHandler(on_fatal);
	if (debug_self_test() || lower_file(argv[1], argv[2])) {
		say(error_message());
		return 3;
	}
	_exit(0); /* LLVM's memory need not be handed back piece by piece */
}
