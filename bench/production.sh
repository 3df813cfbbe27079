#!/bin/sh
# Throughput of real servers with deadheat in them, against the same server without.
#
#   bench/production.sh [apache memcached redis mariadb]
#     MODES="sample trap"  what is compared with native
#     ROUNDS=12     pairs of runs a server, 8 at least
#     LENGTH=3      seconds a run takes; the number of requests is found out at the start
#     OUT=build/production   rows are kept there: begun again, only what is missing is measured;
#                   another build of deadheat, other ROUNDS, LENGTH or EXTRA, or FRESH=1 begin anew
#     EXTRA=        more options for the mode, e.g. EXTRA=--no-steps
#
# Both modes and all servers take about 12 minutes. Both servers run all the time, on ports of their own;
# the same load goes to one and then to the other, who is first changes every round. Of each round
# the ratios deadheat/native of throughput and of CPU time a request (all processes of the server,
# deadheat's own included) are taken; printed, as rows of Markdown, are medians and the spread [least..most].
# OUT/SERVER.MODE.tsv has every round. Failed requests are counted and must be none. On a machine
# that is busy with other things the CPU ratio says more.
cd "$(dirname "$0")/.." || exit 1
TOP=$PWD
PATH=$TOP/build/bin:/usr/sbin:$PATH
ROUNDS=${ROUNDS:-12} LENGTH=${LENGTH:-3} MODES=${MODES:-sample trap} OUT=${OUT:-$TOP/build/production}
[ "$ROUNDS" -ge 8 ] || echo "fewer than 8 rounds: good for a look only" >&2
if [ $# = 0 ]; then set -- apache memcached redis mariadb; fi
sh tests/packages bench || exit 1
mkdir -p "$OUT" || exit 1
key=$(cat build/bin/deadheat build/lib/deadheat/*/*.so 2>/dev/null | cksum | tr ' ' -)/$ROUNDS/$LENGTH/$EXTRA
W=$(mktemp -d "${TMPDIR:-/tmp}/deadheat-production.XXXXXX") || exit 1
sessions=
cleanup() { for s in $sessions; do env kill -TERM -- -"$s" 2>/dev/null; done; sleep 1; for s in $sessions; do env kill -KILL -- -"$s" 2>/dev/null; done; rm -rf "$W"; }
trap cleanup EXIT
trap 'exit 1' INT TERM
chmod 755 "$W"
gcc -O2 -o "$W/mcload" bench/production/mcload.c && gcc -O2 -o "$W/cpu" bench/production/cpu.c || exit 1
base=$((20000 + $$ % 20000))

# start NAME MODE PORT COMMAND...: in a session of its own; its number goes to $W/NAME.MODE.session
start() {
	s_name=$1 s_mode=$2; shift 3
	case $s_mode in
	native) setsid "$@" >"$W/$s_name.$s_mode.out" 2>&1 & ;;
	*) setsid deadheat "$s_mode" --store "$W/store.$s_name.$s_mode" $EXTRA -- "$@" >"$W/$s_name.$s_mode.out" 2>&1 & ;;
	esac
	session=$!
	sessions="$sessions $session"
	echo $session >"$W/$s_name.$s_mode.session"
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

# ---- servers: run_X MODE PORT starts it, load_X PORT REQUESTS sends requests and prints "failed N" ----
run_apache() {
	mkdir -p "$W/www" "$W/apache.$1"; chmod 755 "$W/www" "$W/apache.$1"
	head -c 2048 /dev/zero | tr '\0' x >"$W/www/index.html"
	cat >"$W/apache.$1/conf" <<X
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
X
	start apache "$1" "$2" apache2 -DFOREGROUND -f "$W/apache.$1/conf"
}
load_apache() { ab -q -k -c 8 -n "$2" "http://127.0.0.1:$1/index.html" 2>&1 | awk '/^Failed requests/ { f = $3 } /^Complete requests/ { c = $3 } END { print "failed", c ? f : "all" }'; }
run_memcached() { start memcached "$1" "$2" memcached -u nobody -l 127.0.0.1 -p "$2" -U 0 -t 4 -m 64; }
load_memcached() { "$W/mcload" "$1" 8 "$2"; }
run_redis() { mkdir -p "$W/redis.$1"; start redis "$1" "$2" redis-server --bind 127.0.0.1 --port "$2" --save '' --appendonly no --dir "$W/redis.$1"; }
load_redis() { redis-benchmark -p "$1" -c 8 -n "$2" -P 4 -t set,get -q >"$W/redis.load" 2>&1 && ! grep -qi err "$W/redis.load" && echo failed 0 || echo failed some; }
run_mariadb() {
	mkdir -p "$W/mariadb.$1"
	mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$W/mariadb.$1" --auth-root-authentication-method=normal --skip-test-db >"$W/mariadb.$1.install" 2>&1 || { tail -3 "$W/mariadb.$1.install" >&2; exit 1; }
	start mariadb "$1" "$2" mariadbd --no-defaults --user="$(id -un)" --datadir="$W/mariadb.$1" --socket="$W/mariadb.$1.sock" --port="$2" --bind-address=127.0.0.1 --innodb-buffer-pool-size=64M --innodb-flush-log-at-trx-commit=2 --skip-log-bin
}
load_mariadb() { mariadb-slap --no-defaults -h 127.0.0.1 -P "$1" -u root --concurrency=4 --number-of-queries="$2" --auto-generate-sql --auto-generate-sql-load-type=mixed --auto-generate-sql-add-autoincrement --create-schema=slap$$ >"$W/slap" 2>&1 && echo failed 0 || { cat "$W/slap" >&2; echo failed some; }; }
# The same statements must give the same answers.
answers() { for i in $(seq 200); do echo "INSERT INTO t VALUES ($i, REPEAT('x', $i % 50), $i * 7 % 31);"; done | { echo "CREATE DATABASE IF NOT EXISTS a; USE a; DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, s TEXT, n INT);"; cat; echo "SELECT n, COUNT(*), SUM(LENGTH(s)) FROM t GROUP BY n ORDER BY n; SELECT MD5(GROUP_CONCAT(s ORDER BY id)) FROM t; CHECKSUM TABLE t;"; } | mariadb --no-defaults -h 127.0.0.1 -P "$1" -u root -N; }
least_of() { case $1 in apache) echo 4000 ;; memcached) echo 40000 ;; redis) echo 40000 ;; mariadb) echo 800 ;; esac; }

# one NAME MODE PORT REQUESTS: "requests/s cpu-ns-per-request"; failures go to a file
one() {
	s=$(cat "$W/$1.$2.session")
	c=$(cpu "$s") t=$(now)
	f=$(load_"$1" "$3" "$4")
	t=$(($(now) - t)) c=$(($(cpu "$s") - c))
	echo "$f" >>"$W/failures"
	awk -v n="$4" -v t="$t" -v c="$c" 'BEGIN { printf "%.1f %.1f\n", n / (t / 1e9), c / n }'
}
# So many that a native run takes LENGTH seconds: by a short one, then by one of half that length.
calibrate() { # NAME PORT
	n_least=$(least_of "$1") n_now=$n_least
	for part in 2 1; do
		rate=$(one "$1" native "$2" "$n_now")
		n_now=$(awk -v r="${rate% *}" -v l="$LENGTH" -v p=$part -v least="$n_least" 'BEGIN { n = int(r * l / p / 100) * 100; print n < least ? least : n }')
	done
	echo "$n_now"
}
summary() { sort -n | awk '{ v[NR] = $1 } END { if (!NR) { print "-"; exit } if (NR % 2) m = v[(NR + 1) / 2]; else m = (v[NR / 2] + v[NR / 2 + 1]) / 2; printf "%.3f [%.3f..%.3f]", m, v[1], v[NR] }'; }
column() { awk -v c="$1" '{ print $c }' "$2"; }
bar_of() { case $1 in sample) echo 0.97 ;; *) echo 0.95 ;; esac; }
stop() { # NAME MODE: both servers
	for m in native "$2"; do env kill -TERM -- -"$(cat "$W/$1.$m.session")" 2>/dev/null; done
	for _ in $(seq 100); do env kill -0 -- -"$(cat "$W/$1.$2.session")" 2>/dev/null || break; sleep 0.2; done
	for m in native "$2"; do env kill -KILL -- -"$(cat "$W/$1.$m.session")" 2>/dev/null; done
}

# measure NAME MODE: every round into $rounds, the row into $row
measure() {
	: >"$W/failures"; : >"$rounds.new"
	base=$((base + 2)); n=$base; d=$((base + 1))
	run_"$1" native $n
	run_"$1" "$2" $d
	ready $n && ready $d || { echo "$1 did not start:" >&2; tail -5 "$W/$1".*.out >&2; stop "$1" "$2"; return 1; }
	requests=$(calibrate "$1" $n)
	one "$1" "$2" $d "$requests" >/dev/null
	for round in $(seq "$ROUNDS"); do
		if [ $((round % 2)) = 0 ]; then a=$(one "$1" native $n "$requests"); b=$(one "$1" "$2" $d "$requests")
		else b=$(one "$1" "$2" $d "$requests"); a=$(one "$1" native $n "$requests"); fi
		echo "$a $b" | awk '{ printf "%s\t%s\t%s\t%s\t%.4f\t%.4f\n", $1, $2, $3, $4, $3 / $1, $4 / $2 }' >>"$rounds.new"
	done
	failed=$(grep -vc '^failed 0$' "$W/failures")
	if [ "$1" = mariadb ]; then
		answers $n >"$W/want"; answers $d >"$W/got"
		cmp -s "$W/want" "$W/got" && [ -s "$W/want" ] || failed="$failed, answers differ"
	fi
	stop "$1" "$2"
	mv "$rounds.new" "$rounds"
	verdict=$(column 5 "$rounds" | sort -n | awk -v bar="$(bar_of "$2")" -v f="$failed" '{ v[NR] = $1 } END { m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2; print m >= bar && f == "0" ? "yes" : "NO" }')
	printf '| %s | %s | %d | %.0f | %s | %.2f | %s | %s | %s |\n' "$1" "$2" "$(wc -l <"$rounds")" "$(column 1 "$rounds" | summary | cut -d' ' -f1)" \
		"$(column 5 "$rounds" | summary)" "$(column 2 "$rounds" | summary | awk '{ print $1 / 1000 }')" "$(column 6 "$rounds" | summary)" "$failed" "$verdict" >"$row.new"
	grep -h '^deadheat:' "$W/$1.$2.out" | sed 's/^deadheat: /<!-- /; s/$/ -->/' >"$row.said"
	echo "$key" >"$row.key"
	mv "$row.new" "$row"
}

bad=0
echo "| server | mode | rounds | native requests/s | throughput, of native | native CPU us/request | CPU/request, of native | failed | bar |"
echo "|---|---|---|---|---|---|---|---|---|"
for mode in $MODES; do
	for name; do
		rounds=$OUT/$name.$mode.tsv row=$OUT/$name.$mode.row
		if [ -n "$FRESH" ] || [ ! -s "$row" ] || [ "$(cat "$row.key" 2>/dev/null)" != "$key" ]; then
			rm -f "$row"
			measure "$name" "$mode" || { bad=1; continue; }
		fi
		cat "$row" "$row.said"
		case $(cat "$row") in *"| yes |") ;; *) bad=1 ;; esac
	done
done
echo
echo "bar: throughput at least 0.97 of native for sample, 0.95 for trap; no failed request"
exit $bad
