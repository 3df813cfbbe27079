# deadheat scan as a user types it: verdicts, options, mistakes; scan then confirm; hunt FILE.c with its overall verdict.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cp "$TOP/tests/scan/racy/counter.c" racy.c
cp "$TOP/tests/scan/clean/counter.c" clean.c

# ---- verdicts -------------------------------------------------------------------------------------------------
check_output "a racy program: candidates" "verdict: undecided: " deadheat scan racy.c
check_output "... with the two places" "racy.c:21" deadheat scan racy.c
check_output "... the threads" "reset" deadheat scan racy.c
check_output "... the lock that is held" "holds lock" deadheat scan racy.c
check_output "... and what was excluded" "excluded: " deadheat scan racy.c
check_status "a claim is no race: status 0" 0 deadheat scan racy.c
check_status "unless asked for" 66 deadheat scan --fail-on claimed racy.c
check_output "a clean one: race-free" "verdict: race-free" deadheat scan clean.c
check_status "... status 0" 0 deadheat scan --fail-on claimed clean.c
deadheat scan --quiet --format json racy.c >racy.json
deadheat scan --quiet --format json clean.c >clean.json
check "json: the verdict" grep -q '"verdict": "race-free"' clean.json
check "json: rung and finder" grep -q '"rung": "claimed".*"found_by": \["scan"\]' racy.json
check "json: what was excluded is counted" grep -q '"scan_excluded_by_[a-z_]*": [1-9]' clean.json
check "json: the way from the thread's start is the stack" grep -q '"stack": \[{"function": "[a-z]*"' racy.json
check_output "list has them" "claimed" deadheat list

# ---- what is believed -------------------------------------------------------------------------------------------
id=$(sed -n 's/.*"id": "\([0-9a-f]*\)".*/\1/p' racy.json | head -n 1)
check_output "--explain: the thread" "thread   " deadheat scan --quiet --explain "$id" racy.c
check_output "--explain: a beginning of the id" "same object: " deadheat scan --quiet --explain "$(echo "$id" | cut -c1-12)" racy.c
check_status "--explain: no such id" 2 deadheat scan --explain 0123456789abcdef racy.c
check_output "--summary: the function" "serve" deadheat scan --quiet --summary serve racy.c
check_output "--summary: its lock" "lock" deadheat scan --quiet --summary serve racy.c
check_status "--summary: no such function" 2 deadheat scan --summary frobnicate racy.c
check_output "--without: the proof is gone" "verdict: undecided" deadheat scan --without locks clean.c
check_status "--without: an unknown name" 2 deadheat scan --without lokcs clean.c
check_output "... did you mean" "did you mean 'locks'" deadheat scan --without lokcs clean.c

# ---- a project's own lock ------------------------------------------------------------------------------------------
cat >own.c <<'C'
#include <pthread.h>
struct ticket { int next, serving; };
void ticket_enter(struct ticket *t);
void ticket_leave(struct ticket *t);
static struct ticket ticket;
static int shared;
static void *work(void *arg)
{
	ticket_enter(&ticket);
	shared++;
	ticket_leave(&ticket);
	return arg;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return shared;
}
C
printf 'lock ticket_enter(0) write\nunlock ticket_leave(0)\n' >own.model
printf 'lock ticket_enter(0)\ntrylock ticket_try(0)\n' >bad.model
check_output "a lock nobody knows: an assumption" "ticket_enter" deadheat scan own.c
check_fails "... and no proof" sh -c 'deadheat scan --quiet own.c | grep -q race-free'
check_output "with its model: proved" "verdict: race-free" deadheat scan --model own.model own.c
check_status "a mistake in a model" 2 deadheat scan --model bad.model own.c
check_output "... says where and what" "bad.model:2: trylock ticket_try: 'returns N' is missing" deadheat scan --model bad.model own.c
check_output "no such model" "none.model" deadheat scan --model none.model own.c

# ---- mistakes ----------------------------------------------------------------------------------------------------------
printf 'int main(void) { return broken; }\n' >broken.c
check_status "nothing to scan" 2 deadheat scan
check_status "files and a build" 2 deadheat scan -p . racy.c
check_status "no source file" 2 deadheat scan racy.json
check_fails "no such file" deadheat scan none.c
check_output "a file that does not compile: the compiler's words" "broken" deadheat scan clean.c broken.c
check_fails "... and no proof" sh -c 'deadheat scan --quiet clean.c broken.c | grep -q race-free'
check_output "... it is listed" "broken.c was left out" deadheat scan --quiet clean.c broken.c
: >empty.bc
check "the only file cannot be read: that is said in one line" sh -c 'deadheat scan empty.bc >out 2>&1; [ $? = 3 ] && [ "$(wc -l <out)" = 1 ] && grep -q "empty.bc: the file is empty" out'
check_status "a build that is none" 3 deadheat scan -p "$tmp/nowhere"
check_status "an unknown format" 2 deadheat scan --format frob racy.c
check_output "words for the compiler" "verdict: race-free" deadheat scan clean.c -- -DX=1 -I /tmp
check_output "a place where no store can be: still printed" "verdict: race-free" deadheat scan --no-cache --store /proc/none clean.c
check_fails "... but it is told" deadheat scan --no-cache --store /proc/none clean.c

