# What the compilers are told of the access entries (src/cli/kept.awk, preserved.awk): nothing is saved around the
# calls, and what lives in registers over them is as it was, under every runtime.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
LIB=$TOP/build/lib/deadheat

# ---- the code -----------------------------------------------------------------------------------
cat >kernel.c <<'X'
extern "C" double values[64];
extern "C" double kernel(double a, double b, double c, long n, long step);
double values[64];
double kernel(double a, double b, double c, long n, long step)
{
	double sum = 0;
	for (long i = 0; i < n; i += step) {
		values[i] += a * b;
		sum += values[i] * c - a;
	}
	return sum;
}
X
sed 's/extern "C"/extern/' kernel.c >k.c
cp kernel.c k.cc
body() { objdump -dr --no-show-raw-insn --disassemble=kernel "$1"; }
vectors() { body "$1" | grep -c '%xmm.*(%r[bs]p)'; }
pushes() { body "$1" | grep 'push' | grep -vc '%rbp'; }
kept() { [ "$(vectors "$1")" -eq 0 ] && [ "$(pushes "$1")" -le 1 ]; }
calls() { [ "$(body "$1" | grep -c "__tsan_\(read\|write\)8$2")" -ge 2 ]; }
for language in c cc; do
	case $language in c) driver=deadheat-cc plain=gcc ;; cc) driver=deadheat-c++ plain=g++ ;; esac
	check "$plain alone saves doubles and registers around the calls" sh -c "$plain -O2 -fno-tree-vectorize -fsanitize=thread -c k.$language -o plain.o"
	check_fails "$plain: so it does" kept plain.o
	for flags in -O2 '-O1 -fPIC' '-O3 -fno-pie' '-Os -fvisibility=hidden' '-O2 -fno-plt' '--keep-optimisation -O2'; do
		check "$driver gcc $flags: compiles" $driver --with gcc $flags -c k.$language -o gcc.o
		check "$driver gcc $flags: the accesses are called for" calls gcc.o _kept
		check "$driver gcc $flags: nothing is saved" kept gcc.o
	done
	check "$driver clang: compiles" $driver --with clang -O2 -fno-vectorize -c k.$language -o clang.o
	check "$driver clang: nothing is saved" kept clang.o
	check "$driver gcc -O0: compiles, by the plain names" sh -c "$driver --with gcc -O0 -c k.$language -o zero.o && nm zero.o | grep -q '__tsan_read8\$' && ! nm zero.o | grep -q _kept"
done
# Code that counts on its registers must not meet a runtime that spoils them.
check "an object that counts on it" deadheat-cc -O2 -c k.c -o gcc.o
echo 'int main(void) { return 0; }' >main.c
check_fails "does not link with gcc's libtsan" gcc -fsanitize=thread main.c gcc.o -o wrong

