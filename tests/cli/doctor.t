# doctor: exit 0 here; each thing taken away is named, with a line that mends it.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
mkdir t bin && ln -s "$(command -v sh)" bin/sh
TMPDIR=$PWD/t deadheat doctor >all 2>&1
check "a machine that runs the tests is well" [ $? = 0 ]
check "it leaves nothing behind" [ -z "$(ls t)" ]
for what in machine compilers runtimes helpers memfd membarrier memory "huge pages" cores gdb ptrace addresses perf samples watchpoints code attaching store "a race"; do
	check "it looks at: $what" grep -qE "^(ok|less|BAD) +$what " all
done

# ---- taken away, one by one ------------------------------------------------------------------
with() { # text, status, what is printed, words: doctor --quiet in these circumstances
	text=$1 status=$2 line=$3; shift 3
	"$@" >said 2>&1
	got=$?
	check "$text: status $status" [ $got = "$status" ]
	check_output "$text: $line" "$line" cat said
}
with "no compiler" 3 "there is neither gcc nor clang" env PATH="$TOP/build/bin:$tmp/bin" deadheat doctor --quiet
check_output "no compiler: mended" "mend it:    apt install gcc" cat said
check_output "no gdb: mended" "mend it:    apt install gdb" cat said
with "a limited address space" 0 "mend it:    ulimit -v unlimited" sh -c 'ulimit -v 8000000; deadheat doctor --quiet'
with "a store that cannot be" 3 "/proc/nowhere cannot be made" deadheat doctor --quiet --store /proc/nowhere
mkdir -p moved/bin && cp "$TOP/build/bin/deadheat" moved/bin/
with "no runtimes" 3 "the runtime 'nop' is not where deadheat looks" moved/bin/deadheat doctor --quiet
# Calls taken away as a container does: by a filter that says EPERM.
cat >deny.c <<'X'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD + BPF_W + BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP + BPF_JEQ + BPF_K, (unsigned)atoi(argv[1]), 0, 1),
		BPF_STMT(BPF_RET + BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET + BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 4, filter };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 99;
	execvp(argv[2], argv + 2);
	return 98;
}
X
gcc -o deny deny.c
with "no perf_event_open" 0 "unmodified programs are watched by comparing values only" ./deny 298 deadheat doctor --quiet
check_output "no perf_event_open: mended" "mend it:    sysctl kernel.perf_event_paranoid=2" cat said
with "no ptrace" 0 "programs must be started by deadheat" ./deny 101 deadheat doctor --quiet
check_output "no ptrace: gdb" '`replay --gdb` will not work' cat said
with "no memfd_create" 3 "memfd_create: Operation not permitted" ./deny 319 deadheat doctor --quiet
mkdir -p part/bin && cp "$TOP/build/bin/deadheat" part/bin/ && mkdir part/lib && cp -a "$TOP/build/lib/deadheat" part/lib/
ln -s deadheat part/bin/deadheat-cc && rm part/lib/deadheat/lower
with "no scanner" 0 "lower is missing: source cannot be scanned" part/bin/deadheat doctor --quiet
rm -r part/lib/deadheat/trace
with "no tracer" 0 "no unmodified program can be watched" part/bin/deadheat doctor --quiet
check_status "takes no arguments" 2 deadheat doctor x
done_testing
