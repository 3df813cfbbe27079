# --format is common to all that print findings (DESIGN 4): what a command asked for or found, in full, and nothing else on stdout.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cat >race.c <<'C'
#include <pthread.h>
int one, two;
static void *a(void *x) { one++; return x; }
static void *b(void *x) { two++; return x; }
int main(int argc, char **argv)
{
	void *(*f)(void *) = argc > 1 ? b : a;
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	f(0);
	pthread_join(t, 0);
	return 0;
}
C
deadheat-cc -g race.c -o race
ids() { grep -o '"id": "[0-9a-f]*"' "$1" | sort -u; }
is_report() { grep -q '"schema": "deadheat-report/1"' "$1" && [ "$(head -c 1 "$1")" = "{" ] && [ "$(tail -c 2 "$1")" = "}" ]; }

deadheat detect -q --format json ./race >one.json
check "detect prints a report, and only that" is_report one.json
check "on the race it found" grep -q '"variable": "one"' one.json
deadheat detect -q --format json ./race x >two.json
check "the next run: its own" grep -q '"variable": "two"' two.json
check_fails "and not what another run found" grep -q '"variable": "one"' two.json
deadheat list -q --format json >all.json
check "list has both" sh -c 'grep -q one all.json && grep -q two all.json'
id=$(deadheat list -q | awk '/ on one/ { print $1; exit }')
deadheat show -q --format json "$id" >show.json
check "show prints a report" is_report show.json
check "of the one asked for" sh -c 'grep -q "\"variable\": \"one\"" show.json && ! grep -q "\"variable\": \"two\"" show.json'
check_output "show of no such finding says so" "no finding 'ffff'" deadheat show --format json ffff
deadheat confirm -q --format json --trials 20 "$id" >confirm.json
check "confirm exits with 66 all the same" [ $? = 66 ]
check "confirm prints a report, and only that" is_report confirm.json
check "with the rung it reached" grep -q '"confirmed"' confirm.json
check_fails "of what was named" grep -q '"variable": "two"' confirm.json
check_output "its own lines go to stderr" "hit in" sh -c "deadheat confirm --format json --trials 20 $id 2>&1 >/dev/null"
deadheat fuzz -q --format json --trials 5 ./race >fuzz.json
check "fuzz prints a report, and only that" is_report fuzz.json
rm -rf again
deadheat detect -q --store again ./race >/dev/null
deadheat detect -q --store again ./race x >/dev/null
deadheat confirm -q --store again --trials 20 >lines
check "each finding is tried with the arguments it was seen with" sh -c 'grep -q "confirmed.* on one" lines && grep -q "confirmed.* on two" lines && ! grep -q suspected lines'
deadheat detect -q --store again ./race >/dev/null
check_output "and alone, whatever ran last" "confirmed" deadheat confirm -q --store again --trials 20 \
	"$(deadheat list -q --store again | awk '/ on two/ { print $1; exit }')"
for format in text json sarif junit tsan github html; do
	check "list --format $format" sh -c "deadheat list -q --format $format | grep -q ."
done
cat >clean.c <<'C'
int main(void) { return 0; }
C
deadheat-cc -g clean.c -o clean
deadheat detect -q --store empty --format json ./clean >clean.json
check "nothing found is a report, too" is_report clean.json
for command in 'detect ./race' 'confirm' 'fuzz ./race' 'list' "show $id" 'sample ./race' 'trap ./race'; do
	set -- $command
	name=$1; shift
	check_output "$name names a wrong --format" "format" deadheat "$name" --format pdf "$@"
	deadheat "$name" --format pdf "$@" >/dev/null 2>&1
	check "$name: that is wrong use" [ $? = 2 ]
done
done_testing
