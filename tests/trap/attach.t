# deadheat trap --pid: into a running process and out again; and what is left when deadheat itself is killed: nothing.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
gcc -O1 -g -pthread -o threads "$TOP/tests/sample/threads.c" && gcc -O2 -g -pthread -o server "$TOP/tests/production/server.c" &&
	gcc -O2 -g -pthread -o stress "$TOP/tests/trap/stress.c" && gcc -O2 -o patched "$TOP/tests/trap/patched.c" || exit 1
until_true() { for _ in $(seq 600); do "$@" && return 0; sleep 0.1; done; return 1; }
begun() { has_threads "$1" "$2" && grep -q '^SigBlk:.0*$' "/proc/$1/status"; } # and libc is not making one: then it blocks all signals
has_threads() { [ "$(ls /proc/"$1"/task 2>/dev/null | wc -l)" -ge "$2" ]; }
is_patched() { n=$(./patched "$1") && [ "$n" -gt 0 ]; }
is_clean() { n=$(./patched "$1") && [ "$n" = 0 ]; }
state() { grep -E '^(Sig(Cgt|Blk|Ign)|TracerPid)' "/proc/$1/status"; ls "/proc/$1/fd"; }
is_as_before() { state "$1" >after; cmp before after; }

# ---- in and out: four threads compute, exactly, all the time -------------------------------------------
mkfifo hold; ./stress 0 <hold >out 2>&1 & pid=$!
exec 4>hold
until_true begun $pid 5
state $pid >before
check_output "in and out" "process: detached" deadheat trap --store s --budget 20% --rate 100000 --duration 2s --pid $pid
check "nothing stays patched" is_clean $pid
check "signals, files, tracer: as before" is_as_before $pid
deadheat trap -q --store s --budget 20% --rate 100000 --pid $pid >/dev/null 2>&1 & host=$!
check "it is patched meanwhile" until_true is_patched $pid
check_output "by one deadheat at a time" "another deadheat looks at it already" deadheat trap --store s --pid $pid
kill -TERM $host; wait $host 2>/dev/null
check "interrupted: nothing stays patched" is_clean $pid
check "interrupted: as before" is_as_before $pid
deadheat trap -q --store s --budget 20% --rate 100000 --pid $pid >/dev/null 2>&1 & host=$!
until_true is_patched $pid
kill -KILL $host; wait $host 2>/dev/null
check "killed: nothing stays patched" until_true is_clean $pid
check "killed: as before" until_true is_as_before $pid
check_output "and once more" "process: detached" deadheat trap --store s --budget 20% --duration 1s --pid $pid
exec 4>&-
wait $pid; status=$?
check "it ends well" [ $status = 0 ]
check_output "and all its results are exact" "wrong 0" cat out

# ---- a thread that is about to get a signal when we stop it gets it -------------------------------------
gcc -O1 -pthread -o own "$TOP/tests/trap/own.c" || exit 1
mkfifo hold4; ./own <hold4 >own.out 2>&1 & pid=$!
exec 4>hold4
until_true has_threads $pid 3
comings() { for i in 1 2 3; do deadheat trap -q --store s --duration 200ms --pid $pid >/dev/null || return 1; done; }
check "coming and going under signals" comings
exec 4>&-
wait $pid; status=$?
check "it lives" [ $status = 0 ]
check_output "none of its signals is lost" "lost 0" cat own.out

# ---- a program that we started, and then we are killed ---------------------------------------------------
mkfifo hold2; deadheat trap -q --store s --budget 20% --rate 100000 -- ./stress 0 <hold2 >out2 2>/dev/null & host=$!
exec 4>hold2
child() { pid=$(cat /proc/$host/task/*/children 2>/dev/null | tr ' ' '\n' | while read -r p; do [ "$(cat /proc/"$p"/comm 2>/dev/null)" = stress ] && echo "$p"; done); [ -n "$pid" ]; }
until_true child
check "the program is patched" until_true is_patched "$pid"
kill -KILL $host; wait $host 2>/dev/null
check "deadheat is killed: nothing stays patched" until_true is_clean "$pid"
check "the program goes on" kill -0 "$pid"
exec 4>&-
ended() { grep -q rounds out2; }
check "to its end" until_true ended
check_output "with exact results" "wrong 0" cat out2

# ---- a planted race in a process that was there first ------------------------------------------------------
./server --seconds 600 >served 2>&1 & pid=$!
found() { for i in $(seq 30); do deadheat trap -q --store planted --budget 50% --seed $i --duration 2s --pid $pid 2>err | grep -q caught && return 0; done; cat err; return 1; }
check "a race of a running server is caught" found
kill $pid; wait $pid 2>/dev/null
./server --clean --seconds 600 >served 2>&1 & pid=$!
silent() { deadheat trap -q --store clean --budget 20% --duration 2s --pid $pid >o 2>&1 && ! grep caught o; }
check "of a clean one nothing is" silent
kill $pid; wait $pid 2>/dev/null

# ---- refused, in one line, and it lives -----------------------------------------------------------------------
refused() { # WHAT WORDS PID
	deadheat trap --store none --pid "$3" >said 2>&1; status=$?
	check "$1: status 3" [ $status = 3 ]
	check_output "$1: says so" "$2" cat said
	check "$1: in one line" [ "$(wc -l <said)" = 1 ]
	check "$1: and lives" kill -0 "$3"
}
cat >still.c <<'C'
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter allow[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { 1, allow };
	sigset_t all;
	if (argc > 1 && !strcmp(argv[1], "blocked")) {
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
	}
	if (argc > 1 && !strcmp(argv[1], "seccomp")) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
			return 1;
	}
	puts("ready");
	fflush(stdout);
	while (read(0, &all, 1) > 0)
		;
	return 0;
}
C
gcc -static -o still.static still.c && gcc -o still still.c || exit 1
begin() { # PROGRAM...: its pid in $pid; it ends with fd 5
	rm -f hold3; mkfifo hold3
	"$@" <hold3 >began 2>&1 & pid=$!
	exec 5>hold3
	until_true test -s began
}
end() { exec 5>&-; wait $pid; }
begin ./still.static; refused "static" "statically linked" $pid; end
begin ./still blocked; refused "a thread that blocks SIGTRAP" "blocks SIGTRAP" $pid; end
begin ./still seccomp; refused "a seccomp filter" "seccomp filter" $pid; end
begin ./threads traced; refused "already traced" "traced already" "$(cat began)"; end
check_output "no such process" "no such process" deadheat trap --store none --pid 4194303
check_status "--pid and a program: status 2" 2 deadheat trap --store none --pid 1 -- ./server
done_testing
