# doctor: exit 0 here; each thing taken away is named, with a line that mends it.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
mkdir t bin && ln -s "$(command -v sh)" bin/sh
TMPDIR=$PWD/t deadheat doctor >all 2>&1
check "a machine that runs the tests is well" [ $? = 0 ]
check "it leaves nothing behind" [ -z "$(ls t)" ]
for what in machine compilers runtimes memfd membarrier memory "huge pages" cores gdb ptrace addresses perf store "a race"; do
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
check_status "takes no arguments" 2 deadheat doctor x
done_testing
