# preserved.awk - what clang is told about the access entries, as LLVM IR, from rt/abi/access.def.
#
# Every entry is declared before the instrumentation asks for it, with
#   no_caller_saved_registers  a call spoils nothing, so nothing is spilled around it (rt/preserve.c
#                              and rt/detect/blob.c keep the promise)
#   nounwind                   as the instrumentation itself would have it
# llvm.compiler.used keeps the declarations in the module; it leaves nothing in the object file.
# deadheat-cc links the bitcode of this into every module clang compiles (-mlink-bitcode-file),
# after the front end: nothing of it is seen by -E, -M, __LINE__ or a debugger.
#
# The loader's lazy binding spoils r10 and r11: deadheat-cc links with -z now, rt/bind.c binds what was
# linked otherwise. Decided against: nonlazybind (calls by the GOT), for which clang keeps the
# address in a register and calls by that, which cannot be patched.
BEGIN { FS = "[(,]" }
/^ACCESS\(/ {
	print "declare void @" $2 "(ptr) #0"
	list = list (count++ ? ", " : "") "ptr @" $2
}
END {
	print "@llvm.compiler.used = appending global [" count " x ptr] [" list "], section \"llvm.metadata\""
	print "attributes #0 = { nounwind \"no_caller_saved_registers\" }"
}