# ---- scan, then confirm -----------------------------------------------------------------------------------------------------
rm -rf .deadheat
deadheat scan --quiet racy.c >/dev/null
deadheat-cc -g -pthread -o racy racy.c
check_output "confirm takes scan's claims" "confirmed" deadheat confirm --quiet -- ./racy
deadheat report --format json --fail-on never >confirmed.json
check "... scan found it" grep -q '"rung": "\(confirmed\|harmful\)".*"found_by": \["scan"' confirmed.json
deadheat detect --quiet --store detected -- ./racy >/dev/null
deadheat report --store detected --format json --fail-on never | grep -o '"id": "[0-9a-f]*"' | sort >detected.ids
grep -o '"id": "[0-9a-f]*"' confirmed.json | sort >confirmed.ids
check "... under detect's ids" sh -c '[ -s detected.ids ] && [ -z "$(comm -23 detected.ids confirmed.ids)" ]'

# The same file by another name, as a build in another folder has it.
rm -rf .deadheat; mkdir -p build
deadheat scan --quiet "$tmp/racy.c" >/dev/null
(cd build && deadheat-cc -g -pthread -o racy ../racy.c)
check_output "confirm finds the statements by another spelling of the file" "confirmed" deadheat confirm --quiet --trials 5 -- build/racy

# ---- hunt FILE.c ----------------------------------------------------------------------------------------------------------------
check_output "hunt racy.c: racy" '"verdict": "racy"' deadheat hunt --quiet --store h1 --format json racy.c
check_output "hunt clean.c: race-free" '"verdict": "race-free"' deadheat hunt --quiet --store h2 --format json clean.c
cat >hidden.c <<'C'
/* The second thread only writes when the program gets six arguments. */
#include <pthread.h>
static int x, many;
static void *f(void *p) { x = 1; return p; }
static void *g(void *p)
{
	if (many)
		x = 2;
	return p;
}
int main(int argc, char **argv)
{
	pthread_t a, b;

	many = argc > 6;
	pthread_create(&a, 0, f, argv);
	pthread_create(&b, 0, g, argv);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
C
check_output "claimed and never met" "0 of 30" deadheat hunt --quiet --store h3 hidden.c
check_output "... undecided" '"verdict": "undecided"' deadheat report --store h3 --format json
check_output "with the arguments it is met" '"verdict": "racy"' deadheat hunt --quiet --store h4 --format json hidden.c -- 1 2 3 4 5 6

# ---- claims are confirmed by rank -----------------------------------------------------------------------------------------
cat >rank.c <<'C'
#include <pthread.h>
static int apple, zebra;
static void *worker(void *arg) { zebra++; return arg; }
static void *another(void *arg) { zebra++; apple++; return arg; }
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, another, 0);
	apple++;
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
C
deadheat-cc -g -pthread rank.c -o rank
deadheat scan --quiet --store ranked --top 0 rank.c | sed -n 's/^[0-9]*  \([0-9a-f]\{8\}\)  claimed pair: .*/\1/p' >wanted
deadheat list --store ranked | sed -n 's/^\([0-9a-f]*\) .*/\1/p' >listed
deadheat confirm --quiet --store ranked --trials 1 -- ./rank >confirmed
cut -c1-8 confirmed >tried
check "scan ranks: workers first, then main" sh -c 'test "$(wc -l <wanted)" -ge 4 && ! head -c4 listed | grep -q "^$(head -c4 wanted)"'
check "confirm without ids goes by rank" sh -c 'head -n "$(wc -l <wanted)" tried | cmp - wanted || { cat wanted confirmed; exit 1; }'
deadheat confirm --quiet --store ranked --trials 1 --top 1 -- ./rank >first
check "... --top 1: the likeliest only" sh -c 'grep -q " on zebra" first && ! grep -q apple first'
check_status "... --top is a number" 2 deadheat confirm --store ranked --top many -- ./rank
done_testing
