# suppress: decided findings stay, marked, and count for nothing; TSan's files are taken as they are.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cp "$TOP/tests/triage/queue.c" "$TOP/examples/locks.c" .
for example in queue locks; do
	deadheat-cc -g -pthread $example.c -o $example &&
		deadheat hunt --quiet --schedules 0 --format none ./$example >hunt.log 2>&1
done
ids() { deadheat list -q | cut -d' ' -f1; }
count() { deadheat list -q "$@" | grep -c "  suppressed$"; }
all=$(ids | wc -l)
check "there is a race and a deadlock to decide about" [ "$all" -ge 2 ]
check_status "and the gate trips" 66 deadheat report
race=$(deadheat list -q | sed -n '/put . take/s/ .*//p' | head -n 1)
deadlock=$(deadheat list -q | sed -n '/deadlock:/s/ .*//p' | head -n 1)

# ---- usage -------------------------------------------------------------------------------------
check_output "a reason is needed" "--because TEXT is missing" deadheat suppress "$race"
check_output "an empty one is none" "--because TEXT is missing" deadheat suppress "$race" --because ' '
check_output "one line" "must be one line" deadheat suppress "$race" --because 'a
b'
check_output "a date" "'2026-02-30' is no date" deadheat suppress "$race" --because x --until 2026-02-30
check_output "a word is no date" "'soon' is no date" deadheat suppress "$race" --because x --until soon
check_output "a day that is over" "2020-01-01 is over already" deadheat suppress "$race" --because x --until 2020-01-01
check_status "no such finding" 2 deadheat suppress ffffffffffffffff --because x
check_status "nothing to take out" 2 deadheat suppress "$race" --remove
check_output "remove takes no reason" "--remove takes neither" deadheat suppress "$race" --remove --because x
check_fails "nothing was written so far" test -e .deadheat/suppressions

# ---- by id ---------------------------------------------------------------------------------------
check "a race is suppressed" deadheat suppress "$race" --because "only statistics" --until 2999-12-31
check "list marks it" sh -c "deadheat list -q | grep '^$race.*  suppressed$'"
check_output "show gives the reason" "suppressed: only statistics (until 2999-12-31)" deadheat show "$race"
check_output "json keeps it, with the reason" '"suppressed": "only statistics (until 2999-12-31)"' deadheat report --format json
check_output "sarif keeps it, with the reason" '"justification": "only statistics (until 2999-12-31)"' deadheat report --format sarif
check_output "junit skips it" 'skipped message="suppressed: only statistics' deadheat report --format junit
check_status "the others still trip the gate" 66 deadheat report
for id in $(ids); do [ "$id" = "$race" ] || deadheat suppress -q "$id" --because "known"; done
check_status "all suppressed: the gate stands open" 0 deadheat report
check_status "at every rung" 0 deadheat report --fail-on claimed
check_output "and the verdict says why" "nothing is left but what was suppressed" deadheat report
check "tsan: nothing is reported" sh -c "! deadheat report --format tsan | grep WARNING"
check "github: nothing is annotated" sh -c "! deadheat report --format github | grep '::error'"
tried() { deadheat list -q | grep -oE '[0-9]+ of [0-9]+'; }
before=$(tried)
check_status "hunting again does not trip it" 0 deadheat hunt --quiet --schedules 0 --format none ./locks
check "and makes no trials for them" [ "$(tried)" = "$before" ]
check_output "suppress alone lists them" "because only statistics" deadheat suppress
check "git would take the file" sh -c "git init -q . && git add .deadheat && git diff --cached --name-only | sort | tr '\n' ' ' | grep -x '.deadheat/.gitignore .deadheat/suppressions '"
check "deciding again replaces" sh -c "deadheat suppress -q $race --because 'other words' && [ \"\$(grep -c other .deadheat/suppressions)\" = 1 ] && ! grep -q 'only statistics' .deadheat/suppressions"
check "taken back" deadheat suppress "$race" --remove
check_status "and it counts again" 66 deadheat report
check "comments of people stay" sh -c "echo '# mine' >>.deadheat/suppressions; deadheat suppress -q $race --because x; deadheat suppress -q $race --remove; grep -q '^# mine' .deadheat/suppressions"

