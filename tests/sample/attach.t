# deadheat sample --pid: into a running process and out again; it goes on as if nothing had been.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
gcc -O1 -g -pthread -o threads "$TOP/tests/sample/threads.c" || exit 1
gcc -O2 -g -pthread -o server "$TOP/tests/production/server.c" || exit 1
state() { grep -E '^Sig(Cgt|Blk)' "/proc/$1/status"; }

mkfifo hold; ./threads until-told <hold >out 2>&1 & pid=$!
exec 4>hold
begun() { [ "$(ls /proc/$pid/task | wc -l)" = 4 ] && grep -q '^SigBlk:.0*$' /proc/$pid/status; } # all threads are there, and libc is not making one
for _ in $(seq 600); do begun && break; sleep 0.1; done
state $pid >before
check "attaches and detaches" deadheat sample --store s --duration 1s --pid $pid
check_output "it took samples" " samples (timer)" deadheat sample --store s --duration 1s --pid $pid
check "nothing suspected of what is locked" sh -c '[ -z "$(deadheat list --store s)" ]'
check "its signals are handled as before" sh -c "grep -E '^Sig(Cgt|Blk)' /proc/$pid/status | cmp - before"
check "nobody traces it" grep -q '^TracerPid:.0$' /proc/$pid/status
check_output "only one deadheat at a time is fine, one after the other too" "detached" deadheat sample --store s --duration 500ms --pid $pid
exec 4>&-
wait $pid; status=$?
check "it ends well" [ $status = 0 ]
check_output "and has worked to the end" "worked to the end" cat out

# A program with signals of its own for its own traps, before, meanwhile and after.
gcc -O1 -pthread -o own "$TOP/tests/trap/own.c" || exit 1
mkfifo traps; ./own <traps >own.out 2>&1 & pid=$!
exec 5>traps
for _ in $(seq 600); do [ "$(ls /proc/$pid/task | wc -l)" = 3 ] && break; sleep 0.1; done
comings() { for steps in "" --no-steps; do deadheat sample -q $steps --store traps.s --duration 200ms --pid $pid >/dev/null || return 1; done; }
check "SIGTRAP is the program's: coming and going" comings
exec 5>&-
wait $pid; status=$?
check "... it ends well" [ $status = 0 ]
check_output "... and none of its signals was lost" "lost 0" cat own.out

# A planted race in a process that was there first.
./server --seconds 600 >served 2>&1 & pid=$!
found() { for i in $(seq 30); do deadheat sample -q --seed $i --store planted --duration $((i * 2))s --pid $pid 2>err | grep -qE 'log_append|session_|stat_count' && return 0; done; cat err; return 1; }
check "a race of a running server is suspected" found
comings() { for i in $(seq ${LONG:+20}5); do deadheat sample -q --store planted --duration 100ms --pid $pid >/dev/null || return 1; done; kill -0 $pid; }
check "it survives coming and going" comings
kill $pid; wait $pid 2>/dev/null

# Refused, in one line.
one_line() { "$@" >o 2>&1; [ "$(wc -l <o)" = 1 ] || { cat o; return 1; }; }
mkfifo hold2; ./threads traced <hold2 >child 2>/dev/null & exec 5>hold2
for _ in $(seq 600); do [ -s child ] && break; sleep 0.1; done
check_status "already traced: status 3" 3 deadheat sample --store s --pid "$(cat child)"
check_output "already traced: says so" "traced already" deadheat sample --store s --pid "$(cat child)"
check "already traced: in one line" one_line deadheat sample --store s --pid "$(cat child)"
exec 5>&-
cat >still.c <<'C'
#include <unistd.h>
int main(void) { for (;;) pause(); }
C
gcc -static -o still still.c || exit 1
./still & pid=$!
check_status "static: status 3" 3 deadheat sample --store s --pid $pid
check "static: in one line" one_line deadheat sample --store s --pid $pid
kill $pid; wait $pid 2>/dev/null
done_testing
