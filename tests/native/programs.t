#!/bin/sh
# Whole programs work unchanged under the native runtimes: many objects, libraries that come
# late, programs linked to libtsan by a plain gcc.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/runtime.sh"
check "limits builds" build nop limits.c
check_output "1,000 threads, 10,000 locks, 256 held" "all of them" timeout 60 "$tmp/limits"
small() { (ulimit -v 4000000 && timeout 60 "$tmp/limits"); }
check_output "the same under ulimit -v 4000000" "all of them" small
check "host builds" build nop host.c
plugin() {
	g++ -g -Og -fsanitize=thread -fPIC -c -o "$tmp/plugin.o" "$NATIVE/plugin.cpp" && g++ -shared -o "$tmp/plugin.so" "$tmp/plugin.o"
}
check "plugin builds" plugin
check_output "a C program with a C++ plugin" "loaded twice" timeout 60 "$tmp/host" "$tmp/plugin.so"
# A plain gcc TSan build needs libtsan.so.2: ours is found first. Its references have no version.
for file in mutex.c cond.c sem.c thread.c c11.c cancel.c strings.c alloc.c io.c process.c; do
	name=${file%.c}
	gcc -g -O1 -fsanitize=thread -o "$tmp/$name-tsan" "$NATIVE/$file" -w
	check "$name, built for libtsan" env LD_LIBRARY_PATH="$TOP/build/lib/deadheat/nop" timeout 60 "$tmp/$name-tsan"
done
# Programs that were never instrumented, and their own libraries' constructors and allocators.
for command in "bash -c 'echo hello | cat'" "perl -e 'print qq(hello)'" "sort /dev/null && echo hello" "gcc -dumpversion >/dev/null && echo hello"; do
	check_output "preloaded: $command" hello env LD_PRELOAD="$TOP/build/lib/deadheat/nop/libdeadheat_rt.so" sh -c "$command"
done
done_testing
