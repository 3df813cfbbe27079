# docs/limits.md says what is not seen and what is refused: it must be so, and no worse.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
threads() { # FILE BODY: two threads that execute the body once; x is whether there are arguments
	cat >"$1" <<X
#include <pthread.h>
$3
static int n;
static void *go(void *x) { $2; return 0; }
int main(int argc, char **argv)
{
	pthread_t a, b;
	void *x = argc > 1 ? argv : 0;

	pthread_create(&a, 0, go, x);
	pthread_create(&b, 0, go, x);
	pthread_join(a, 0);
	return pthread_join(b, 0);
}
X
}
hunt() { deadheat hunt --quiet --schedules 0 --store "$@"; }
says() { # text, verdict, store, hunt's words
	text=$1 wanted=$2; shift 2
	check_output "$text" "verdict: $wanted" hunt "$@"
}

threads branch.c 'if (x) n++'
deadheat-cc -g -pthread branch.c -o branch
says "a branch not taken is not seen" clean s1 ./branch
says "taken, it is" racy s1 ./branch x

threads asm.c '__asm__ volatile("incl %0" : "+m"(n))'
deadheat-cc -g -pthread asm.c -o asm
says "inline assembly is not seen in a run" clean s2 ./asm
says "the scan of a hunt claims it" undecided s2b asm.c
threads plain.c 'n++'
says "C is" racy s3 plain.c

threads main.c 'bump()' 'void bump(void);'
printf 'static int n;\nvoid bump(void) { n++; }\n' >lib.c
gcc -g -fPIC -shared lib.c -o libbump.so
deadheat-cc -g -pthread main.c -L. -lbump -Wl,-rpath,'$ORIGIN' -o main
says "a library without instrumentation is not seen" clean s4 ./main
deadheat-cc -g -fPIC -shared lib.c -o libbump.so
says "with it, it is" racy s5 ./main
gcc -g -pthread main.c -L. -lbump -Wl,-rpath,'$ORIGIN' -o outside
says "also when the program itself is not" racy s6 ./outside

threads merged.c 'n = 1; n = 2; n = 3'
stores() { deadheat-cc "$@" -g -pthread merged.c -o merged && objdump -d merged | grep -c 'call.*__tsan_write4'; }
check "three stores are three" [ "$(stores -O2)" = 3 ]
check "with --keep-optimisation they are fewer" [ "$(stores --keep-optimisation -O2)" -lt 3 ]

cat >buffer.c <<'X'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int one, two;
static void *first(void *p)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	one = atomic_load_explicit(&y, memory_order_relaxed);
	return p;
}
static void *second(void *p)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	two = atomic_load_explicit(&x, memory_order_relaxed);
	return p;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, first, 0);
	pthread_create(&b, 0, second, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return one == 0 && two == 0;
}
X
deadheat-cc -g -pthread buffer.c -o buffer
check_output "store buffers are not shown" "no failure in 200 schedules" deadheat fuzz -q --trials 200 --store s7 ./buffer
says "atomics are no pair" clean s8 ./buffer

# ---- refused ---------------------------------------------------------------------------------------
gcc -g -pthread plain.c -o plain
check_status "no instrumentation: detect refuses" 3 deadheat detect --store s9 ./plain
check_output "no instrumentation: what to do" "build it with deadheat-cc" deadheat detect --store s9 ./plain
check_status "hunt takes it as it is" 66 hunt s9 ./plain
gcc -g -fsanitize=thread -pthread plain.c -o tsan
check_status "gcc's ThreadSanitizer build is taken" 66 hunt s10 ./tsan
if clang-19 -g -fsanitize=thread -pthread plain.c -o clang 2>/dev/null; then
	check_status "clang's is not: status 3" 3 hunt s11 ./clang
	check_output "clang's: what to do" "deadheat-cc --with clang" hunt s11 ./clang
fi
check_status "-static: status 2" 2 deadheat-cc -static plain.c -o static
deadheat-cc -g -pthread plain.c -o plain
hunt s12 ./plain >/dev/null 2>&1
id=$(deadheat list --store s12 | cut -d' ' -f1 | head -n 1)
echo '/* another build */ int other;' >>plain.c && deadheat-cc -g -pthread plain.c -o plain
check_status "a schedule of another build: status 3" 3 deadheat replay --store s12 "$id"
check_output "a schedule of another build: what to do" "deadheat confirm" deadheat replay --store s12 "$id"
check_status "a new one can be made" 66 deadheat confirm -q --store s12 "$id"
check_status "and replayed" 0 deadheat replay --store s12 "$id"
check_status "a database server is refused" 3 deadheat list --store postgresql://here/x
done_testing
