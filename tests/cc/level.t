# Optimisation levels and hidden accesses: what is in the source must reach the runtime.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cat >a.c <<'X'
#include <string.h>
char block[64], other[64];
volatile int flag;
int n;
void copy(void) { memcpy(block, other, 24); }
void fill(void) { memset(block, 0, 24); }
void text(void) { strcpy(block, "hello"); }
void inc(void) { n++; }
void spin(void) { while (!flag) ; }
X
calls() { objdump -dr --disassemble="$2" "$1" | grep -q "$3"; }
for with in gcc clang; do
	for level in '' -O0 -O1 -O2 -O3 -Os; do
		check "$with $level: compiles" deadheat-cc --with $with $level -c a.c -o a.o
		check "$with $level: memcpy of a known size" calls a.o copy 'memcpy'
		check "$with $level: memset of a known size" calls a.o fill 'memset'
		check "$with $level: x++ reads" calls a.o inc '__tsan_read4'
		check "$with $level: x++ writes" calls a.o inc '__tsan_write4'
		check "$with $level: volatile is told apart" calls a.o spin '__tsan_volatile_read4'
		check_fails "$with $level: no function entries" calls a.o inc '__tsan_func_entry'
	done
done
for level in '' -O0 -O2; do
	check "gcc $level: strcpy of a literal" sh -c "deadheat-cc $level -c a.c -o a.o && objdump -dr --disassemble=text a.o | grep -q strcpy"
done
producer() { readelf --debug-dump=info a.o | grep DW_AT_producer; }
has_level() { deadheat-cc "$@" -c a.c -o a.o && producer | grep -q -- "$wanted"; }
wanted=' -O2' check "gcc: -O2 stays" has_level -O2
wanted=' -O1' check "gcc: -O1 stays" has_level -O1
wanted=' -Og' check "gcc: none becomes -Og" has_level
wanted=' -O0' check "gcc: -O0 stays" has_level -O0
wanted=' -O3' check "gcc: --keep-optimisation" has_level -O3 --keep-optimisation
cat >fence.c <<'X'
#include <stdatomic.h>
int warn(int x) { int y; if (x) y = 1; atomic_thread_fence(memory_order_seq_cst); if (x) return y; return 0; }
X
for with in gcc clang; do
	check "$with: -Wall -Werror does not meet our warnings" deadheat-cc --with $with -O2 -Wall -Wextra -Werror -c fence.c
done
done_testing
