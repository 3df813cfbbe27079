# replay --gdb stops where both threads stand before their accesses; both can be looked at.
. "$(dirname "$0")/../tap.sh"
command -v gdb >/dev/null || { echo "1..0 # skip no gdb"; exit 0; }
deadheat-cc -g -pthread -o "$tmp/gdb_victim" "$TOP/examples/figure2.c" || exit 1
deadheat hunt --quiet --format none --store "$tmp/store" -- "$tmp/gdb_victim" >/dev/null 2>&1
id=$(deadheat list --store "$tmp/store" | cut -d' ' -f1 | head -n 1)
printf 'thread apply all bt\nprint x\nkill\nquit\n' >"$tmp/commands"
timeout 300 deadheat replay --store "$tmp/store" --gdb "$id" <"$tmp/commands" >"$tmp/out" 2>&1
check_output "it stops by SIGTRAP" SIGTRAP cat "$tmp/out"
check_output "one thread stands in thread1" "thread1 (arg=" cat "$tmp/out"
check_output "the other in thread2" "thread2 (arg=" cat "$tmp/out"
check_output "the program's variables can be read" '$1 = 0' cat "$tmp/out"
check "nothing is left running" gone "$tmp/gdb_victim"
done_testing
