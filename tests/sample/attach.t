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

# ---- with steps, as a program we start ----
until_true() { for _ in $(seq 600); do "$@" && return 0; sleep 0.1; done; return 1; }
state_all() { grep -E '^(Sig(Cgt|Blk|Ign)|TracerPid)' "/proc/$1/status"; ls "/proc/$1/fd"; }
./server --seconds 600 >served 2>&1 & pid=$!
serving() { [ "$(ls /proc/$pid/task | wc -l)" = 5 ] && grep -q '^SigBlk:.0*$' /proc/$pid/status; }
until_true serving
state_all $pid >before
steps() { for i in $(seq 60); do deadheat sample --store steps --duration 500ms --seed $i --pid $pid 2>&1 | grep -q ' [1-9][0-9]* steps' && return 0; done; return 1; }
check "single steps follow the samples" steps
as_before() { state_all $pid >after; cmp before after; }
check "signals and files are as before" as_before
check_output "--no-steps: none" " and 0 steps" deadheat sample --no-steps --store steps --duration 500ms --pid $pid
# killed half-way
deadheat sample -q --store steps --pid $pid >/dev/null 2>&1 & host=$!
# Handlers are there, and nobody traces it any more: deadheat has come in. Before that it could not, and says so.
entered() { ! grep -qxF "$(grep SigCgt before)" "/proc/$pid/status" && ! grep -hE '^TracerPid:.*[1-9]' /proc/$pid/task/*/status >/dev/null; }
until_true entered; kill -KILL $host; wait $host 2>/dev/null
check "deadheat is killed: all is as before" until_true as_before
check_output "and another one may come" "process: detached" deadheat sample --store steps --duration 300ms --pid $pid
# the process is killed
deadheat sample --store steps --pid $pid >killed 2>&1 & host=$!
until_true entered; kill -KILL $pid; wait $pid 2>/dev/null; wait $host; status=$?
check "the process is killed: status 0" [ $status = 0 ]
check_output "... it is said" "process: ended" cat killed
check_fails "... and its CPU time is no nonsense" grep -E '[0-9]{8,}' killed
# it executes another program
cat >exec.c <<'C'
#include <stdio.h>
#include <unistd.h>
static volatile long n;
int main(int argc, char **argv)
{
	char byte;
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	if (argc > 1)
		execl("./still.dynamic", "still", NULL);
	return 0;
}
C
cat >still.c <<'C'
#include <unistd.h>
int main(void) { for (;;) pause(); }
C
gcc -O1 -o exec exec.c && gcc -o still.dynamic still.c || exit 1
for command in sample trap; do
	rm -f hold5 ready; mkfifo hold5; ./exec again <hold5 >ready & pid=$!; exec 5>hold5
	until_true test -s ready
	none=$(grep ^SigCgt "/proc/$pid/status")
	deadheat $command --store steps --pid $pid >executed 2>&1 5>&- & host=$!
	caught() { grep ^SigCgt "/proc/$pid/status"; }
	is_in() { ! caught | grep -q "^$none\$"; } # its attach has begun: the read goes on after it
	until_true is_in; exec 5>&-; wait $host; status=$?
	check "$command: exec: status 0" [ $status = 0 ]
	check_output "$command: exec: it is said" "process: executed another program" cat executed
	check "$command: exec: the new program lives" kill -0 $pid
	kill $pid; wait $pid 2>/dev/null
done

# ---- debuggers: one that is there already, on any thread; one that comes ----
cat >tracer.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
/* Seize a thread, hand on its signals until we are told to end. */
int main(int argc, char **argv)
{
	pid_t tid = atoi(argv[1]);
	int status;
	if (ptrace(PTRACE_SEIZE, tid, 0, 0))
		return 1;
	puts("seized");
	fflush(stdout);
	while (access(argv[2], F_OK)) {
		if (waitpid(tid, &status, WNOHANG | __WALL) == tid && WIFSTOPPED(status))
			ptrace(PTRACE_CONT, tid, 0, status >> 16 ? 0 : WSTOPSIG(status));
		usleep(1000);
	}
	return 0;
}
C
gcc -O1 -o tracer tracer.c || exit 1
./server --seconds 600 >served 2>&1 & pid=$!
until_true serving
./tracer "$(ls /proc/$pid/task | tail -n 1)" end1 >seized & tracer=$!
until_true test -s seized
deadheat sample --store s --pid $pid >said 2>&1; status=$?
check "the last thread is traced: status 3" [ $status = 3 ]
check_output "... says so" "traced already" cat said
check "... in one line" [ "$(wc -l <said)" = 1 ]
: >end1; wait $tracer
deadheat sample --store s --pid $pid >said 2>&1 & host=$!
until_true entered
rm -f seized; until_true sh -c "./tracer $pid end2 >seized & until [ -s seized ] || ! kill -0 \$! 2>/dev/null; do sleep 0.1; done; [ -s seized ]"
told() { grep -q "a debugger is attached: no single steps" said; }
check "a debugger that comes is seen" until_true told
: >end2
untraced() { grep -q '^TracerPid:.0$' /proc/$pid/status; }
until_true untraced
kill -TERM $host; wait $host; status=$?
check "... and the rest goes on" [ $status = 0 ]
check_output "... to the end" "process: detached" cat said
kill $pid; wait $pid 2>/dev/null

# ---- one that only waits: in a read, in a join and on a condition ----
cat >idle.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static void *wait_for_ever(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&cond, &lock);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	char line[100];
	puts("ready");
	fflush(stdout);
	if (argc > 1)
		return !fgets(line, sizeof(line), stdin);
	pthread_create(&t, NULL, wait_for_ever, NULL);
	pthread_join(t, NULL);
	return 0;
}
C
gcc -O1 -pthread -o idle idle.c || exit 1
rm -f hold7 ready; mkfifo hold7; ./idle line <hold7 >ready & pid=$!; exec 5>hold7
until_true test -s ready
check_output "in a read" "process: detached" deadheat sample --store s --duration 100ms --pid $pid
echo line >&5; exec 5>&-; wait $pid; status=$?
check "in a read: it goes on" [ $status = 0 ]
./idle >/dev/null & pid=$!
two() { [ "$(ls /proc/$pid/task | wc -l)" = 2 ]; }
until_true two
check_output "in a join and on a condition" "process: detached" deadheat sample --store s --duration 100ms --pid $pid
check_output "... and trap" "process: detached" deadheat trap --store s --duration 100ms --pid $pid
kill $pid; wait $pid 2>/dev/null

# ---- one that has ended but was not waited for ----
cat >parent.c <<'C'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	pid_t child = fork();
	if (!child)
		_exit(0);
	printf("%d\n", (int)child);
	fflush(stdout);
	for (;;)
		pause();
}
C
gcc -O1 -o parent parent.c || exit 1
./parent >zombie & keeper=$!
until_true test -s zombie
is_zombie() { grep -q '^State:.Z' "/proc/$(cat zombie)/status"; }
until_true is_zombie
check_output "a zombie is no process" "no such process" deadheat sample --store s --pid "$(cat zombie)"
kill $keeper; wait $keeper 2>/dev/null

# ---- a sandbox ----
cat >filtered.c <<'C'
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(void)
{
	struct sock_filter allow[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { 1, allow };
	char byte;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 1;
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
C
gcc -O1 -o filtered filtered.c || exit 1
mkfifo hold6; ./filtered <hold6 >filtering & pid=$!; exec 5>hold6
until_true test -s filtering
check_status "a seccomp filter: status 3" 3 deadheat sample --store s --pid $pid
check "a seccomp filter: in one line" one_line deadheat sample --store s --pid $pid
exec 5>&-; wait $pid; status=$?
check "a seccomp filter: it lives on" [ $status = 0 ]
done_testing
