# The unit tests of the store on PostgreSQL, and what only a server can do wrong.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/store/postgres.sh"
check "a throw-away server starts" pg_start
cd "$tmp" || exit 1
unit() { PATH="$pg_bin:$PATH" TEST_POSTGRESQL="$pg_dir" CMOCKA_MESSAGE_OUTPUT=TAP timeout 300 "$TOP/build/tests/unit/$1"; }
check "the unit tests of the store pass on PostgreSQL too" unit store
check "those of campaigns too" unit campaign
check_output "and they really ran there" "u_whole" pg_sql template1 "SELECT datname FROM pg_database"

cat >race.c <<'X'
#include <pthread.h>
int shared;
static void *add(void *x) { shared++; return x; }
int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); add(0); pthread_join(t, 0); return 0; }
X
deadheat-cc race.c -o race
url=$(pg_url one)
one_line() { "$@" 2>.o >/dev/null; [ "$(wc -l <.o)" = 1 ] || { cat .o; return 1; }; }
refuses() { # words... -- command: status 3, one line on stderr, with the words
	words=$1; shift
	"$@" >.out 2>.o; status=$?
	[ $status = 3 ] && [ "$(wc -l <.o)" = 1 ] && grep -qF -- "$words" .o || { echo "status $status"; cat .o; return 1; }
}
check "no store yet: it says so" refuses "run deadheat detect or hunt first" deadheat list --store "$url"
check_status "hunt into a database" 66 deadheat hunt -q --store "$url" ./race
check_output "its findings are listed" "data race: add / add on shared" deadheat list --store "$url"
id=$(deadheat list --store "$url" | awk 'NR == 1 { print $1 }')
check_output "show knows the schedule" "repeat it" deadheat show --store "$url" "$id"
check_output "replay repeats it" "all the same" deadheat replay --verify --store "$url" "$id"
check "no folder was made" [ ! -e .deadheat ]
check_output "doctor asks the server" "the server answers" deadheat doctor --store "$url"
check_output "doctor says if it does not" "is the server running there?" deadheat doctor --store postgresql://deadheat@127.0.0.1:1/one
check_status "hunt FILE.c: the program goes into .deadheat here" 66 deadheat hunt -q --store "$(pg_url source)" race.c
check "there it is" [ -x .deadheat/bin/race ]

# Bytes that are no UTF-8, and the characters that stand for them, survive the server.
bad=$(printf 'caf\351 \364\217\274\200')
check_status "an argument that is no text" 66 deadheat hunt -q --store "$(pg_url bytes)" -- ./race "$bad"
check_status "comes back as it was: the same program" 66 deadheat confirm -q --store "$(pg_named bytes)"
check_output "the same program, not a second one" 1 pg_sql bytes "SELECT count(*) FROM deadheat.program"

# On a server confirm takes its trials by lease, as workers do.
confirms() { pg_sql bytes "SELECT count(*) FROM deadheat.campaign WHERE name LIKE 'confirm-%'"; }
check_output "it was a campaign workers could have joined" 1 confirms
check_status "the same again finds it done" 66 deadheat confirm -q --store "$(pg_named bytes)"
check_output "and begins no second one" 1 confirms
check_output "other seeds are another: one line a finding" "hit in" deadheat confirm -q --seed 2 --store "$(pg_named bytes)"
check_output "of its own" 2 confirms
check_status "--exhaust works alone" 66 deadheat confirm -q --exhaust --trials 20 --store "$(pg_named bytes)"
check_output "no campaign" 2 confirms
check_status "in a folder too: hunt" 66 deadheat hunt -q --store alone -- ./race
check_status "then confirm" 66 deadheat confirm -q --store alone
check_output "is no campaign" "no campaigns" deadheat status --store alone

