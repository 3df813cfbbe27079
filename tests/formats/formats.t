# Every format from the command line over one hunted program; what tools make of it.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
for example in queue locks; do
	cp "$TOP/examples/$example.c" . && deadheat-cc -pthread $example.c -o $example &&
		deadheat hunt --quiet --schedule random --store store ./$example >hunt.log 2>&1
done

# ---- -o works for all, and is what goes to standard output without it -----------------------
for format in $(deadheat report --store store --format none 2>&1 | sed -n 's/.*is not one of \([a-z ]*\).*/\1/p'); do
	deadheat report --store store --format $format >out.$format
	check_status "$format: -o writes the file, the gate stands" 66 deadheat report --store store --format $format -o file.$format
	check "$format: the file is what standard output was" cmp out.$format file.$format
	check "$format: it ends with a newline" sh -c "[ -s file.$format ] && [ -z \"\$(tail -c 1 file.$format)\" ]"
	check_status "$format: --fail-on never" 0 deadheat report --store store --format $format --fail-on never
done
check "all seven were tried" sh -c '[ "$(ls file.* | wc -l)" = 7 ]'
check_output "a folder that is not there is said" "cannot write /no/such/folder/f" \
	deadheat report --store store --format html -o /no/such/folder/f
check_status "a full disk is said" 1 sh -c 'deadheat report --store store --format html -o /dev/full'

# ---- text ---------------------------------------------------------------------------------------
check "text: 80 columns are enough" sh -c '! grep -nE "^.{81}" file.text'
check "text: no colours in a file" sh -c '! grep -q "$(printf "\033")" file.text'
check_output "text: the hint names the lock and the place" "take queue.lock at queue.c:52" cat file.text
check_output "text: the meeting is drawn" "both stand before their accesses" cat file.text
check_output "text: the line to copy" "repeat it: deadheat replay --store store" cat file.text
replay=$(sed -n 's/.*repeat it: //p' file.text | head -n 1)
check "text: the copied line replays" sh -c "$replay --verify"

on_terminal() { # columns command...
	columns=$1; shift
	script -qec "stty cols $columns; $*" /dev/null </dev/null
}
id=$(sed -n 's/.*repeat it: .* //p' file.text | head -n 1)
on_terminal 80 deadheat show --store store $id >narrow
check "text: colours on a terminal" grep -q "$(printf '\033')" narrow
check_fails "text: none with NO_COLOR" sh -c "$(command -v script) -qec 'NO_COLOR=1 deadheat show --store store $id' /dev/null </dev/null | grep -q '$(printf '\033')'"
on_terminal 130 env NO_COLOR=1 deadheat show --store store $id >wide
check "text: the two sides beside each other where there is room" grep -qE '^  a  write .* b  (read|write) ' wide

# ---- json, sarif ------------------------------------------------------------------------------------
for format in json sarif; do
	check "$format: a strict reader takes it" node -e 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))' file.$format
done
check "sarif: the thread flows are those of the schedule" sh -c "[ \$(grep -oE '\"executionOrder\": [0-9]+' file.sarif | sort -u | wc -l) -gt 5 ]"

# ---- junit ----------------------------------------------------------------------------------------------
check "junit: well-formed XML" xmllint --noout file.junit
counts() { # of the elements, and what the attributes claim
	for element in testcase failure skipped; do xmllint --xpath "count(//$element)" file.junit; echo; done
	for attribute in tests failures skipped; do xmllint --xpath "string(/testsuites/@$attribute)" file.junit; done
}
check "junit: the counts are those of the cases" sh -c 'set -- $1; [ "$1 $2 $3" = "$4 $5 $6" ]' counts "$(counts)"

# ---- tsan: the lines are TSan's own ------------------------------------------------------------------------
# But for the last one of ours, which counts what this format has no word for.
fits() { ! grep -vE '^(deadheat: left out .*)?$' "$1" | grep -vE -f "$TOP/tests/formats/tsan.shapes"; }
check "tsan: every line is one of TSan's" fits file.tsan
check_output "tsan: the race" "SUMMARY: ThreadSanitizer: data race queue.c:33" cat file.tsan
check_output "tsan: the deadlock" "lock-order-inversion (potential deadlock)" cat file.tsan
cp "$TOP/examples/counter.c" .
if clang-19 -g -fsanitize=thread -pthread counter.c -o real 2>clang.err; then
	./real >/dev/null 2>real.tsan || true
	check "tsan: and the shapes are right: the real TSan's fit too" fits real.tsan
	check_output "tsan: which did speak" "WARNING: ThreadSanitizer: data race" cat real.tsan
fi

# ---- github -----------------------------------------------------------------------------------------------------
check "github: annotations, one a line, and the verdict" sh -c '! grep -vE "^(::(error|notice) (file=[^,]+,line=[0-9]+,(col=[0-9]+,)?)?title=[^:]+::.+|verdict: racy)$" file.github'
check_output "github: beside the line" "::error file=queue.c,line=33," cat file.github

# ---- a program without a race is silent in all -------------------------------------------------------------------
cat >fine.c <<'X'
#include <pthread.h>
static int n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *inc(void *x)
{
	pthread_mutex_lock(&lock);
	n++;
	pthread_mutex_unlock(&lock);
	return x;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, inc, 0);
	inc(0);
	return pthread_join(t, 0);
}
X
deadheat-cc -pthread fine.c -o fine && deadheat hunt --quiet --schedule random --store fine-store ./fine >fine.log 2>&1
for format in text tsan github; do
	check "$format: nothing of a race" sh -c "! deadheat report --store fine-store --format $format | grep -iE 'data race|warning|::'"
done
check_output "junit: one case that passes" 'tests="1" failures="0"' deadheat report --store fine-store --format junit
check_output "sarif: a run without results" '"results": [' deadheat report --store fine-store --format sarif
check_output "html: clean" '"verdict": "clean"' deadheat report --store fine-store --format html
done_testing
