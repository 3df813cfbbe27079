# include/deadheat.h: usable in C and C++ of any age, no-ops without the runtime, heard with it.
. "$(dirname "$0")/../tap.sh"
PROBE=$TOP/tests/house/probe
cat >"$tmp/all.c" <<'C'
#include <deadheat.h>
int lock;
int main(void)
{
	DEADHEAT_STOP();
	DEADHEAT_START();
	DEADHEAT_LOCK_BEFORE(&lock, 1);
	DEADHEAT_LOCK_ACQUIRED(&lock, 1);
	DEADHEAT_LOCK_RELEASED(&lock, 1);
	DEADHEAT_LOCK_DESTROY(&lock);
	DEADHEAT_ALLOC(&lock, sizeof(lock));
	DEADHEAT_FREE(&lock, sizeof(lock));
	DEADHEAT_SEND(&lock);
	DEADHEAT_RECEIVE(&lock);
	DEADHEAT_IGNORE_BEGIN();
	DEADHEAT_IGNORE_END();
	DEADHEAT_BENIGN(&lock, sizeof(lock), "why not");
	return 0;
}
C
cp "$tmp/all.c" "$tmp/all.cpp"
plain() { "$@" -Wall -Wextra -Werror -pedantic -I"$TOP/include" -o "$tmp/all" && "$tmp/all"; }
for compiler in gcc clang-19; do
	for standard in c89 c99 c17; do
		check "$compiler -std=$standard, no runtime" plain $compiler -std=$standard "$tmp/all.c"
		check "$compiler -std=$standard -O2 -no-pie, no runtime" plain $compiler -std=$standard -O2 -no-pie "$tmp/all.c"
	done
done
for compiler in g++ clang++-19; do
	for standard in c++98 c++17 c++20; do
		check "$compiler -std=$standard, no runtime" plain $compiler -std=$standard "$tmp/all.cpp"
	done
done
check "switched off by DEADHEAT_DISABLE" plain gcc -DDEADHEAT_DISABLE "$tmp/all.c"
check "nothing is left of it then" sh -c "gcc -DDEADHEAT_DISABLE -I'$TOP/include' -c -o '$tmp/all.o' '$tmp/all.c' && ! nm '$tmp/all.o' | grep -q deadheat"
check "with the runtime" sh -c "deadheat-cc -I'$TOP/include' -o '$tmp/all' '$tmp/all.c' && '$tmp/all'"

# Each note keeps the detector silent about a counter that is really protected; its twin without
# the note is found. Neither may change what the program does.
detect() { deadheat detect -q --runs 2 --fail-on suspected --store "$tmp/store.$1.$2" -- "$tmp/notes.$1" "$2"; }
for compiler in gcc clang; do
	deadheat-cc --with $compiler -I"$TOP/include" -o "$tmp/notes.$compiler" "$PROBE/notes.c" -lpthread || exit 1
	for what in lock tsan annotate ignore benign stop handover; do
		check_status "$compiler: silent with the note: $what" 0 detect $compiler $what
	done
	for what in nothing reader dropped; do
		check_status "$compiler: found without it: $what" 66 detect $compiler $what
	done
	check_output "$compiler: the program runs as ever" 200 detect $compiler lock
done
# tsan's fibers: a switch orders what they do, unless it is said not to.
deadheat-cc -o "$tmp/notes.fibers" "$PROBE/fibers.c" || exit 1
check_status "fibers in turn are ordered" 0 detect fibers ordered
check_status "fibers that say they are not are found" 66 detect fibers unordered
done_testing
