# Programs that cannot be confirmed, each with one clear line; and no process left behind,
# no finished trial lost, when the host is interrupted or killed.
. "$(dirname "$0")/../tap.sh"
programs=$TOP/tests/confirm/programs
one_line() { # STATUS TEXT ARGUMENTS...: exit status, a line with the text, and only one line
	want=$1 words=$2; shift 2
	timeout 300 deadheat "$@" >"$tmp/one" 2>&1 </dev/null
	status=$?
	cat "$tmp/one"
	[ $status = "$want" ] && grep -qF -- "$words" "$tmp/one" && [ "$(wc -l <"$tmp/one")" = 1 ]
}
store="--store $tmp/store"
cc() { deadheat-cc -g -pthread -o "$tmp/$1" "$2"; }


gcc -g -pthread -static -o "$tmp/static" "$TOP/examples/counter.c" 2>/dev/null &&
	check "statically linked" one_line 3 static fuzz $store -- "$tmp/static"
cc setuid "$TOP/examples/counter.c"
[ "$(id -u)" = 0 ] && chown 65534 "$tmp/setuid"
chmod u+s "$tmp/setuid"
[ "$(id -u)" != 0 ] || check "setuid" one_line 3 setuid fuzz $store -- "$tmp/setuid"
check "neither id, pair nor program" one_line 2 "'nosuchid' is neither the id of a finding" confirm $store nosuchid -- "$tmp/missing"
check "a folder" one_line 3 "is a folder, not a program" fuzz $store -- .
check "no such program" one_line 3 "no such program" fuzz $store -- "$tmp/missing"
check "a folder" one_line 3 folder fuzz $store -- "$tmp"
check "no program remembered" one_line 3 "" fuzz --store "$tmp/empty" 
check_fails "nothing of that made a store" test -e "$tmp/store"

cc early "$programs/early_crash.c"
check "a crash before main" one_line 3 "SIGSEGV" fuzz $store -- "$tmp/early"
cc silent "$programs/silent.c"
check_status "a program that prints nothing" 0 timeout 300 deadheat fuzz --trials 5 $store -- "$tmp/silent"
cc daemon "$programs/daemon.c"
check_output "a daemon is told" "foreground" timeout 300 deadheat fuzz --trials 3 $store -- "$tmp/daemon"
check "and does not outlive its trials" gone "$tmp/daemon"
cc terminal "$programs/terminal.c"
check_output "a program that needs a terminal is told" "terminal" timeout 300 deadheat fuzz --trials 3 $store -- "$tmp/terminal"

check "an unknown policy" one_line 2 "--policy" confirm --policy best $store
check "no trials" one_line 2 "--trials" confirm --trials 0 $store
check "unreadable input" one_line 2 "--stdin" fuzz --stdin "$tmp/none" $store -- "$tmp/silent"
check "an unknown id" one_line 2 "no finding" confirm $store ffff -- "$tmp/silent"
check "a line without an access" one_line 2 "no instrumented access" confirm $store silent.c:1,silent.c:2 -- "$tmp/silent"
check "two lines that only read" one_line 2 "only read" confirm $store "silent.c:$(grep -n 'read a' "$programs/silent.c" | cut -d: -f1),silent.c:$(grep -n 'read b' "$programs/silent.c" | cut -d: -f1)" -- "$tmp/silent"

# Ctrl-C and kill -9: a long campaign over a program that takes its time.
cc slow_victim "$programs/slow.c"
line=$(grep -n 'x++' "$programs/slow.c" | cut -d: -f1)
interrupt() { # SIGNAL: start, wait until trials are in the store, signal the host
	rm -rf "$tmp/long"
	deadheat confirm --quiet --exhaust --trials 100000 --store "$tmp/long" "slow.c:$line,slow.c:$line" -- "$tmp/slow_victim" >"$tmp/out" 2>&1 &
	host=$!
	for i in $(seq 600); do
		n=$(deadheat list --store "$tmp/long" 2>/dev/null | sed -n 's/.* of \([0-9]*\)$/\1/p' | head -n 1)
		[ "${n:-0}" -gt 0 ] && break
		sleep 0.1
	done
	kill -"$1" $host
	wait $host
	status=$?
	gone "$tmp/slow_victim"
}
check "Ctrl-C leaves no process" interrupt INT
check_output "and says so" interrupted cat "$tmp/out"
kept=$(deadheat list --store "$tmp/long" | sed -n 's/.* of \([0-9]*\)$/\1/p' | head -n 1)
check "finished trials are kept ($kept)" [ "${kept:-0}" -gt 0 ]
check "SIGTERM leaves no process" interrupt TERM
check "kill -9 leaves no process" interrupt KILL
kept=$(deadheat list --store "$tmp/long" | sed -n 's/.* of \([0-9]*\)$/\1/p' | head -n 1)
check "finished trials are kept ($kept)" [ "${kept:-0}" -gt 0 ]
done_testing
