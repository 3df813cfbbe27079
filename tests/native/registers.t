#!/bin/sh
# Every access entry gives all registers back, under every runtime, patched and not; also when the
# program was linked for lazy binding. Objects of a plain compiler work beside such code.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/runtime.sh"
good="all registers as before"
for binding in now lazy; do
	gcc -g -O1 -I"$TOP/src" -o "$tmp/registers-$binding" "$NATIVE/registers.c" -Wl,-z,$binding -Wl,--no-as-needed \
		-L"$(library nop)" -ldeadheat_rt -Wl,-rpath,"$(library nop)" -lpthread 2>"$tmp/err"
	check "registers builds, bound $binding" test -x "$tmp/registers-$binding"
	program=$tmp/registers-$binding
	check_output "$binding: nop" "$good" timeout 300 "$program"
	check_output "$binding: detect" "$good" timeout 300 deadheat detect --quiet --runs 1 --store "$tmp/d" --fail-on never -- "$program"
	check_output "$binding: detect without patching" "$good" timeout 300 deadheat detect --no-patch --quiet --runs 1 --store "$tmp/n" --fail-on never -- "$program"
	check_output "$binding: explore" "$good" timeout 300 deadheat detect --schedule random --quiet --runs 1 --store "$tmp/e" --fail-on never -- "$program"
	check_output "$binding: sched" "$good" timeout 300 env LD_LIBRARY_PATH="$(library sched)" "$program"
	deadheat fuzz --quiet --trials 4 --show-output --store "$tmp/f" -- "$program" >"$tmp/fuzz" 2>&1
	check "$binding: fuzz, all trials" test "$(grep -c "$good" "$tmp/fuzz")" -ge 4
	check_fails "$binding: fuzz spoils nothing" grep spoil "$tmp/fuzz"
done

# Calls are taken away while other threads run through them, wherever they lie.
gcc -g -O1 -o "$tmp/aligned" "$NATIVE/aligned.c" -Wl,--no-as-needed -L"$(library nop)" -ldeadheat_rt -Wl,-rpath,"$(library nop)" -lpthread 2>"$tmp/err"
check_output "no call is left, wherever it lies" "0 are still calls, 0 visits came back wrong" timeout 300 "$tmp/aligned"
check_output "unless one may not patch" "32 are still calls, 0 visits came back wrong" \
	timeout 300 deadheat detect --no-patch --quiet --runs 1 --store "$tmp/a" --fail-on never -- "$tmp/aligned"

# Code that counts on it, between code of plain compilers that does not.
cat >"$tmp/sum.c" <<'C'
#include <stdio.h>
#include <string.h>
int other(int *a, int n);
double values[64];
int main(void)
{
	double a = 1, b = 2, c = 3, sum = 0;
	int ints[64] = { 0 };
	for (int round = 0; round < 50; round++)
		for (int i = 0; i < 64; i++) {
			values[i] += a * i + b;
			sum += values[i] * c - a;
			ints[i] += i;
			a += 0.5;
		}
	printf("%.3f %d\n", sum, other(ints, 64));
	return 0;
}
C
cat >"$tmp/other.c" <<'C'
int other(int *a, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) sum += a[i] * (n - i);
	return sum;
}
C
wanted=$(clang-19 -O2 -o "$tmp/plain" "$tmp/sum.c" "$tmp/other.c" && "$tmp/plain")
for compiler in clang-19 gcc; do
	check "deadheat-cc compiles" deadheat-cc --with clang -O2 -c -o "$tmp/sum.o" "$tmp/sum.c"
	check "$compiler compiles" $compiler -O2 -fsanitize=thread -c -o "$tmp/other.o" "$tmp/other.c"
	check "deadheat-cc links both" deadheat-cc --with clang -o "$tmp/mixed" "$tmp/sum.o" "$tmp/other.o"
	check_output "with an object of $compiler: nop" "$wanted" timeout 300 "$tmp/mixed"
	check_output "with an object of $compiler: detect" "$wanted" timeout 300 deadheat detect --quiet --runs 1 --store "$tmp/m" -- "$tmp/mixed"
done
cat >"$tmp/kernel.c" <<'C'
double values[64];
double kernel(double a, double b, double c, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++) {
		values[i] += a * i + b;
		sum += values[i] * c - a;
	}
	return sum;
}
C
# The promise is in the code: doubles stay in their registers over the calls, which they cannot otherwise.
saved() { objdump -d --no-show-raw-insn "$1" | grep -c '%xmm.*(%r[bs]p)'; }
check "deadheat-cc compiles doubles" deadheat-cc --with clang -O2 -fno-vectorize -c -o "$tmp/ours.o" "$tmp/kernel.c"
check "so does clang" clang-19 -O2 -fno-vectorize -fsanitize=thread -c -o "$tmp/plain.o" "$tmp/kernel.c"
check "clang saves them" test "$(saved "$tmp/plain.o")" -ge 4
check "deadheat-cc does not" test "$(saved "$tmp/ours.o")" -eq 0
done_testing
