#!/bin/sh
# Whole programs work unchanged under the native runtimes: many objects, libraries that come
# late, programs linked to libtsan by a plain gcc.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/runtime.sh"
check "limits builds" build nop limits.c
check_output "1,000 threads, 10,000 locks, 256 held" "all of them" timeout 300 "$tmp/limits"
small() { (ulimit -v 4000000 && timeout 300 "$tmp/limits"); }
check_output "the same under ulimit -v 4000000" "all of them" small
check "host builds" build nop host.c
plugin() {
	g++ -g -Og -fsanitize=thread -fPIC -c -o "$tmp/plugin.o" "$NATIVE/plugin.cpp" && g++ -shared -o "$tmp/plugin.so" "$tmp/plugin.o"
}
check "plugin builds" plugin
check_output "a C program with a C++ plugin" "loaded twice" timeout 300 "$tmp/host" "$tmp/plugin.so"
# The linker takes operators and guards from us, not from the archive: there is no real one.
static_library() {
	g++ -g -Og -std=c++20 -fsanitize=thread -c -o "$tmp/own.o" "$NATIVE/cxx.cpp" &&
	g++ -o "$tmp/own" "$tmp/own.o" -L"$(library nop)" -ldeadheat_rt -Wl,-rpath,"$(library nop)" -static-libstdc++
}
check "cxx builds with a static libstdc++" static_library
check "and runs" env STATIC=1 timeout 300 "$tmp/own"
# A plain gcc TSan build needs libtsan.so.2: ours is found first. Its references have no version.
for file in mutex.c cond.c sem.c thread.c c11.c cancel.c strings.c alloc.c io.c process.c; do
	name=${file%.c}
	gcc -g -O1 -fsanitize=thread -o "$tmp/$name-tsan" "$NATIVE/$file" -w
	check "$name, built for libtsan" env LD_LIBRARY_PATH="$TOP/build/lib/deadheat/nop" timeout 300 "$tmp/$name-tsan"
done
# Programs that were never instrumented, under the spy: every hook is called, nothing changes.
check "the spy can be built" spy_build
for command in "echo hello | cat" "perl -e 'print qq(hello)'" "seq 20000 | sort --parallel=2 -r | md5sum" "gcc -dumpversion" \
	"tar cf - -C $TOP/src rt | md5sum" "xz -T2 -c $TOP/src/rt/rt.h | md5sum" "make -s -C $TOP -n help"; do
	wanted=$(sh -c "$command" 2>/dev/null)
	check_output "preloaded: $command" "$wanted" env LD_PRELOAD="$tmp/spy/libdeadheat_rt.so" timeout 300 sh -c "$command"
done
# The same programs observed and scheduled: same answers, nothing suspected.
# (timer: the scheduler does not know threads libc makes itself. limits: a thousand threads take long.)
if [ -x "$TOP/build/bin/deadheat" ]; then
	for file in mutex.c rwlock.c spin.c cond.c barrier.c sem.c once.c thread.c c11.c cancel.c strings.c wide.c format.c io.c channel.c shared.c alloc.c process.c cxx.cpp atexit.cpp timer.c limits.c; do
		name=${file%.*}
		build nop "$file" >"$tmp/log" 2>&1 || cat "$tmp/log"
		check_output "$name under detect" "exit 0 after 1 run; 0 pairs suspected" timeout 300 deadheat detect --runs 1 --store "$tmp/store" "$tmp/$name"
		case $name in limits | timer) continue ;; esac
		check_output "$name under the scheduler" "no failure in 5 schedules" timeout 300 deadheat fuzz --trials 5 --store "$tmp/store" "$tmp/$name"
	done
	build nop rounds.c
	for i in 1 2 3; do
		check_output "a race between two rounds of a barrier (run $i)" "1 pair suspected" timeout 300 deadheat detect --runs 1 --store "$tmp/racy" "$tmp/rounds"
		check_output "and none a round later (run $i)" "0 pairs suspected" timeout 300 deadheat detect --runs 1 --store "$tmp/silent" "$tmp/rounds" silent
	done
fi
done_testing
