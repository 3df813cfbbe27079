# The commands of `deadheat gdb-init` in a real replay, gdb in batch mode.
. "$(dirname "$0")/../tap.sh"
command -v gdb >/dev/null || { echo "1..0 # skip no gdb"; exit 0; }
export HOME="$tmp"
deadheat-cc -g -pthread -o "$tmp/init_victim" "$TOP/tests/triage/queue.c" || exit 1
deadheat hunt --quiet --format none --store "$tmp/store" -- "$tmp/init_victim" >/dev/null 2>&1
id=$(deadheat list --store "$tmp/store" | sed -n '/put . take/s/ .*//p' | head -n 1)
deadheat gdb-init >"$tmp/.gdbinit"
printf '%s\n' dh-where dh-threads dh-pair dh-switch 'echo second\n' dh-switch delete continue dh-switch quit >"$tmp/commands"
timeout 300 deadheat replay --store "$tmp/store" --gdb "$id" <"$tmp/commands" >"$tmp/out" 2>&1
check_output "dh-where: whose turn it is" "has the turn" cat "$tmp/out"
check "dh-threads: both stand before their access" sh -c "[ \"\$(grep -c OP_ACCESS '$tmp/out')\" -ge 2 ]"
check "dh-pair: one reads, one writes" sh -c "grep -q 'before a write of' '$tmp/out' && grep -q 'before a read of' '$tmp/out'"
check "dh-pair: each in its own function" sh -c "grep -q ' in put ' '$tmp/out' && grep -q ' in take ' '$tmp/out'"
check "dh-switch: the turn goes over" grep -qE 'T[0-9]+ hands over to T[0-9]+' "$tmp/out"
check "dh-switch: and the position moved" sh -c "[ \"\$(sed -n 's/.*step \([0-9]*\): T.* has the turn.*/\1/p' '$tmp/out' | sort -u | wc -l)\" -ge 2 ]"
check_fails "no command failed before the end" sh -c "sed '/^second/q' '$tmp/out' | grep -E 'No symbol|Undefined command|Error in sourced'"
check_status "takes no arguments" 2 deadheat gdb-init x
check "nothing is left running" gone "$tmp/init_victim"
done_testing
