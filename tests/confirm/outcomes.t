# How a trial ended is named, and harm is what the undisturbed run does not have.
. "$(dirname "$0")/../tap.sh"
programs=$TOP/tests/confirm/programs
outcomes() { # PROGRAM WORDS...: confirm all of it; the report has each word among the outcomes
	name=$1; shift
	deadheat-cc -g -pthread -o "$tmp/$name" "$programs/$name.c" || return 1
	rm -rf "$tmp/store"
	timeout 300 deadheat hunt --quiet --format json --store "$tmp/store" $options -- "$tmp/$name" >"$tmp/json" 2>"$tmp/err"
	cat "$tmp/err"
	for word; do
		grep -o '"outcomes": {[^}]*}' "$tmp/json" | grep -qF -- "\"$word\"" || { echo "no $word in"; grep -o '"outcomes": {[^}]*}' "$tmp/json"; return 1; }
	done
}
rung() { grep -o '"rung": "[a-z]*"' "$tmp/json" | sort -u | tr '\n' ' '; }
is_rung() { echo "rungs: $(rung)"; [ "$(rung)" = "$1" ]; }

options=
check "an exit status" outcomes end_status "exit 0" "exit 3"
check "... is harm" is_rung '"rung": "harmful" '
check "a segmentation fault" outcomes end_segv "exit 0" SIGSEGV
check "an assertion" outcomes end_assert "exit 0" SIGABRT
# It may also hang by itself, so no ordinary run looks for the pair: the lines are given.
hang() {
	deadheat-cc -g -pthread -o "$tmp/end_hang" "$programs/end_hang.c" || return 1
	rm -rf "$tmp/store"
	deadheat confirm --quiet --timeout 5s --store "$tmp/store" end_hang.c:10,end_hang.c:16 -- "$tmp/end_hang"
	deadheat report --format json --fail-on never --store "$tmp/store" | grep -o '"outcomes": {[^}]*}' >"$tmp/ends"
	cat "$tmp/ends"
	grep -F '"exit 0"' "$tmp/ends" | grep -qF '"hang"'
}
check "a hang, by the step budget" hang
options=
check "a deadlock from a race" outcomes end_deadlock "exit 0" deadlock
check "a race without consequence" outcomes end_same "exit 0"
check "... is confirmed, not harmful" is_rung '"rung": "confirmed" '
check "a status the plain run has too" outcomes end_always "exit 5"
check "... is no harm" is_rung '"rung": "confirmed" '
check "a pair in a hot loop" outcomes end_hot "exit 0"
check "... is not mistaken for a hang" is_rung '"rung": "confirmed" '
options=--compare-output
check "other output, if asked for" outcomes end_output "output differs"
check "... is harm then" is_rung '"rung": "harmful" '
options=
check "not if not asked for" outcomes end_output "exit 0"
check "... it is only confirmed" is_rung '"rung": "confirmed" '

# A sanitizer report counts whatever the status.
cat >"$tmp/says.c" <<'END'
#include <pthread.h>
#include <stdio.h>
int x;
static void *f(void *p) { x = 1; return p; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, f, NULL);
	if (x)
		fprintf(stderr, "says.c:9:3: runtime error: signed integer overflow\n");
	pthread_join(t, NULL);
	return 0;
}
END
deadheat-cc -g -pthread -o "$tmp/says" "$tmp/says.c"
rm -rf "$tmp/store"
check_output "a sanitizer's words" "sanitizer report" deadheat hunt --store "$tmp/store" -- "$tmp/says"
done_testing
