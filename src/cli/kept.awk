# kept.awk - what gcc is told about the access entries, as a header, from rt/abi/access.def.
#
# gcc has no attribute by which a declaration promises to spoil no register, but with -fipa-ra it looks which registers
# a function *that it has compiled itself* really writes. So the entries are shown to it as aliases of a function that does
# nothing, and the assembler, which gcc does not look at, sends the calls to the runtime:
#
#     static void deadheat_nothing(void *) { }                     written first (no_reorder): its registers are known
#     void __builtin___tsan_read4(void *) = deadheat_nothing       the declaration that the instrumentation calls
#     .set __tsan_read4, __tsan_read4_kept                         ... and where its calls go: an external name
#
# Nothing is spilled around the calls then (rt/preserve.c and rt/detect/blob.c keep the promise).
#
# I1  Only objects that count on the promise have the names with _kept: with a runtime that does not give it, they do
#     not link, instead of computing nonsense.
# I2  r10, r11: lazy binding spoils them, so they are not promised, and the program may be linked for it.
#     The x87 stack: not given back by rt/preserve.c.
# I3  The stack is aligned at the calls as at any other: gcc would leave it where a function's callees need no more, hence
#     the aligned variable.
# I4  Only compilers we have tried (11 and 12); others spill, as without this.
#
# Decided against: the promise by naked functions (nothing is learned of them), by the attribute no_caller_saved_registers
# (gcc does not look at it at calls), and by a visible stub in every object that jumps on.
BEGIN {
	FS = "[(,]"
	print "/* What gcc is told about deadheat's access entries: made from access.def, explained in src/cli/kept.awk. */"
	print "#if !defined DEADHEAT_KEPT && defined __SANITIZE_THREAD__ && defined __OPTIMIZE__ && !defined __ASSEMBLER__ && \\"
	print "\t!defined __code_model_large__ && !defined __clang__ && (__GNUC__ == 11 || __GNUC__ == 12)"
	print "#pragma GCC system_header"
	print "#define DEADHEAT_KEPT"
	print "#ifdef __cplusplus"
	print "extern \"C\" {"
	print "#define DEADHEAT_ENTRY(name) static void name(void *) __attribute__((alias(\"deadheat_nothing\"), used));"
	print "#else"
	print "#define DEADHEAT_ENTRY(name) void name(void *) __attribute__((alias(\"deadheat_nothing\"), visibility(\"hidden\")));"
	print "#endif"
	print "__attribute__((used, noinline, noclone, no_reorder, no_icf, no_instrument_function, no_profile_instrument_function,"
	print "\tno_stack_protector, no_sanitize(\"thread\", \"undefined\")))"
	print "static void deadheat_nothing(void *address)"
	print "{"
	print "\tchar aligned[16] __attribute__((aligned(16)));"
	print ""
	print "#ifdef _SOFT_FLOAT"
	print "\t__asm__ __volatile__(\"\" : : \"r\"(address), \"m\"(aligned) : \"memory\", \"r10\", \"r11\");"
	print "#else"
	print "\t__asm__ __volatile__(\"\" : : \"r\"(address), \"m\"(aligned) : \"memory\", \"r10\", \"r11\", \"st\", \"st(1)\","
	print "\t\t\"st(2)\", \"st(3)\", \"st(4)\", \"st(5)\", \"st(6)\", \"st(7)\");"
	print "#endif"
	print "}"
}
/^ACCESS\(/ {
	print "#if __has_builtin(__builtin_" $2 ")"
	print "DEADHEAT_ENTRY(__builtin_" $2 ")"
	print "__asm__(\".set " $2 "," $2 "_kept\");"
	print "#endif"
}
END {
	print "#undef DEADHEAT_ENTRY"
	print "#ifdef __cplusplus"
	print "}"
	print "#endif"
	print "#endif"
}