# ---- the values ---------------------------------------------------------------------------------
# All integer and vector registers are wanted over the calls; another thread makes conflicts of some.
cat >live.c <<'X'
#include <pthread.h>
#include <stdio.h>
extern long in[64], shared[64];
extern double reals[64];
extern volatile long turn;
long in[64], shared[64];
double reals[64];
volatile long turn;
static __attribute__((noinline)) long whole(long a, long b, long c, long d, long e, long f)
{
	long g = a ^ b, h = c + d, i = e - f, j = a * 3, k = b * 5, l = c * 7, m = d * 11;
	for (int n = 0; n < 64; n++) {
		in[n] += a + h; a += in[n] ^ b; b += shared[n & 7] + i; shared[n & 7] = c + turn; c += d ^ j; d += in[63 - n] * e;
		e += f + k; f ^= g; g += h - l; h += i ^ m; i += j; j -= k; k ^= l; l += m; m += a;
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ m;
}
static __attribute__((noinline)) double real(double a, double b, double c, double d, float e, long double x)
{
	double f = a * 2, g = b * 3, h = c * 4, i = d * 5, j = a + b, k = c + d, l = a - c, m = b - d;
	for (int n = 0; n < 64; n++) {
		reals[n] += a * 0.5 + h; a = reals[n] * 0.25 + b * 0.5; b = c + reals[63 - n] * 0.125; c = d * 0.5 - i; d = e + f * 0.5;
		e = (float)(g * 0.25); f = h - j * 0.5; g = i * 0.5 + k; h = j * 0.25; i = k - l * 0.5; j = l * 0.5; k = m * 0.5;
		l = a * 0.125; m = b * 0.125; x += reals[n] * 0.5L;
	}
	return a + b + c + d + e + f + g + h + i + j + k + l + m + (double)x;
}
static long w;
static double r;
static void all(int rounds)
{
	for (int n = 0; n < rounds; n++) {
		w += whole(n, n + 1, n + 2, n + 3, n + 4, n + 5);
		r += real(n, n + 0.5, n + 1, n + 1.5, (float)n, n);
	}
}
static void *other(void *nothing) { all(10); return nothing; }
int main(void)
{
	pthread_t id;
	all(10);
	if (pthread_create(&id, NULL, other, NULL)) return 2;
	pthread_join(id, NULL);
	all(10);
	printf("%ld %.17g\n", w, r);
	return 0;
}
X
cp live.c live.cc
# The same code, compiled for the runtimes and not: the plain one without the instrumentation is what is right.
runs_right() { # program
	check_output "$1: nop" "$wanted" timeout 120 "./$1"
	check_output "$1: detect" "$wanted" timeout 120 deadheat detect --quiet --runs 1 --fail-on never --store store -- "./$1"
	check_output "$1: detect, not patched" "$wanted" timeout 120 deadheat detect --no-patch --quiet --runs 1 --fail-on never --store store -- "./$1"
	check_output "$1: sched" "$wanted" timeout 120 env LD_LIBRARY_PATH="$LIB/sched" "./$1"
	deadheat fuzz --quiet --trials 2 --show-output --store store -- "./$1" >fuzz 2>&1
	check "$1: fuzz" test "$(grep -cF -- "$wanted" fuzz)" -ge 2
}
gcc -O0 -ffp-contract=off -pthread live.c -o live
wanted=$(./live)
check "the plain program says something" test -n "$wanted"
for with in gcc clang; do
	check "$with: C" deadheat-cc --with $with -O2 -ffp-contract=off -pthread live.c -o "c-$with"
	runs_right "c-$with"
	check "$with: C++" deadheat-c++ --with $with -O2 -ffp-contract=off -pthread live.cc -o "cxx-$with"
	runs_right "cxx-$with"
done
# The loader's lazy binding spoils r10 and r11.
check "gcc: in a shared library" deadheat-cc -O2 -ffp-contract=off -fPIC -shared -Dmain=start -pthread live.c -o libstart.so -Wl,-z,lazy
echo 'int start(void); int main(void) { return start(); }' >main.c
check "gcc: bound lazily" deadheat-cc -O2 main.c ./libstart.so -o lazy -Wl,-z,lazy
runs_right lazy

# ---- out of the user's way ----------------------------------------------------------------------
cat >part.c <<'X'
#include <stddef.h>
extern int n;
void part(void);
int n;
void part(void) { n++; }
X
check_fails "-E shows nothing of ours" sh -c "deadheat-cc -O2 -E part.c | grep -i deadheat-kept"
check_fails "-M names nothing of ours" sh -c "deadheat-cc -O2 -M part.c | grep -i deadheat-kept"
check_fails "-MMD neither" sh -c "deadheat-cc -O2 -MMD -MF part.d -c part.c -o part.o && grep -i deadheat-kept part.d"
check "-MD names a file that is there" sh -c "deadheat-cc -O2 -MD -MF part.d -c part.c -o part.o && echo 'part.o:' >Makefile && cat part.d >>Makefile && make -q -r -o part.c part.o"
check "every warning at once" deadheat-cc -O2 -std=c99 -Wall -Wextra -pedantic -Wmissing-prototypes -Wstrict-prototypes -Wunused -Wsystem-headers -Werror -c part.c -o part.o
echo 'int pre;' >pre.h
check "a precompiled header on the line is used" sh -c "deadheat-cc -O2 pre.h && rm pre.h && deadheat-cc -O2 -Winvalid-pch -Werror -include pre.h -c part.c -o part.o"
echo 'int pre;' >pre.h
echo '#include "pre.h"' >user.c
check "... and one in the source does no harm" deadheat-cc -O2 -Winvalid-pch -Werror -c user.c
printf '#define NAME thing\n.globl NAME\nNAME: ret\n' >a.S
check "preprocessed assembler beside C" deadheat-cc -O2 -c a.S part.c
check "-save-temps" sh -c "mkdir temps && cd temps && deadheat-cc -O2 -save-temps -c ../k.c -o k.o && nm k.o | grep -q __tsan_read8_kept"
for flags in -mgeneral-regs-only -masm=intel -pg -finstrument-functions -fstack-protector-all -fprofile-arcs -mcmodel=large -mcmodel=medium -fcf-protection \
	-fno-toplevel-reorder -fwhole-program -ffunction-sections -fsplit-stack -std=c89 -fzero-call-used-regs=all; do
	check "$flags" deadheat-cc -O2 $flags -c part.c -o part.o
done
done_testing
