# Every __tsan_* call gcc and clang emit is provided by every runtime, and does what the
# uninstrumented program does.
. "$(dirname "$0")/../tap.sh"
LIB=$TOP/build/lib/deadheat
PROBE=$TOP/tests/house/probe
for runtime in nop detect sched explore; do
	nm -D --defined-only "$LIB/$runtime/libdeadheat_rt.so" | awk '{ print $3 }' | sed 's/@.*//' | sort -u >"$tmp/$runtime"
done
calls() { nm --undefined-only "$1" | awk '{ print $2 }' | grep -E '^(__tsan|Annotate)' | sort -u; }
provided() { calls "$1" >"$tmp/calls"; ! comm -23 "$tmp/calls" "$2" | grep .; }
instruments() { [ "$(calls "$1" | wc -l)" -ge "$2" ]; }
same() { result=$("$1") && [ -n "$result" ] && [ "$result" = "$("$2")" ]; }

# probe NAME SOURCE LEAST COMPILER LINKER FLAGS...: LEAST different entry points must be used.
probe() {
	name=$1 source=$2 least=$3 compiler=$4 linker=$5
	shift 5
	check "$name: compiles" "$compiler" "$@" -fsanitize=thread -c -o "$tmp/probe.o" "$source"
	check "$name: at least $least kinds of calls are seen" instruments "$tmp/probe.o" "$least"
	for runtime in nop detect sched explore; do
		check "$name: $runtime provides all of them" provided "$tmp/probe.o" "$tmp/$runtime"
	done
	$linker -o "$tmp/probe" "$tmp/probe.o" -L"$LIB/nop" -ldeadheat_rt -Wl,-rpath,"$LIB/nop" 2>"$tmp/err"
	$compiler -o "$tmp/native" "$@" "$source" 2>>"$tmp/err"
	check "$name: runs as the plain program does" same "$tmp/probe" "$tmp/native"
}
for level in -O0 -O1 -O2; do
	probe "gcc $level C" "$PROBE/probe.c" 60 gcc gcc $level --param tsan-distinguish-volatile=1
	probe "gcc $level -fno-plt C" "$PROBE/probe.c" 60 gcc gcc $level -fno-plt
	probe "gcc $level C++" "$PROBE/probe.cpp" 10 g++ g++ $level --param tsan-distinguish-volatile=1
	probe "clang $level C" "$PROBE/probe.c" 70 clang-19 clang-19 $level -DPROBE_128 -mcx16 \
		-mllvm -tsan-distinguish-volatile=1 -mllvm -tsan-instrument-read-before-write=1
	probe "clang $level compound C" "$PROBE/probe.c" 60 clang-19 clang-19 $level \
		-mllvm -tsan-compound-read-before-write=1
	probe "clang $level C++" "$PROBE/probe.cpp" 10 clang++-19 clang++-19 $level \
		-mllvm -tsan-distinguish-volatile=1 -mllvm -tsan-instrument-read-before-write=1
done

# libtsan's own list: what it exports for programs (its inner names and test hooks aside).
covers() {
	nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' | grep -E '^(__tsan_|Annotate|WTFAnnotate|__sanitizer_(unaligned|print|set|get_report|report|sandbox|acquire))' |
		grep -vE '^__tsan_(testonly|default_|on_report|symbolize|setjmp|resume|tls_init|stack_init|thread_start)' |
		sort -u >"$tmp/theirs"
	[ -s "$tmp/theirs" ] && ! comm -23 "$tmp/theirs" "$tmp/nop" | grep .
}
check "all of gcc's libtsan.so.2 is there" covers /usr/lib/x86_64-linux-gnu/libtsan.so.2
check "all of clang's runtime is there" covers /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.tsan-x86_64.so

# dlsym must give the default version of names that have several (rt/real.c relies on it).
cat >"$tmp/version.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	static const char *const names[] = { "pthread_cond_init", "pthread_cond_wait", "pthread_cond_timedwait",
		"pthread_cond_signal", "pthread_cond_broadcast", "pthread_cond_destroy" };
	for (int i = 0; i < 6; i++)
		if (dlsym(RTLD_NEXT, names[i]) != dlvsym(RTLD_NEXT, names[i], "GLIBC_2.3.2"))
			return puts(names[i]), 1;
	return 0;
}
C
check "dlsym gives the default version of pthread_cond_*" sh -c "gcc -o '$tmp/version' '$tmp/version.c' && '$tmp/version'"
done_testing
