#!/bin/sh
# Sync objects of the native runtimes: POSIX's answers under nop and detect, and exactly the
# events the engine is told (the spy). Each program carries what is expected of it.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/runtime.sh"
check "the spy can be built" spy_build
for file in mutex.c rwlock.c spin.c cond.c barrier.c sem.c once.c thread.c c11.c cancel.c strings.c wide.c format.c \
	io.c alloc.c process.c channel.c shared.c print.c; do
	name=${file%.c}
	check "$name builds" build spy "$file"
	check "$name: what the engine hears" events "$file"
	check "$name builds against nop" build nop "$file"
	check "$name: the program's own checks" "$tmp/$name"
done
for file in cxx.cpp; do
	name=${file%.cpp}
	check "$name builds" build spy "$file" -std=c++20
	check "$name: what the engine hears" events "$file"
	check "$name builds against nop" build nop "$file" -std=c++20
	check "$name: the program's own checks" "$tmp/$name"
done
done_testing
