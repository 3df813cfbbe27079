# deadheat trap on every kind of program: it works as ever, or is refused in one line; it is never killed by us.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
gcc -O1 -g -pthread -o threads "$TOP/tests/sample/threads.c" && gcc -O2 -g -pthread -o stress "$TOP/tests/trap/stress.c" &&
	gcc -O2 -o patched "$TOP/tests/trap/patched.c" || exit 1
trapped() { deadheat trap -q --budget 20% --rate 100000 --store s -- "$@"; }
until_true() { for _ in $(seq 600); do "$@" && return 0; sleep 0.1; done; return 1; }

check_output "more than 1,000 threads" "1500 threads" trapped ./threads
check_output "fork-heavy" "200 children" trapped ./threads fork
check_output "exec" "1500 threads" trapped sh -c 'true; exec ./threads'
check_output "dlopen and dlclose" "opened 100 times" trapped ./threads dlopen
check_output "its own SIGTRAP" "trapped 100" trapped ./threads trap
check_output "all signals blocked" "blocked done" trapped ./threads blocked
check_output "waits are not cut short" "0 cut short" trapped ./threads waits
check_output "seccomp: it lives" "lived" trapped ./threads seccomp
check_output "seccomp by syscall(): it lives" "lived" trapped ./threads seccomp-raw
strip -o stripped stress
check_output "stripped" "wrong 0" trapped ./stripped 1

# A library closed once that was opened twice: it stays.
cat >plug.c <<'C'
static long v[100];
long f(int i) { v[i % 100]++; return v[(i + 1) % 100]; }
C
cat >twice.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	void *a = dlopen("./plug.so", RTLD_NOW), *b = dlopen("./plug.so", RTLD_NOW);
	long (*f)(int) = (long (*)(int))dlsym(a, "f"), sum = 0;
	dlclose(b);
	for (int i = 0; i < 50000000; i++)
		sum += f(i) & 1;
	dlclose(a);
	printf("sum %ld\n", sum);
	return 0;
}
C
gcc -O1 -shared -fPIC -o plug.so plug.c && gcc -O1 -o twice twice.c && ./twice >want || exit 1
check_output "opened twice, closed once" "$(cat want)" trapped ./twice

# A sandbox that kills whoever makes a call it does not know: nothing of ours is there when it comes into force.
cat >strict.c <<'C'
#define _GNU_SOURCE
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile long cells[64];
static void work(void) { for (int i = 0; i < 64000000; i++) cells[i % 64]++; }
int main(int argc, char **argv)
{
	work();
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0))
		return 1;
	work();
	if (write(1, "lived\n", 6) != 6)
		return 1;
	syscall(SYS_exit, 0);
	return 1;
}
C
gcc -O1 -g -o strict strict.c || exit 1
strict() { for i in 1 2 3; do deadheat trap -q --budget 50% --rate 100000 --seed $i --store s -- ./strict | grep -q lived || return 1; done; }
check "strict seccomp: it lives" strict

