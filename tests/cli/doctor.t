# doctor: exit 0 here; each thing taken away is named, with a line that mends it.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
check_status "a machine that runs the tests is well" 0 deadheat doctor
for what in machine compilers runtimes memfd membarrier memory "huge pages" cores gdb ptrace addresses perf store "a race"; do
	check "it looks at: $what" sh -c "deadheat doctor >all; grep -qE '^(ok|less|BAD) +$what ' all"
done
check_fails "it leaves nothing behind" sh -c 'mkdir t && TMPDIR=$PWD/t deadheat doctor && ls t | grep .'

# ---- taken away, one by one ------------------------------------------------------------------
mkdir bin empty && ln -s "$(command -v sh)" bin/sh
only() { PATH="$TOP/build/bin:$tmp/bin" deadheat doctor --quiet; }
check_status "no compiler: status 3" 3 only
check_output "no compiler: said" "there is neither gcc nor clang" only
check_output "no compiler: mended" "mend it:    apt install gcc" only
check_output "no gdb: mended" "mend it:    apt install gdb" only
check_output "a limited address space" "mend it:    ulimit -v unlimited" sh -c 'ulimit -v 8000000; deadheat doctor --quiet'
check_status "which is not the end" 0 sh -c 'ulimit -v 8000000; deadheat doctor --quiet'
check_output "a store that cannot be" "/proc/nowhere cannot be made" deadheat doctor --quiet --store /proc/nowhere
check_status "is the end" 3 deadheat doctor --quiet --store /proc/nowhere
mkdir -p moved/bin && cp "$TOP/build/bin/deadheat" moved/bin/
check_output "no runtimes" "the runtime 'nop' is not where deadheat looks" moved/bin/deadheat doctor --quiet
check_status "takes no arguments" 2 deadheat doctor x
done_testing
