# export, import and merge: nothing is lost, twice is as once, either engine, bad files are told.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/store/postgres.sh"
cd "$tmp" || exit 1
cp "$TOP/bench/campaign/races.c" . && deadheat-cc races.c -o races
bad=$(printf 'caf\351 \364\217\274\200')
deadheat detect -q --schedule random --store a ./races "$bad" >/dev/null
deadheat confirm -q --trials 30 --store a -- ./races "$bad" >/dev/null
deadheat fuzz -q --trials 20 --store a ./races "$bad" >/dev/null
# What a store says, without what may differ: numbers of programs and runs, the order of use.
same() {
	for s in "$1" "$2"; do
		n=$((n + 1))
		deadheat export --store "$s" | sed 's/"\(program\|run\|first_run\|last_run\)": [0-9]*/"\1": N/g' | sort >"export.$n"
		deadheat list -q --store "$s" >"list.$n"; deadheat status --check --store "$s" >"check.$n" || return 1
	done
	diff "export.$((n - 1))" "export.$n" | cut -c 1-300 >difference; cat difference; [ ! -s difference ] && diff "list.$((n - 1))" "list.$n"
}
n=0
check "export" sh -c "deadheat export --store a >a.jsonl"
check_output "its first line has the schema" '{"type": "store", "schema": "deadheat-store/1"}' head -n 1 a.jsonl
check "every line is JSON for itself" sh -c "[ \$(grep -c '^{.*}\$' a.jsonl) = \$(wc -l <a.jsonl) ]"
check "import" deadheat import -q --store b a.jsonl
check "all is there" same a b
check_output "again: nothing is new" "0 of them new" deadheat import --store b a.jsonl
check "and nothing has changed" same a b
check "from stdin" sh -c "deadheat export --store a | deadheat import -q --store c -"
check "the same" same a c
id=$(deadheat list -q --store a | awk '$2 == "harmful" { print $1; exit }')
check_output "a witness can be replayed there" "all the same" deadheat replay --verify --store c "$id"
history() { deadheat show --store "$1" "$id" | sed -n '/^history/,$p'; }
check "the history is the same" [ "$(history a)" = "$(history c)" ]

# Two machines: other seeds, other findings.
cat >other.c <<'X'
#include <pthread.h>
int shared;
static void *add(void *x) { shared++; return x; }
int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); add(0); pthread_join(t, 0); return 0; }
X
deadheat-cc other.c -o other
deadheat hunt -q --fail-on never --format none --store d ./other
deadheat confirm -q --trials 30 --seed 500 --store d -- ./other >/dev/null
trials() { deadheat status --check --store "$1" | sed 's/.*findings, \([0-9]*\) trials.*/\1/'; }
findings() { deadheat list -q --store "$1" | grep -c .; }
cp -r a ab; check "merge a d: into the last" deadheat merge -q ab d
check "findings of both" [ "$(findings d)" = $(($(findings a) + 2)) ]
check "what comes from stays as it was" same a ab
check "whole" deadheat status --check --store d
before=$(trials d); check "merging again" deadheat merge -q ab d
check "adds nothing" [ "$(trials d)" = "$before" ]
check "three at once into a new one" deadheat merge -q a b d e
check "adds up" [ "$(trials e)" = "$before" ]

check "a server" pg_start
url=$(pg_url moved)
check "into a server" deadheat merge -q a "$url"
check "all is there" same a "$url"
check "and back into a folder" deadheat merge -q "$url" f
check "all is there" same a f
check_output "with a schedule that replays" "all the same" deadheat replay --verify --store f "$id"

refuses() { # status words command...
	wanted=$1 words=$2; shift 2
	"$@" >.out 2>.o; status=$?
	[ $status = "$wanted" ] && [ "$(wc -l <.o)" = 1 ] && grep -qF -- "$words" .o || { echo "status $status"; cat .o; return 1; }
}
echo '{"type": "store", "schema": "deadheat-store/9"}' >new.jsonl
echo 'hello' >text.jsonl
head -n 5 a.jsonl >cut.jsonl
head -c 3000 a.jsonl >torn.jsonl
check "a newer schema" refuses 2 "new.jsonl:1" deadheat import --store g new.jsonl
check "no export at all" refuses 2 "text.jsonl:1" deadheat import --store g text.jsonl
check "one that ends too early" refuses 2 "ends too early" deadheat import --store g cut.jsonl
check "one that is torn" refuses 2 "torn.jsonl:" deadheat import --store g torn.jsonl
check "no such file" refuses 2 "cannot read nosuch" deadheat import --store g nosuch
check "merge: no such store" refuses 3 "no store at nosuch" deadheat merge nosuch g
check "merge: into itself" refuses 2 "into itself" deadheat merge g g
check "merge: of what" refuses 2 "FROM... INTO" deadheat merge g
check "after a torn file the whole one" deadheat import -q --store g a.jsonl
check "all is there" same a g
done_testing