# A debugger that comes: it gets the program as it is in the file.
cat >tracer.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
/* Seize a thread, hand on its signals until we are told to end. */
int main(int argc, char **argv)
{
	pid_t pid = atoi(argv[1]);
	int status;
	if (ptrace(PTRACE_SEIZE, pid, 0, 0))
		return 1;
	puts("seized");
	fflush(stdout);
	while (access("tracer.end", F_OK)) {
		if (waitpid(pid, &status, WNOHANG | __WALL) == pid && WIFSTOPPED(status))
			ptrace(PTRACE_CONT, pid, 0, status >> 16 ? 0 : WSTOPSIG(status));
		usleep(1000);
	}
	return 0;
}
C
gcc -O1 -o tracer tracer.c || exit 1
mkfifo hold; deadheat trap --budget 20% --rate 100000 --store s -- ./stress 0 <hold >out 2>said & host=$!
exec 4>hold
child() { pid=$(cat /proc/$host/task/*/children 2>/dev/null | tr ' ' '\n' | while read -r p; do [ "$(cat /proc/"$p"/comm 2>/dev/null)" = stress ] && echo "$p"; done); [ -n "$pid" ]; }
is_patched() { n=$(./patched "$pid") && [ "$n" -gt 0 ]; }
is_clean() { n=$(./patched "$pid") && [ "$n" = 0 ]; }
until_true child
until_true is_patched
./tracer "$pid" >seized & tracer=$!
told() { grep -q "a debugger is attached" said; }
check "a debugger attaches: it is said" until_true told
check "and nothing stays patched" until_true is_clean
: >tracer.end; wait $tracer
exec 4>&-
wait $host; status=$?
check "it ends well" [ $status = 0 ]
check_output "with exact results" "wrong 0" cat out

# ---- tables are kept by build-id; one that is cut or has a byte turned over is as good as none ----
from_cache() { deadheat trap -q --budget 20% --rate 100000 --store kept -- ./stress 1 >out 2>&1 && grep -q 'wrong 0' out &&
	deadheat report --store kept --format json | sed -n 's/.*"tables_from_cache": \([0-9]*\).*/\1/p' | tail -n 1; }
check "the first time nothing is kept yet" [ -z "$(from_cache)" ]
check "then a table is" sh -c '[ -n "$(ls kept/cache/sites/*.sites)" ] && ! ls kept/cache/sites/*.new'
check "the second time it is used" [ "$(from_cache)" = 1 ]
sites=$(ls kept/cache/sites/*.sites); cp "$sites" good.sites
printf X | dd of="$sites" bs=1 seek=2000 conv=notrunc 2>/dev/null; from_cache >/dev/null
check "a byte turned over: it is made again" cmp "$sites" good.sites
head -c 1000 good.sites >"$sites"; from_cache >/dev/null
check "cut: it is made again" cmp "$sites" good.sites
: >"$sites"; from_cache >/dev/null
check "empty: it is made again" cmp "$sites" good.sites

# ---- constants get no traps ----
cat >constants.c <<'C'
#include <time.h>
static const long table[4] = { 1, 2, 3, 4 };
volatile long sink;
int main(int argc, char **argv)
{
	long sum = 0;
	for (time_t end = time(NULL) + 2; time(NULL) < end;)
		__asm__ volatile("add table(%%rip), %0\n\tadd table+8(%%rip), %0" : "+r"(sum) : "m"(table));
	sink = sum;
	return 0;
}
C
gcc -O1 -o constants constants.c && deadheat trap -q --budget 50% --rate 100000 --store constants.s -- ./constants >out 2>&1
hits() { deadheat report --store constants.s --format json | sed -n 's/.*"traps_hit": \([0-9]*\).*/\1/p'; }
n=$(hits)
check "reads of constants are never trapped" [ "${n:-0}" -lt 10 ]

# ---- refused, in one line ----
refused() { # WHAT WORDS PROGRAM
	deadheat trap --store none -- "$3" >said 2>&1; status=$?
	check "$1: status 3" [ $status = 3 ]
	check_output "$1: says so" "$2" cat said
	check "$1: in one line" [ "$(wc -l <said)" = 1 ]
}
gcc -static -O1 -pthread -o static "$TOP/tests/sample/threads.c" 2>/dev/null
printf '\177ELF\001\001\001\000\000\000\000\000\000\000\000\000\002\000\003\000\001\000\000\000' >elf32
head -c 200 /dev/zero >>elf32; chmod +x elf32
refused "static" "statically linked" ./static
refused "32-bit" "32-bit" ./elf32
if cp threads setuid && chown 12345 setuid 2>/dev/null && chmod u+s setuid; then refused "setuid" "setuid" ./setuid; fi

# ---- with less ----
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$tmp"; mkdir -m 777 user
	user() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/ deadheat trap --budget 20% --rate 100000 --store user/s -- "$@"; }
	check_output "as an ordinary user" "wrong 0" user ./stress 1
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 9)" -le 2 ]; then
		user ./stress 1 >out 2>&1
		check_fails "with watchpoints where perf_event_paranoid is 2" grep 'no watchpoints' out
	fi
fi
cat >noperf.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
/* What containers do: perf_event_open is refused. */
int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, code };
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 99;
	execvp(argv[1], argv + 1);
	return 98;
}
C
gcc -O1 -o noperf noperf.c || exit 1
check_output "perf_event_open refused: it falls back and says so" "values were compared around stalls instead" \
	./noperf deadheat trap --budget 20% --rate 100000 --store s -- ./stress 1
check_output "perf_event_open refused: the program is as ever" "wrong 0" ./noperf deadheat trap -q --budget 20% --rate 100000 --store s -- ./stress 1
./noperf deadheat doctor >doctor 2>&1
check "doctor says what is lost" grep -E 'watchpoints .*(refused|not|stall|compare)' doctor
done_testing
