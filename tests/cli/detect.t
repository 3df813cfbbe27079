# deadheat detect from outside: the program keeps its files, its end is told, findings are kept.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cat >race.c <<'X'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int shared;
static void *add(void *x) { shared++; return x; }
int main(int argc, char **argv)
{
	pthread_t t;
	char line[64];
	const char *how = argc > 1 ? argv[1] : "";

	pthread_create(&t, 0, add, 0);
	add(0);
	pthread_join(t, 0);
	if (!strcmp(how, "cat") && fgets(line, sizeof(line), stdin))
		printf("read %s", line);
	if (!strcmp(how, "env"))
		printf("%s %s\n", getenv("COLOUR"), getenv("DEADHEAT_WIRE") ? "wire" : "no wire");
	if (!strcmp(how, "exit"))
		return 7;
	if (!strcmp(how, "_exit"))
		_exit(8);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "segv"))
		*(volatile int *)(long)argc = 0;
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "hang")) {
		FILE *f = fopen(argv[2], "w");

		fprintf(f, "%d\n", getpid());
		fclose(f);
		for (;;)
			pause();
	}
	return 0;
}
X
cat >quiet.c <<'X'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;
static void *add(void *x) { pthread_mutex_lock(&lock); shared++; pthread_mutex_unlock(&lock); return x; }
int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, add, 0);
	add(0);
	pthread_join(t, 0);
	return 0;
}
X
deadheat-cc race.c -o race && deadheat-cc quiet.c -o quiet
found="suspected pair: add / add on shared"

check_status "detect: nothing at or above confirmed" 0 deadheat detect ./race
check_output "the pair is printed" "$found" deadheat detect ./race
check_output "what to type next" "next: deadheat confirm" deadheat detect ./race
check_output "how it ended" "exit 0 after" deadheat detect ./race
check_status "--fail-on suspected" 66 deadheat detect --fail-on suspected ./race
check_status "the silent twin" 0 deadheat detect --fail-on suspected --store twin ./quiet
check_output "says so" "0 pairs suspected" deadheat detect --store twin ./quiet
check "the twin's store is empty" sh -c "[ -z \"\$(deadheat list --store twin 2>/dev/null | grep suspected)\" ]"
check_output "--rule hb" "$found" deadheat detect --rule hb --store hb ./race
check_output "--schedule random" "$found" deadheat detect --schedule random --store explore ./race
check_output "--no-patch" "$found" deadheat detect --no-patch --store nopatch ./race
check_output "--runs 1" "after 1 run;" deadheat detect --runs 1 ./race
check_output "stdin is the program's" "read hello" sh -c "echo hello | deadheat detect --runs 1 ./race cat"
echo file >input
check_output "a file is read anew by each run" "2" sh -c "deadheat detect --runs 2 --store again ./race cat <input | grep -c 'read file'"
check "stdout is the program's" sh -c "echo hello | deadheat detect -q --runs 1 ./race cat 2>/dev/null | grep -q '^read hello'"
check_output "its environment, ours is hidden" "blue no wire" env COLOUR=blue deadheat detect --runs 1 ./race env

for how in exit:'exit 7' _exit:'exit 8' abort:SIGABRT segv:SIGSEGV kill:SIGKILL; do
	word=${how%%:*} ends=${how#*:}
	check_output "$word: how it ended is told" "$ends after" deadheat detect --store "s-$word" --runs 1 ./race "$word"
	check_output "$word: what was found is kept" "$found" deadheat list --store "s-$word"
done

check_output "--timeout ends a hanging program" "SIGKILL after 1 run" \
	deadheat detect --runs 1 --timeout 15s --store timeout ./race hang "$tmp/pid0"
check_output "and what was found is kept" "$found" deadheat list --store timeout

# Signals: the program writes its pid into a fifo when it is where we want it.
mkfifo pid
wait_gone() { timeout 300 tail --pid="$1" -f /dev/null; }
for signal in TERM INT HUP; do
	env --default-signal=INT,HUP deadheat detect --store "sig-$signal" ./race hang pid >"out-$signal" 2>&1 &
	host=$!
	target=$(timeout 300 head -n 1 pid)
	kill -$signal $host
	wait $host
	check "SIG$signal: the host ends" true
	check "SIG$signal: the program is gone" wait_gone "$target"
	check_output "SIG$signal: what was found is kept" "$found" deadheat list --store "sig-$signal"
	check_output "SIG$signal: it says how it ended" "SIG$signal after 1 run" cat "out-$signal"
done
deadheat detect --store killed ./race >/dev/null 2>&1
deadheat detect --store killed ./race hang pid >/dev/null 2>&1 &
host=$!
target=$(timeout 300 head -n 1 pid)
kill -KILL $host
wait $host 2>/dev/null
check "the host killed: the program dies with it" wait_gone "$target"
check_output "the host killed: the store is whole" "$found" deadheat list --store killed
check_status "... and can be used again" 0 deadheat detect --store killed ./race

# list, show, report
id=$(deadheat list | sed -n '1s/ .*//p')
check_output "show by id" "$found" deadheat show "$id"
check_output "show a missing id" "there is no finding 'ffff'" deadheat show ffff
check_status "show a missing id: usage" 2 deadheat show ffff
check_output "report in text" "$found" deadheat report
check_status "report: nothing confirmed" 0 deadheat report
check_status "report --fail-on suspected" 66 deadheat report --fail-on suspected
check_output "report in json" '"schema": "deadheat-report/1"' deadheat report --format json
check "report -o FILE" sh -c "deadheat report --format json -o r.json && grep -q suspected r.json"
check_output "report -o where nothing can be written" "--output: cannot write /nope/x" deadheat report -o /nope/x
check_output "report on a full disk" "cannot write" deadheat report -o /dev/full
done_testing
