# The turns of rt/sched: every program ends or is judged under every policy; spins are fair;
# deadlocks, real and candidate; ends; verification conventions; the same seed, the same steps.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
for p in abba asmspin depth2 ends hidden plainspin self spins thousand verifier; do
	deadheat-cc -g -pthread -o $p "$TOP/tests/turns/$p.c" || exit 1
done
fuzz() { rm -rf store; deadheat fuzz --quiet --store store "$@" 2>&1; }
json() { deadheat report --store store --format json; }
line() { grep -n "@$2 \*/" "$TOP/tests/turns/$1.c" | head -n 1 | cut -d: -f1; }

for policy in random pct pos surw; do
	for kind in atomic volatile lock yield sleep exchange clock trylock; do
		check_status "$policy: a spin over $kind ends" 0 fuzz -p $policy -t 30 -- ./spins $kind
	done
	check_status "$policy: a thousand threads" 0 fuzz -p $policy -t 2 -- ./thousand
done

# Theory: PCT at least 1 in n*k (11 threads, about 95 steps), that is 1,045 trials expected at
# worst; the others far fewer. Three times that leaves a chance of 5 % at most of missing it,
# and seeds are fixed.
for policy in pct pos surw random; do
	check_status "$policy finds a bug of depth 2 among 10 threads" 66 fuzz -p $policy -d 2 -t 3000 -- ./depth2
done

# One thread is held back before `cold` while the other waits for it: it must be let go.
site=spins.c:$(line spins C)
for kind in atomic volatile lock yield sleep exchange clock trylock; do
	rm -rf store
	check_output "held back while others spin over $kind: let go" "hit in 0 of 20 trials" \
		deadheat confirm --store store -t 20 "$site,$site" -- ./spins $kind
	check_fails "... and no trial hangs" sh -c "deadheat report --store store --format json | grep -E 'hang|deadlock\"'"
done

check_status "a mutex locked twice by its owner" 66 fuzz -t 50 -- ./self
check_output "... is a deadlock" '"deadlocks": [
' json
rm -rf store
check_status "a lock cycle that random schedules miss" 66 deadheat hunt --quiet --store store ./abba
check_output "... is shown" '"rung": "harmful"' json

check_status "a plain loop is heard once detect has seen its accesses" 66 deadheat hunt --quiet --store store ./plainspin
check_fails "... and no trial hangs" sh -c "deadheat report --store store --format json | grep -E '\"(hang|watchdog)\"'"
check_status "without that its turn is taken, or the clock ends the trial: neither proves anything" 0 \
	fuzz -x -t 8 --timeout 300ms -- ./plainspin

# A lock in inline assembly: who spins for it gives the turn away, and the trial ends as the program does.
a=asmspin.c:$(line asmspin A) b=asmspin.c:$(line asmspin B)
confirm() { rm -rf store; deadheat confirm --quiet --no-shrink --timeout 60s --store store -t 3 "$@" -- ./asmspin; }
check_output "under a lock of inline assembly: never met" "hit in 0 of 3 trials" confirm "$a,$a"
check_fails "... and no trial is ended by the clock" sh -c "deadheat report --store store --format json | grep -E '\"(hang|watchdog)\"'"
check_output "beside it: met" "confirmed" confirm "$b,$b"

# OpenMP, where the compiler has it: barriers inside a library nobody watches.
confirm() { rm -rf store; deadheat confirm --quiet --no-shrink --store store -t 3 "$@" -- ./openmp; }
if deadheat-cc -g -fopenmp -o openmp "$TOP/tests/turns/openmp.c" 2>/dev/null; then
	a=openmp.c:$(line openmp A) b=openmp.c:$(line openmp B) c=openmp.c:$(line openmp C)
	check_output "OpenMP: ordered by its barrier: never met" "hit in 0 of 3 trials" confirm "$a,$b"
	check_output "OpenMP: after it: met" "confirmed" confirm "$c,$c"
	ids() { for pair in "$a,$b" "$c,$c"; do confirm -t 1 "$pair" | cut -c1-16; done | sort | uniq -d; }
	check "OpenMP: pairs of one region are told apart" [ -z "$(ids)" ]
fi

check_status "who sleeps with the turn in a call nobody sees loses it" 0 fuzz -t 10 --timeout 120s -- ./hidden

for kind in return pthread_exit _exit thread-exit; do
	check_status "end by $kind with others alive" 0 fuzz -t 50 -- ./ends $kind
done
check_status "an assertion fails in every run: that is how the program ends" 0 fuzz -t 20 -- ./ends assert
check_status "a signal likewise" 0 fuzz -t 20 -- ./ends signal

check_status "atomic sections are not seen half done" 0 fuzz -t 300 -- ./verifier
check_status "... nor are functions named so" 0 fuzz -t 300 -- ./verifier function
check_status "without them the error is reached" 66 fuzz -t 300 -- ./verifier broken
check_status "a failed assumption is no failure" 0 fuzz -t 100 -- ./verifier assume
check_status "... nor is the program's own" 0 fuzz -t 100 -- ./verifier own-assume
check_status "nondeterministic values reach the error" 66 fuzz -t 300 -- ./verifier error
check_status "... also when the run without us and the first trial reach it before there is a thread" 66 fuzz --seed 4 -t 300 -- ./verifier error
done_testing