# ---- past its date ------------------------------------------------------------------------------------
full=$(deadheat report --format json | sed -n 's/.*"id": "\('"$race"'[0-9a-f]*\)".*/\1/p' | head -n 1)
echo "finding:$full until 2020-02-29 because later" >.deadheat/suppressions
check_status "an expired one does not count" 66 deadheat report
check_output "and that is said" "ended on 2020-02-29, it counts again (later)" deadheat report
check "with --quiet it is not" sh -c "! deadheat report -q 2>&1 | grep 'ended on'"
check_output "suppress lists it as such" "EXPIRED 2020-02-29" deadheat suppress

# ---- TSan's files ----------------------------------------------------------------------------------------
rm .deadheat/suppressions
tsan() { # text, how many are suppressed, lines
	text=$1 wanted=$2; shift 2
	printf '%s\n' "$@" >tsan.supp
	got=$(count --suppressions tsan.supp)
	[ "$got" = "$wanted" ] || echo "# $got suppressed, wanted $wanted: $*"
	[ "$got" = "$wanted" ]
	tap_result $? "$text"
}
races=$(deadheat list -q | grep -c "queue.count")
locks=$(deadheat list -q | grep -c "deadlock:")
tsan "race: a function" "$races" 'race:take'
tsan "race: a file" "$races" 'race:queue.c'
tsan "race: the variable" "$races" 'race:queue.count'
tsan "race: a frame above" "$races" 'race:consumer'
tsan "race_top: not a frame above" 0 'race_top:consumer'
tsan "race_top: the frame itself" "$races" 'race_top:^take$'
tsan "race: not what is not there" 0 'race:tak$' 'race:^ake' 'race:other.c'
tsan "race: wildcards" "$races" 'race:^t*e$'
tsan "race: wildcards in the middle" "$races" 'race:*queue*.c$'
tsan "race: a module" "$races" 'race:/queue$'
tsan "called_from_lib: a module" "$races" 'called_from_lib:queue$'
tsan "deadlock: its own kind" "$locks" 'deadlock:locks.c'
tsan "race: does not touch deadlocks" 0 'race:locks.c'
tsan "deadlock: does not touch races" 0 'deadlock:queue.c'
tsan "called_from_lib: not another module" 0 'called_from_lib:libqueue'
tsan "mutex: thread: signal: touch neither" 0 'mutex:queue.c' 'thread:queue.c' 'signal:queue.c' 'mutex:locks.c' 'thread:locks.c' 'signal:locks.c'
tsan "all of TSan's kinds, comments, blanks" "$all" '# for TSan' '' '  race:queue.c  ' 'race_top:x' 'mutex:x' 'thread:x' \
	'deadlock:locks.c' 'signal:x' 'called_from_lib:libx.so'
check_status "they open the gate" 0 deadheat report --suppressions tsan.supp
check_output "the reason is file and line" "race:queue.c (tsan.supp:3)" deadheat show "$race" --suppressions tsan.supp
check "the project's file takes them too" sh -c "cp tsan.supp .deadheat/suppressions && deadheat report"
check "and suppress adds to it" sh -c "deadheat suppress -q $race --because x && grep -q '^deadlock:locks.c' .deadheat/suppressions"
rm .deadheat/suppressions
check_status "hunt and confirm take --suppressions" 0 deadheat hunt --quiet --schedules 0 --format none --suppressions tsan.supp ./locks
if deadheat list -q | grep -q queue && clang-19 -g -fsanitize=thread -pthread queue.c -o real 2>/dev/null; then
	check "the real TSan takes the same file" sh -c "TSAN_OPTIONS=suppressions=tsan.supp ./real 2>&1 | grep -c 'parse suppressions' | grep -x 0"
fi

# ---- bad files --------------------------------------------------------------------------------------------
bad() { # text, line
	echo "$2" >bad.supp
	check_output "$1: said, with file and line" "bad.supp:1: " deadheat list --suppressions bad.supp
	check_status "$1: status 2" 2 deadheat list --suppressions bad.supp
}
bad "an unknown kind" 'rcae:x'
check_output "an unknown kind: the near one" "did you mean 'race:'?" sh -c "echo rcae:x >b; deadheat list --suppressions b"
bad "no kind at all" 'hello'
bad "no pattern" 'race:'
bad "a finding without a reason" 'finding:0123456789abcdef'
bad "a finding without an id" 'finding:xyz because x'
bad "a finding with a wrong date" 'finding:0123456789abcdef until never because x'
check_status "no such file" 2 deadheat list --suppressions nowhere
done_testing
