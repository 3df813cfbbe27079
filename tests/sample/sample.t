# deadheat sample on programs nobody built for us: finds what is planted, stays silent on what is
# clean, gives the ids detect gives, and leaves every kind of program as it was.
. "$(dirname "$0")/../tap.sh"
HERE=$TOP/tests/sample
times=${LONG:+200}
cd "$tmp" || exit 1
gcc -O2 -g -pthread -o server "$TOP/tests/production/server.c" || exit 1
gcc -O2 -g -pthread -I"$TOP/include" -o clean "$HERE/clean.c" || exit 1
sample() { deadheat sample --store "$store" "$@"; }

# ---- planted: sampling is chance, so several runs go into one store until all are there ----
store=planted
wanted="stat_count session_get log_append config_get"
all_found() { deadheat list --store planted >list 2>/dev/null; for w in $wanted; do grep -q "$w" list || return 1; done; }
suspects() { for i in $(seq 150); do sample -q --seed $i -- ./server --requests 8000000 >/dev/null && all_found && return 0; done; cat list; return 1; }
check "the hot planted races are suspected" suspects
check "as suspected, not as races" sh -c '! grep -v suspected list'
check "nothing else of the server is" sh -c "! grep -vE 'stat_count|session_(get|put)|log_append|config_get' list"
check_output "who found it is kept" '"sample"' deadheat report --store planted --format json
# ... and shown on the very same binary: one pair of each.
one_of_each() { for w in "on requests_served" "session_get / session_" "on events.position" "on config"; do grep "$w" list | awk '{ print $1; exit }'; done; }
shown() { deadheat confirm -q --trials 10 --no-shrink --store planted $(one_of_each) -- ./server --requests 400 >shown 2>&1; cat shown; [ "$(grep -E ' (confirmed|harmful) ' shown | grep -oE '(stat_count|session_get|log_append|config_get) /' | sort -u | wc -l)" = 4 ]; }
check "each of the four is confirmed on the same binary" shown

# ---- clean ----
silent() { sample -q --fail-on suspected -- "$@" >out 2>err && [ ! -s err ]; }
for what in atomics handover churn readers semaphore barrier threads c11; do
	store=clean-$what
	check "silent: $what" silent ./clean $what ${times:-3}
done
store=clean-server
check "silent: the server under its lock" silent ./server --requests ${LONG:+200}4000000 --clean

