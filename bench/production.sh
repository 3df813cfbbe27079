#!/bin/sh
# Throughput of real servers with deadheat in them, against the same server without.
#
#   bench/production.sh [apache memcached redis mariadb]
#     MODES="sample trap"  what is compared with native
#     ROUNDS=20     rounds a server, 8 at least; more make the interval narrower
#     LENGTH=0.75   seconds a native run takes; the number of requests is found out at the start
#     OUT=build/production   rows are kept there: begun again, only what is missing is measured;
#                   another build of deadheat, other ROUNDS, LENGTH or EXTRA, or FRESH=1 begin anew
#     EXTRA=        more options for the modes, e.g. EXTRA=--no-steps with MODES=sample
#
# About 8 minutes in all (make bench: 16 rounds, 6 minutes). Of each server four run side by side all the time, on ports of their own: two native ones
# and one under each mode. In a round each gets the same load, a third of it unmeasured first (what an idle
# deadheat had saved up is spent there); who comes first, second ... changes from round to round, and its
# direction too. Servers, clients and their numbers are the same, nothing is pinned; databases are filled before.
#
# Of each round the throughput and the CPU time a request (all processes of the server, deadheat's own
# included) are divided by the mean of the two native runs of that round. Printed, as rows of Markdown, are the
# median over the rounds, its 95 % interval (order statistics: no assumption about the noise) and, last, the least and the most.
# The row `native` is the second native server against the first: what the same program differs from itself by
# here is the floor of all that can be said. A bar is met or missed by the median; where the interval reaches over it, more
# ROUNDS decide. A missed bar is a figure, not a failure: the status is 0 unless something could not be measured.
# OUT/SERVER.MODE.tsv has every round. Failed requests are counted and must be none; mariadb's tables must be the native ones' in the end.
cd "$(dirname "$0")/.." || exit 1
TOP=$PWD
PATH=$TOP/build/bin:/usr/sbin:$PATH
ROUNDS=${ROUNDS:-20} LENGTH=${LENGTH:-0.75} MODES=${MODES:-sample trap} OUT=${OUT:-$TOP/build/production}
[ "$ROUNDS" -ge 8 ] || echo "fewer than 8 rounds: good for a look only" >&2
if [ $# = 0 ]; then set -- apache memcached redis mariadb; fi
sh tests/packages bench || exit 1
mkdir -p "$OUT" || exit 1
key=$(cat build/bin/deadheat build/lib/deadheat/*/*.so 2>/dev/null | cksum | tr ' ' -)/$ROUNDS/$LENGTH/$EXTRA/$(cksum <bench/production.sh | tr ' ' -)
W=$(mktemp -d "${TMPDIR:-/tmp}/deadheat-production.XXXXXX") || exit 1
sessions=
cleanup() { for s in $sessions; do env kill -TERM -- -"$s" 2>/dev/null; done; sleep 1; for s in $sessions; do env kill -KILL -- -"$s" 2>/dev/null; done; rm -rf "$W"; }
trap cleanup EXIT
trap 'exit 1' INT TERM
chmod 755 "$W"
gcc -O2 -o "$W/mcload" bench/production/mcload.c && gcc -O2 -o "$W/cpu" bench/production/cpu.c || exit 1
base=$((20000 + $$ % 20000))

# start NAME WHO PORT COMMAND...: in a session of its own; its number goes to $W/NAME.WHO.session
start() {
	s_name=$1 s_who=$2; shift 3
	case $s_who in
	native | again) setsid "$@" >"$W/$s_name.$s_who.out" 2>&1 & ;;
	*) setsid deadheat "$s_who" --store "$W/store.$s_name.$s_who" $EXTRA -- "$@" >"$W/$s_name.$s_who.out" 2>&1 & ;;
	esac
	session=$!
	sessions="$sessions $session"
	echo $session >"$W/$s_name.$s_who.session"
}
cpu() { "$W/cpu" "$1"; } # of a session, ns
now() { date +%s%N; }
ready() { for _ in $(seq 600); do "$W/port" "$1" && return 0; sleep 0.1; done; return 1; }
cat >"$W/port.c" <<'C'
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
int main(int c, char **v)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(v[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	return c != 2 || connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&to, sizeof(to)) != 0;
}
C
gcc -o "$W/port" "$W/port.c" || exit 1

# ---- servers: run_X WHO PORT starts it, load_X PORT REQUESTS sends requests and prints "failed N" ----
run_apache() {
	mkdir -p "$W/www" "$W/apache.$1"; chmod 755 "$W/www" "$W/apache.$1"
	head -c 2048 /dev/zero | tr '\0' x >"$W/www/index.html"
	cat >"$W/apache.$1/conf" <<C
ServerRoot $W/apache.$1
ServerName localhost
Listen 127.0.0.1:$2
PidFile $W/apache.$1/pid
ErrorLog $W/apache.$1/error
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
DocumentRoot $W/www
User www-data
Group www-data
StartServers 2
ThreadsPerChild 25
MaxRequestWorkers 50
C
	start apache "$1" "$2" apache2 -DFOREGROUND -f "$W/apache.$1/conf"
}
load_apache() { ab -q -k -c 8 -n "$2" "http://127.0.0.1:$1/index.html" 2>&1 | awk '/^Failed requests/ { f = $3 } /^Complete requests/ { c = $3 } END { print "failed", c ? f : "all" }'; }
run_memcached() { start memcached "$1" "$2" memcached -u nobody -l 127.0.0.1 -p "$2" -U 0 -t 4 -m 64; }
load_memcached() { "$W/mcload" "$1" 8 "$2"; }
run_redis() { mkdir -p "$W/redis.$1"; start redis "$1" "$2" redis-server --bind 127.0.0.1 --port "$2" --save '' --appendonly no --dir "$W/redis.$1"; }
load_redis() { redis-benchmark -p "$1" -c 8 -n $(($2 / 2)) -P 4 -t set,get -q >"$W/redis.load" 2>&1 && ! grep -qi err "$W/redis.load" && echo failed 0 || echo failed some; }
# One table of 5,000 rows, which keeps its size; made anew after the number of requests was found out.
database() {
	[ ! -d "$W/mariadb.empty" ] || return 0
	mkdir "$W/mariadb.empty"
	mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$W/mariadb.empty" --auth-root-authentication-method=normal --skip-test-db >"$W/mariadb.install" 2>&1 || { tail -3 "$W/mariadb.install" >&2; return 1; }
	echo "DROP DATABASE IF EXISTS b; CREATE DATABASE b; USE b; CREATE TABLE t (id INT PRIMARY KEY, n INT, s VARCHAR(120), KEY (n)); INSERT INTO b.t SELECT seq, seq * 7 % 311, REPEAT('x', seq % 97) FROM seq_1_to_5000;" >"$W/mariadb.sql"
	awk 'BEGIN { for (i = 1; i <= 40; i++) { k = i * 1237 % 5000 + 1; print "SELECT s FROM b.t WHERE id = " k ";"; print "SELECT COUNT(*), SUM(n), MAX(s) FROM b.t WHERE id BETWEEN " k " AND " k + 60 ";"
		print "UPDATE b.t SET n = n + 1 WHERE id = " k ";"; print "SELECT id FROM b.t WHERE n = " i * 7 " ORDER BY id LIMIT 10;" } }' >"$W/mariadb.queries"
}
run_mariadb() {
	database || exit 1
	cp -a "$W/mariadb.empty" "$W/mariadb.$1"
	start mariadb "$1" "$2" mariadbd --no-defaults --user="$(id -un)" --datadir="$W/mariadb.$1" --socket="$W/mariadb.$1.sock" --port="$2" --bind-address=127.0.0.1 --innodb-buffer-pool-size=64M --innodb-flush-log-at-trx-commit=0 --skip-log-bin
}
fill_mariadb() { mariadb --no-defaults -h 127.0.0.1 -P "$1" -u root <"$W/mariadb.sql"; }
load_mariadb() { # its status is 0 even if it could not connect
	mariadb-slap --no-defaults -h 127.0.0.1 -P "$1" -u root --concurrency=4 --number-of-queries="$2" --create-schema=b --no-drop --query="$W/mariadb.queries" --delimiter=';' >"$W/slap" 2>&1 && ! grep -q Error "$W/slap" && echo failed 0 || { cat "$W/slap" >&2; echo failed some; }
}
# All have had the same statements: their tables are the same, and the same statements give the same answers.
answers() { for i in $(seq 200); do echo "INSERT INTO t VALUES ($i, REPEAT('x', $i % 50), $i * 7 % 31);"; done | { echo "CREATE DATABASE IF NOT EXISTS a; USE a; DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, s TEXT, n INT);"; cat; echo "SELECT n, COUNT(*), SUM(LENGTH(s)) FROM t GROUP BY n ORDER BY n; SELECT MD5(GROUP_CONCAT(s ORDER BY id)) FROM t; CHECKSUM TABLE t; CHECKSUM TABLE b.t;"; } | mariadb --no-defaults -h 127.0.0.1 -P "$1" -u root -N; }
least_of() { case $1 in apache) echo 2000 ;; memcached) echo 16000 ;; redis) echo 16000 ;; mariadb) echo 800 ;; esac; }

# one NAME WHO PORT REQUESTS: a third of it to warm up; then "requests/s cpu-ns-per-request"; failures go to a file
one() {
	s=$(cat "$W/$1.$2.session")
	load_"$1" "$3" $(($4 / 3)) >>"$W/failures"
	c=$(cpu "$s") t=$(now)
	f=$(load_"$1" "$3" "$4")
	t=$(($(now) - t)) c=$(($(cpu "$s") - c))
	echo "$f" >>"$W/failures"
	awk -v n="$4" -v t="$t" -v c="$c" 'BEGIN { printf "%.1f %.1f\n", n / (t / 1e9), c / n }'
}
# So many that a native run takes LENGTH seconds: by a short one, then by one of that length.
calibrate() { # NAME PORT
	n_least=$(least_of "$1") n_now=$n_least
	for _ in 1 2; do
		rate=$(one "$1" again "$2" "$n_now")
		n_now=$(awk -v r="${rate% *}" -v l="$LENGTH" -v least="$n_least" 'BEGIN { n = int(r * l / 480) * 480; print n < least ? least : n }')
	done
	echo "$n_now"
}
# "median [low..high]" of the numbers on stdin, and "least..most" as the third word; low and high: the largest rank k
# from both ends that a binomial of n throws of a coin stays below with 2.5 % at most.
summary() {
	sort -n | awk '{ v[NR] = $1 } END {
		if (!NR) { print "- - -"; exit }
		m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		p = sum = 0.5 ^ NR; k = 1
		for (i = 1; i < NR / 2; i++) { p = p * (NR - i + 1) / i; if (sum > 0.025) break; k = i; sum += p }
		printf "%.3f [%.3f..%.3f] %.3f..%.3f", m, v[k], v[NR + 1 - k], v[1], v[NR] }'
}
column() { awk -v c="$1" '{ print $c }' "$2"; }
bar_of() { case $1 in sample) echo 0.97 ;; trap) echo 0.95 ;; esac; }
stop() { # NAME
	for m in $all; do env kill -TERM -- -"$(cat "$W/$1.$m.session")" 2>/dev/null; done
	for m in $all; do for _ in $(seq 100); do env kill -0 -- -"$(cat "$W/$1.$m.session")" 2>/dev/null || break; sleep 0.2; done; done
	for m in $all; do env kill -KILL -- -"$(cat "$W/$1.$m.session")" 2>/dev/null; done
}
# The order of a round: turned by one every round, backwards every other time round.
order() { # ROUND
	echo $all | awk -v r="$1" '{ for (i = 0; i < NF; i++) { k = (i + r) % NF; if (int(r / NF) % 2) k = NF - 1 - k; printf "%s ", $(k + 1) } }'
}

row() { # NAME MODE FAILED: its rounds are in $OUT/NAME.MODE.tsv
	tsv=$OUT/$1.$2.tsv
	set -- "$1" "$2" "$3" $(column 5 "$tsv" | summary) # $4 median $5 interval $6 spread
	met=-
	[ -z "$(bar_of "$2")" ] || met=$(awk -v m="$4" -v b="$(bar_of "$2")" -v f="$3" 'BEGIN { print m >= b && f == "0" ? "yes" : "NO" }')
	printf '| %s | %s | %d | %.0f | %s %s | %.2f | %s | %s | %s | %s |\n' "$1" "$2" "$(wc -l <"$tsv")" "$(column 1 "$tsv" | summary | cut -d' ' -f1)" \
		"$4" "$5" "$(column 2 "$tsv" | summary | awk '{ print $1 / 1000 }')" "$(column 6 "$tsv" | summary | cut -d' ' -f1,2)" "$3" "$met" "$6"
}

# measure NAME: every round into tsv files, rows into $rows
measure() {
	: >"$W/failures"
	for m in $all; do base=$((base + 1)); echo $base >"$W/$1.$m.port"; run_"$1" "$m" $base; done
	for m in $all; do ready "$(cat "$W/$1.$m.port")" || { echo "$1 did not start:" >&2; tail -5 "$W/$1".*.out >&2; stop "$1"; return 1; }; done
	[ "$1" != mariadb ] || fill_mariadb "$(cat "$W/$1.again.port")" || { stop "$1"; return 1; }
	requests=$(calibrate "$1" "$(cat "$W/$1.again.port")")
	[ "$1" != mariadb ] || for m in $all; do fill_mariadb "$(cat "$W/$1.$m.port")" || { stop "$1"; return 1; }; done
	for m in $all; do one "$1" "$m" "$(cat "$W/$1.$m.port")" "$requests" >/dev/null; rm -f "$W/$m.rounds"; done
	for round in $(seq "$ROUNDS"); do
		for m in $(order "$round"); do one "$1" "$m" "$(cat "$W/$1.$m.port")" "$requests" >>"$W/$m.rounds"; done
	done
	failed=$(grep -vc '^failed 0$' "$W/failures")
	rm -f "$rows.new"
	for m in native $MODES; do
		wrong=$failed
		if [ "$1" = mariadb ]; then
			[ $m != native ] || answers "$(cat "$W/$1.native.port")" >"$W/want"
			answers "$(cat "$W/$1.$([ $m = native ] && echo again || echo $m).port")" >"$W/got"
			cmp -s "$W/want" "$W/got" && [ -s "$W/want" ] || wrong="$failed, answers differ"
		fi
		if [ $m = native ]; then paste -d' ' "$W/native.rounds" "$W/again.rounds" | awk '{ printf "%s\t%s\t%s\t%s\t%.4f\t%.4f\n", $1, $2, $3, $4, $3 / $1, $4 / $2 }'
		else paste -d' ' "$W/native.rounds" "$W/again.rounds" "$W/$m.rounds" | awk '{ r = ($1 + $3) / 2; c = ($2 + $4) / 2; printf "%.1f\t%.1f\t%s\t%s\t%.4f\t%.4f\n", r, c, $5, $6, $5 / r, $6 / c }'; fi >"$OUT/$1.$m.tsv"
		row "$1" $m "$wrong" >>"$rows.new"
	done
	stop "$1"
	for m in $MODES; do grep -h '^deadheat:' "$W/$1.$m.out" | sed "s/^deadheat: /<!-- $m: /; s/\$/ -->/"; done >>"$rows.new"
	echo "$key/$MODES" >"$rows.key"
	mv "$rows.new" "$rows"
}

all="native again $MODES"
bad=0
echo "| server | mode | rounds | native requests/s | throughput, of native [95 %] | native CPU us/request | CPU/request, of native [95 %] | failed | bar | least..most |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for name; do
	rows=$OUT/$name.rows
	if [ -n "$FRESH" ] || [ ! -s "$rows" ] || [ "$(cat "$rows.key" 2>/dev/null)" != "$key/$MODES" ]; then
		rm -f "$rows"
		measure "$name" || { bad=1; continue; }
	fi
	cat "$rows"
done
echo
echo "bar: throughput at least 0.97 of native for sample, 0.95 for trap; no failed request"
exit $bad
