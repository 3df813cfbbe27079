# hunt, fuzz, campaigns and replay --gdb on programs as they are: built by gcc and clang, nothing of ours in them.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
E=$TOP/examples
hunt() { rm -rf store; deadheat hunt --quiet --schedules 0 --trials 30 --store store "$@" >out 2>&1; }
clean() { hunt "$@" && ! grep -Eq 'confirmed|harmful' out || { cat out; return 1; }; }

# Twins: the counter under its lock or atomic, the accounts locked in one order.
cat >count.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct { long pad; int n; } s;
static void *add(void *arg)
{
#ifndef RACY
	pthread_mutex_lock(&m);
#endif
	s.n += 1;
#ifndef RACY
	pthread_mutex_unlock(&m);
#endif
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return s.n != 2;
}
C
sed 's/transfer(&second, &first)/transfer(\&first, \&second)/' "$E/locks.c" >ordered.c
for build in "gcc -O0" "gcc -O2" "clang-19 -O2"; do
	$build -g -pthread -o figure1 "$E/figure1.c" && $build -g -pthread -o refcount "$E/refcount.c" &&
		$build -g -pthread -DRACY -o racy count.c && $build -g -pthread -o locked count.c &&
		sed 's/int n;/_Atomic int n;/' count.c >atomic.c && $build -g -DRACY -pthread -o atomic atomic.c || exit 1
	check_status "$build: hunt finds figure 1's race and shows it" 66 hunt ./figure1
	check_output "$build: it is the one on z" "on z" cat out
	check_output "$build: with its harm" "ended in SIGABRT" cat out
	check_status "$build: the wrong reference count" 66 hunt ./refcount
	check_output "$build: is harmful" "harmful" cat out
	check_status "$build: a counter" 66 hunt ./racy
	check "$build: the counter under its lock is clean" clean ./locked
	check "$build: so is an atomic one" clean ./atomic
done
strip -o stripped racy
check_status "stripped: hunted too" 66 hunt ./stripped
check_output "stripped: told by module and offset" "stripped+0x" cat out

# Locks: hunt knows the cycle, fuzz runs into it.
gcc -O2 -g -pthread -o locks "$E/locks.c" && gcc -O2 -g -pthread -o ordered ordered.c || exit 1
check_status "hunt: a deadlock" 66 hunt ./locks
check_output "hunt: is told" "deadlock: first.lock / second.lock" cat out
check "hunt: one order, no deadlock" clean ./ordered
check_status "fuzz: finds the deadlock" 66 deadheat fuzz -q --store fuzz ./locks
check_output "fuzz: what it can do is said" "is not instrumented: threads switch at sync calls" deadheat fuzz --store fuzz ./locks
check_status "fuzz: nothing with one order" 0 deadheat fuzz -q --store fuzzed ./ordered
for policy in random pct pos surw; do
	check_status "fuzz: $policy" 66 deadheat fuzz -q --trials 500 --policy $policy --store fuzz-$policy ./locks
done
id=$(deadheat list -q --store fuzz | awk '{ print $1; exit }')
check_output "fuzz: and repeats it" "repeated" deadheat replay --store fuzz "$id"

# A campaign, by the command itself and by workers.
hunt ./refcount
check_status "a campaign on the plain program" 66 deadheat confirm -q --campaign night --budget 100 --store store -- ./refcount
check_output "it is done" "night  done" deadheat status --store store
hunt ./racy
check_status "one left to workers" 0 deadheat confirm -q --campaign day --budget 100 --detach --store store -- ./racy
for i in 1 2; do deadheat work -q --jobs 1 --store store & done
wait
check_output "two workers make it" "day  done" deadheat status --store store
check "and the store is whole" deadheat status --check --store store

# With AddressSanitizer: harmful by its own report; what the sanitizer does with its own memory is nobody's race.
cat >uaf.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#ifdef CLEAN
#define LOCK() pthread_mutex_lock(&m)
#define UNLOCK() pthread_mutex_unlock(&m)
#else
#define LOCK() (void)&m
#define UNLOCK() (void)&m
#endif
static long *volatile box;
static void *user(void *arg) { LOCK(); long *p = box; if (p) *p = 1; UNLOCK(); return arg; }
static void *freer(void *arg) { LOCK(); long *p = box; box = NULL; free(p); UNLOCK(); return arg; }
int main(void)
{
	pthread_t a, b;
	box = malloc(sizeof(*box));
	pthread_create(&a, NULL, user, NULL);
	pthread_create(&b, NULL, freer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
C
gcc -O1 -g -fsanitize=address -pthread -o uaf uaf.c && gcc -O1 -g -fsanitize=address -pthread -DCLEAN -o uaf.clean uaf.c || exit 1
rm -rf store; deadheat hunt --quiet --schedules 0 --trials 500 --store store ./uaf >out 2>&1
check_output "AddressSanitizer in it: harmful" "harmful" cat out
check_output "... by its own report" '"sanitizer report"' deadheat report --store store --format json
check_fails "... and no pair of the sanitizer with itself" sh -c 'deadheat list --store store | grep "__asan.* / __asan"'
check "... its twin is silent" clean ./uaf.clean

# gdb stops where both stand, with the program's own frames and variables.
if command -v gdb >/dev/null; then
	gcc -O0 -g -pthread -o victim "$E/figure2.c" || exit 1
	hunt ./victim
	id=$(deadheat list -q --store store | awk '/on x/ { print $1; exit }')
	printf 'thread apply all bt\nprint x\nkill\nquit\n' >commands
	timeout 300 deadheat replay --store store --gdb "$id" -- ./victim <commands >out 2>&1
	check_output "gdb: it stops by SIGTRAP" SIGTRAP cat out
	check_output "gdb: one thread stands in thread1" "thread1 (arg=" cat out
	check_output "gdb: the other in thread2" "thread2 (arg=" cat out
	check_output "gdb: the program's variables can be read" '$1 = 0' cat out
	printf 'continue\nquit\n' >commands
	timeout 300 deadheat replay --store store --gdb "$id" -- ./victim <commands >out 2>&1
	check "gdb: and goes on to the end" grep -Eq 'exited|SIGABRT' out
fi
done_testing