check "no server: one line" refuses "is the server running there?" deadheat list --store "postgresql://deadheat@/one?host=$tmp/nowhere"
check "a port nobody listens at" refuses "is the server running there?" deadheat list --store postgresql://deadheat@127.0.0.1:1/one
check "no such database" refuses "createdb" deadheat list --store "$(pg_named nosuch)"
check "another scheme" refuses "a store is a folder or postgresql://" deadheat list --store mysql://x/y
pg_sql one "UPDATE deadheat.version SET version = 99"
check "a newer version" refuses "is of version 99" deadheat list --store "$url"
pg_sql one "UPDATE deadheat.version SET version = 3"

pg_sql one "CREATE ROLE guest LOGIN PASSWORD 'right'"
sed -i '1i local all guest scram-sha-256' "$pg_dir/data/pg_hba.conf"
pg_sql one "SELECT pg_reload_conf()" >/dev/null
check "a wrong password: one line" refuses "password" deadheat list --store "postgresql://guest:wrong@/one?host=$pg_dir"
check_fails "which does not print it" grep -q wrong .o
pg_sql one "GRANT USAGE ON SCHEMA deadheat TO guest; GRANT SELECT ON ALL TABLES IN SCHEMA deadheat TO guest"
guest="postgresql://guest:right@/one?host=$pg_dir"
check "the right one may read" deadheat list --store "$guest"
check "and where it may not write, a line says so" refuses "permission denied" deadheat confirm -q --store "$guest" -- ./race

# A password in the location is nobody's business: neither hints nor errors print it.
pg_url hints >/dev/null
secret="postgresql://deadheat:s3cret@/hints?host=$pg_dir&password=s3cret"
: >said
for words in "detect ./race" "hunt ./race" "show ffff" "replay ffff" "confirm ffff" "suppress ffff --because x" "scan race.c" "status" "doctor" \
	"confirm --campaign c --budget 5 --detach -- ./race" "work" "report"; do
	timeout 300 deadheat ${words%% *} --store "$secret" ${words#${words%% *}} >>said 2>&1
done
timeout 300 deadheat list --store mysql://me:s3cret@/x >>said 2>&1
check_output "hints name the store" "next: deadheat confirm --store postgresql://deadheat@/hints" cat said
check_output "errors too" "no finding 'ffff' in postgresql://deadheat@/hints" cat said
check_fails "neither prints the password" grep s3cret said

# libpq is loaded when a location asks for it, not before.
check_fails "deadheat is not linked against libpq" sh -c "ldd '$TOP/build/bin/deadheat' | grep libpq"
without() { LD_LIBRARY_PATH=$tmp/broken "$@"; }
mkdir broken && echo "no library" >broken/libpq.so.5
check "where libpq is missing: one line" refuses "install libpq5" without deadheat list --store "$url"
check "and a folder works" without deadheat hunt -q --fail-on never --store folder ./race

# The server goes away in the middle: nothing half-written, and the next run goes on.
before=$(pg_sql one "SELECT sum(trials) FROM deadheat.finding")
deadheat confirm --exhaust --trials 1000000 --seed 1000 --store "$url" -- ./race >confirm.out 2>confirm.err &
pid=$!
grew() { [ "$(pg_sql one 'SELECT sum(trials) FROM deadheat.finding')" -gt "$before" ]; }
n=0; until grew || [ $n -gt 600 ]; do sleep 0.1; n=$((n + 1)); done
check "the server goes away in the middle" pg_halt
wait $pid; status=$?
check "confirm ends with status 3" [ $status = 3 ]
check_output "and says so" "the store postgresql" cat confirm.err
check "in one line" [ "$(wc -l <confirm.err)" = 1 ]
check "it comes back" pg_again
check_output "every trial counted is there once" t pg_sql one \
	"SELECT (SELECT sum(trials) FROM deadheat.finding) = (SELECT count(*) FROM deadheat.trial)
	 AND (SELECT sum(count) FROM deadheat.tally) = (SELECT count(*) FROM deadheat.trial)"
check_status "and the next run goes on" 66 deadheat confirm -q --store "$url" -- ./race
done_testing
