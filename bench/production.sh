#!/bin/sh
# Throughput of real servers with deadheat in them, against the same server without.
#
#   bench/production.sh [apache memcached redis mariadb]
#     ROUNDS=12     pairs of runs a server
#     MODES=sample  what is compared with native: sample, trap
#     SCALE=1       requests of a round, times this
#     EXTRA=        more options for the mode, e.g. EXTRA=--no-steps
#
# Both servers run all the time, on ports of their own; the same load goes to one and then to the
# other, who is first changes every round. Of each round the ratios deadheat/native of throughput and
# of CPU time a request (all processes of the server, deadheat's own included) are taken; printed are
# medians and the spread. Failed requests are counted and must be none. On a machine that is busy
# with other things the CPU ratio says more.
cd "$(dirname "$0")/.." || exit 1
TOP=$PWD
PATH=$TOP/build/bin:/usr/sbin:$PATH
ROUNDS=${ROUNDS:-12} SCALE=${SCALE:-1} MODES=${MODES:-sample}
if [ $# = 0 ]; then set -- apache memcached redis mariadb; fi
sh tests/packages bench || exit 1
W=$(mktemp -d "${TMPDIR:-/tmp}/deadheat-production.XXXXXX") || exit 1
sessions=
cleanup() { for s in $sessions; do env kill -TERM -- -"$s" 2>/dev/null; done; sleep 1; for s in $sessions; do env kill -KILL -- -"$s" 2>/dev/null; done; rm -rf "$W"; }
trap cleanup EXIT
trap 'exit 1' INT TERM
chmod 755 "$W"
gcc -O2 -o "$W/mcload" bench/production/mcload.c || exit 1
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
# CPU time of a session, in ticks of 10 ms.
cpu() { cat /proc/[0-9]*/stat 2>/dev/null | sed 's/^\([0-9]*\) (.*) /\1 x /' | awk -v s="$1" '$6 == s { t += $14 + $15 } END { print t + 0 }'; }
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
requests_of() { case $1 in apache) echo $((40000 * SCALE)) ;; memcached) echo $((400000 * SCALE)) ;; redis) echo $((200000 * SCALE)) ;; mariadb) echo $((8000 * SCALE)) ;; esac; }

# one NAME MODE PORT REQUESTS: "requests/s cpu-per-request" and failures on fd 3
one() {
	s=$(cat "$W/$1.$2.session")
	c=$(cpu "$s") t=$(now)
	f=$(load_"$1" "$3" "$4")
	t=$(($(now) - t)) c=$(($(cpu "$s") - c))
	echo "$f" >>"$W/failures"
	awk -v n="$4" -v t="$t" -v c="$c" 'BEGIN { printf "%.1f %.4f\n", n / (t / 1e9), c * 10000 / n }'
}
median() { sort -n | awk '{ v[NR] = $1 } END { if (NR % 2) m = v[(NR + 1) / 2]; else m = (v[NR / 2] + v[NR / 2 + 1]) / 2; printf "%.3f [%.3f..%.3f]", m, v[1], v[NR] }'; }

bad=0
printf '%-10s %-7s %12s %12s  %-22s %-22s %s\n' server mode native/s us/request 'throughput ratio' 'CPU/request ratio' failed
for name; do
	for mode in $MODES; do
		: >"$W/failures"; : >"$W/throughput"; : >"$W/cpu"; : >"$W/native"
		base=$((base + 2)); n=$base; d=$((base + 1))
		run_"$name" native $n
		run_"$name" "$mode" $d
		ready $n && ready $d || { echo "$name did not start:" >&2; tail -5 "$W/$name".*.out >&2; exit 1; }
		requests=$(requests_of "$name")
		one "$name" native $n "$requests" >/dev/null; one "$name" "$mode" $d "$requests" >/dev/null
		for round in $(seq "$ROUNDS"); do
			if [ $((round % 2)) = 0 ]; then a=$(one "$name" native $n "$requests"); b=$(one "$name" "$mode" $d "$requests")
			else b=$(one "$name" "$mode" $d "$requests"); a=$(one "$name" native $n "$requests"); fi
			echo "$a" >>"$W/native"
			echo "$a $b" | awk '{ print $3 / $1 }' >>"$W/throughput"
			echo "$a $b" | awk '$2 > 0 { print $4 / $2 }' >>"$W/cpu"
		done
		[ "$name" = mariadb ] && { answers $n >"$W/want"; answers $d >"$W/got"; cmp -s "$W/want" "$W/got" || { echo "mariadb answers differently"; bad=1; }; }
		failed=$(grep -vc '^failed 0$' "$W/failures")
		[ "$failed" = 0 ] || bad=1
		printf '%-10s %-7s %12s %12s  %-22s %-22s %s\n' "$name" "$mode" "$(awk '{ s += $1 } END { printf "%.0f", s / NR }' "$W/native")" \
			"$(awk '{ s += $2 } END { printf "%.2f", s / NR }' "$W/native")" "$(median <"$W/throughput")" "$(median <"$W/cpu")" "$failed"
		for m in native "$mode"; do env kill -TERM -- -"$(cat "$W/$name.$m.session")" 2>/dev/null; done
		for _ in $(seq 300); do env kill -0 -- -"$(cat "$W/$name.$mode.session")" 2>/dev/null || break; sleep 0.2; done
		grep -h '^deadheat:' "$W/$name.$mode.out" | sed 's/^/    /'
	done
done
echo "bar: throughput at least 0.97 of native for sample, 0.95 for trap; no failed request"
exit $bad