# ---- the same id as detect's ----
cat >id.c <<'C'
#include <pthread.h>
long hits, pad[64];
static void *work(void *x)
{
	for (long i = 0; i < 30000000; i++)
		hits++, pad[i % 8 + 8 * (long)x] += i;
	return x;
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
C
gcc -O1 -g -fno-tree-loop-im -pthread id.c -o id.plain && sed 's/30000000/30000/' id.c >d.c && mv d.c id.c && deadheat-cc id.c -o id.instrumented || exit 1
deadheat detect -q --store ids ./id.instrumented | awk '/ hits /{print $1}' | sort >ids.detect
store=ids-sample
seen() { sample -q -- ./id.plain | awk '/ hits /{print $1}' | sort -u >ids.sample; [ -s ids.sample ]; }
again() { for i in $(seq 150); do seen && return 0; done; return 1; }
check "a plain build shows it" again
check "with the ids of the instrumented build" sh -c '[ -s ids.detect ] && ! comm -23 ids.sample ids.detect | grep .'

# ---- without debug information ----
strip -o stripped server
store=of-stripped
found_stripped() { for i in $(seq 150); do sample -q -- ./stripped --requests 8000000 --races counter 2>/dev/null | grep suspected | grep -q 'stripped+0x' && return 0; done; return 1; }
check "stripped: module and offset instead of lines" found_stripped

# ---- start, stop, logs ----
store=window
check_output "stopped: nothing is looked at" " 0 samples" sample --stopped -- ./server --requests 4000000
cat >start.c <<'C'
#include <deadheat.h>
int main(void) { DEADHEAT_START(); for (volatile long i = 0; i < 300000000; i++); DEADHEAT_STOP(); for (volatile long i = 0; i < 300000000; i++); return 0; }
C
gcc -O1 -I"$TOP/include" start.c -o start || exit 1
started() { sample --stopped -- ./start 2>err; ! grep -q ' 0 samples' err; }
check "deadheat_start() starts" started
# A toggle is a signal the program did not ask for: no wait of its is cut short.
cat >waiter.c <<'C'
#include <errno.h>
#include <poll.h>
#include <stdio.h>
int main(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	int cut = 0;
	puts("ready");
	fflush(stdout);
	while (poll(&in, 1, -1) < 0 && errno == EINTR)
		cut++;
	printf("%d cut short\n", cut);
	return 0;
}
C
gcc -O1 -o waiter waiter.c || exit 1
mkfifo hold; deadheat sample -q --store window --stopped --toggle USR2 -- ./waiter <hold >waited 2>&1 & host=$!
exec 5>hold
until_true() { for _ in $(seq 600); do "$@" && return 0; sleep 0.1; done; return 1; }
until_true grep -q ready waited
waiter=$(cat /proc/$host/task/*/children | tr ' ' '\n' | while read -r p; do [ "$(cat "/proc/$p/comm")" = waiter ] && echo "$p"; done)
waits() { grep -q '^State:.S' "/proc/$waiter/status"; }
for _ in 1 2 3 4 5; do until_true waits; kill -USR2 "$waiter"; done
until_true waits
exec 5>&-; wait $host
check_output "a toggle cuts no wait short" "0 cut short" cat waited
check "a log is kept" sample -q --log log -- ./server --requests 4000000
check_output "and can be read on another day" "log: read;" sample --from log
same_numbers() { sample --from log 2>a >/dev/null; sample --from log 2>b >/dev/null; cmp a b; }
check "always with the same result" same_numbers
head -c 20000 log >cut
check_output "a log cut off is good up to there" "ends in the middle" sample --from cut
# On a machine that has not the program, or another build of it, this is said; with the right one it is read.
mkdir there; gcc -O2 -g -pthread -o there/server "$TOP/tests/production/server.c" || exit 1
sample -q --log there.log -- there/server --requests 8000000 >/dev/null
mv there/server there/kept
check_output "the program is not there: it is said" "samples in $tmp/there/server cannot be read" sample --from there.log
gcc -O1 -g -pthread -o there/server "$TOP/tests/production/server.c" || exit 1
check_output "another build of it: the same" "samples in $tmp/there/server cannot be read" sample --from there.log
mv there/kept there/server
check_fails "the right one: it is read" sh -c 'deadheat sample --store window --from there.log 2>&1 | grep "cannot be read"'
# Whatever is in it: bytes turned over here and there, an answer each time.
size=$(wc -c <log)
survives() {
	for i in $(seq 24); do
		cp log bad
		for j in 1 2 3 4 5 6 7 8; do
			printf "\\$(printf %o $((i * 37 % 256)))" | dd of=bad bs=1 seek=$((16 + (i * 7919 + j * 104729) % (size - 16))) conv=notrunc 2>/dev/null
		done
		timeout 60 deadheat sample -q --store bad.s --from bad >/dev/null 2>&1
		[ $? -lt 66 ] || { echo "corruption $i: status"; return 1; }
	done
}
check "a log with bytes turned over is read or refused" survives
printf 'not a log at all, this' >text
check_status "what is no log is refused" 2 sample --from text
check_output "in words" "text is not a log of deadheat sample" sample --from text

# ---- any program: it ends as it would have ----
store=any
same() { "$@" >want 2>&1; w=$?; sample -q -- "$@" >got 2>&1; [ $? = 0 ] && cmp want got; }
check "more than 1,000 threads" sh -c "gcc -O1 -pthread -o threads '$HERE/threads.c'"
check_output "they all ran" "1500 threads" sample -q -- ./threads
check_output "fork-heavy" "200 children" sample -q -- ./threads fork
check_output "exec" "1500 threads" sample -q -- sh -c 'true; exec ./threads'
check_output "seccomp: it lives, and it is said" "sandbox (seccomp)" sample -- ./threads seccomp
check_output "seccomp by syscall()" "lived" sample -q -- ./threads seccomp-raw
check_output "dlopen and dlclose" "opened 100 times" sample -q -- ./threads dlopen
check_output "its own SIGTRAP" "trapped 100" sample -q -- ./threads trap
check_output "all signals blocked" "blocked done" sample -q -- ./threads blocked
check_output "waits are not cut short" "0 cut short" sample -q -- ./threads waits
check_output "a preloaded allocator below us" "done" env LD_PRELOAD= sh -c "deadheat sample -q --store any -- ./clean churn && echo done"
gcc -O1 -g -fsanitize=address -pthread -o asan "$TOP/tests/production/server.c" &&
	check_output "AddressSanitizer in it" "served 400000" sample -q -- ./asan --requests 400000 --races counter
check "what a shell pipeline says" same sh -c 'seq 1000 | sort -n | tail -1'

# ---- refused, in one line ----
one_line() { "$@" >o 2>&1; [ "$(wc -l <o)" = 1 ] || { cat o; return 1; }; }
refused() { check_status "$1: status $2" "$2" deadheat sample --store none $4; check_output "$1: says so" "$3" deadheat sample --store none $4; check "$1: in one line" one_line deadheat sample --store none $4; }
gcc -static -O1 -pthread -o static "$HERE/threads.c" 2>/dev/null
printf '\177ELF\001\001\001\000\000\000\000\000\000\000\000\000\002\000\003\000\001\000\000\000' >elf32
head -c 200 /dev/zero >>elf32; chmod +x elf32
refused "static" 3 "statically linked" ./static
refused "32-bit" 3 "32-bit" ./elf32
refused "no program" 2 "which program?" ""
refused "budget" 2 "--budget 90%" "--budget 90% ./clean"
refused "toggle" 2 "is no signal" "--toggle FOO ./clean"
refused "signal" 2 "a real-time signal" "--signal USR1 ./clean"
refused "no such process" 3 "no such process" "--pid 4194303"
if cp threads setuid && chown 12345 setuid 2>/dev/null && chmod u+s setuid; then
	refused "setuid" 3 "setuid" ./setuid
fi
# ---- an ordinary user ----
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$tmp"; mkdir -m 777 user
	check_output "as an ordinary user" "1500 threads" setpriv --reuid 65534 --regid 65534 --clear-groups \
		env HOME=/ deadheat sample -q --store user/s -- ./threads
fi
done_testing
