# Confirming on programs as they are: gcc and clang, -O0 and -O2, without any instrumentation.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
line() { grep -n "/\* $2[: ]" "$1" | head -n 1 | cut -d: -f1; }
pair() { echo "$(basename "$1"):$(line "$1" "$2"),$(basename "$1"):$(line "$1" "$3")"; }
confirm() { rm -rf store; deadheat confirm --quiet --store store "$@" >out 2>&1; cat out; }
never() { # no line of the output is above claimed
	confirm "$@"
	grep -q 'hit in 0 of' out && ! grep -Eq 'confirmed|harmful' out
}
E=$TOP/examples

# Two threads add to one counter; at -O2 it is one instruction, which a machine of two cores
# still executes as a read and a write.
cat >count.c <<'X'
#include <pthread.h>
#include <stdlib.h>
static struct { long pad; int n; } s;
static void *add(void *arg)
{
	s.n += 1; /* 1: add */
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (s.n != 2)
		abort();
	return 0;
}
X
# Its twins: under a lock; atomic by a locked instruction; atomic stores and loads that are ordinary moves.
sed 's/s\.n += 1; /pthread_mutex_lock(\&m); s.n += 1; pthread_mutex_unlock(\&m); /; s/^static struct/static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n&/' count.c >locked.c
sed 's/int n;/_Atomic int n;/' count.c >atomic.c
cat >moves.c <<'X'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct shared { long pad; atomic_int ready; };
static struct shared *s;
static void *set(void *arg)
{
	atomic_store_explicit(&s->ready, 1, memory_order_release); /* 1: store */
	return arg;
}
static void *get(void *arg)
{
	if (s->ready == 7) /* 2: load */
		abort();
	return arg;
}
int main(void)
{
	pthread_t a, b;
	s = calloc(1, sizeof(*s));
	pthread_create(&a, NULL, set, NULL);
	pthread_create(&b, NULL, get, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
X
for build in "gcc -O0" "gcc -O2" "clang-19 -O0" "clang-19 -O2"; do
	$build -g -pthread -o figure1 "$E/figure1.c" && $build -g -pthread -o figure2 "$E/figure2.c" || exit 1
	check_output "$build: figure 1, z is hit in every trial" "hit in 40 of 40 trials" \
		confirm --exhaust --trials 40 "$(pair "$E/figure1.c" 5 7)" -- ./figure1
	check_output "$build: and is harmful" harmful cat out
	[ "$build" = "clang-19 -O2" ] || # which removes 10: y and x are then read at once
		check "$build: figure 1, x never meets" never --trials 100 "$(pair "$E/figure1.c" 1 10)" -- ./figure1
	check_output "$build: figure 2 meets after 1000 statements" "hit in 40 of 40 trials" \
		confirm --exhaust --trials 40 "$(pair "$E/figure2.c" 8 10)" -- ./figure2 1000
	for p in count locked atomic moves; do $build -g -pthread -o $p $p.c || exit 1; done
	check_output "$build: counter: a lost update is shown" harmful confirm "$(pair count.c 1 1)" -- ./count
	id=$(awk '/harmful/ { print $1; exit }' out)
	check_output "$build: and is repeated, step by step" "steps all the same" \
		deadheat replay --verify --store store "$id" -- ./count
	check "$build: under a lock it never meets" never --trials 30 "$(pair locked.c 1 1)" -- ./locked
	check "$build: atomics never race" never --trials 30 "$(pair atomic.c 1 1)" -- ./atomic
	check "$build: nor do atomic moves" never --trials 30 "$(pair moves.c 1 2)" -- ./moves
done

# One id for the instrumented and the plain build, and the candidates of one are confirmed on the other.
deadheat-cc -g -pthread -o instrumented "$E/refcount.c" && gcc -O2 -g -pthread -o plain "$E/refcount.c" || exit 1
rm -rf both; deadheat detect --quiet --store both ./instrumented >/dev/null 2>&1
ids() { deadheat report --store "$1" --format json | grep -o '"id": "[0-9a-f]*", "rung": "[a-z]*"' | sort; }
ids both | cut -d'"' -f4 >before
deadheat confirm --quiet --store both $(cat before) -- ./plain >out 2>&1
check_output "what detect suspected is confirmed on the plain build" harmful cat out
check "under the ids it had" sh -c "awk '/harmful/ { print \$1 }' out | sort >h; [ -s h ] && ! comm -13 before h | grep ."

# A library that is loaded later, the program's own SIGTRAP and its own int3, a forked child.
cat >plugin.c <<'X'
int shared;
void *run(void *arg) { shared = arg ? 1 : 2; /* 1: write */ return arg; }
X
cat >host.c <<'X'
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int traps;
static void on_trap(int sig) { traps++; }
int main(void)
{
	pthread_t a, b;
	sigset_t all;
	int status;
	signal(SIGTRAP, on_trap);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	void *(*run)(void *) = dlsym(dlopen("./plugin.so", RTLD_NOW), "run");
	pthread_create(&a, NULL, run, &a);
	pthread_create(&b, NULL, run, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (!fork()) {
		run(NULL);
		_exit(3);
	}
	wait(&status);
	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
	__asm__ volatile("int3");
	return WEXITSTATUS(status) == 3 && traps == 1 ? 0 : 9;
}
X
deadheat-cc -g -fPIC -shared -o plugin.so plugin.c && deadheat-cc -g -pthread -o host host.c -ldl || exit 1
rm -rf store; deadheat detect --quiet --store store ./host >/dev/null 2>&1
gcc -O2 -g -fPIC -shared -o plugin.so plugin.c && gcc -O2 -g -pthread -o host host.c -ldl || exit 1
deadheat confirm --quiet --exhaust --trials 20 --store store -- ./host >out 2>&1
check_output "a plugin loaded later is patched when it comes" "hit in 20 of 20 trials" cat out
check_output "the program's own traps and its child are not disturbed" '"exit 0": 20' deadheat report --store store --format json

# A program with AddressSanitizer: its own report is the outcome.
cat >freed.c <<'X'
#include <pthread.h>
#include <stdlib.h>
struct object { int done, value; };
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static void *use(void *arg)
{
	struct object *o = arg;
	o->done = 1; /* 1: says so too early */
	pthread_mutex_lock(&log_lock);
	pthread_mutex_unlock(&log_lock);
	o->value = 1;
	return NULL;
}
int main(void)
{
	pthread_t t;
	struct object *o = calloc(1, sizeof(*o));
	pthread_create(&t, NULL, use, o);
	if (o->done) /* 2: looks */
		free(o);
	pthread_join(t, NULL);
	return 0;
}
X
for build in "gcc -O0" "clang-19 -O0"; do
	$build -fsanitize=address -g -pthread -o freed freed.c || exit 1
	check_output "$build, ASan: harmful" harmful confirm "$(pair freed.c 1 2)" -- ./freed
	check_output "$build, ASan: by its own report" '"sanitizer report"' deadheat report --store store --format json
done
check_output "a line without an access is told" "no access at count.c:2" confirm count.c:2,count.c:6 -- ./count
check_status "with status 2" 2 deadheat confirm --store store count.c:2,count.c:6 -- ./count
done_testing
