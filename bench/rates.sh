#!/bin/sh
# rates.sh - what looking costs and finds, over how much one looks: the plots of the CRSampler paper.
#
# Usage: bench/rates.sh      (SERVERS="planted memcached apache", SECONDS_EACH=3, ROUNDS=3)
#
# The same load with nothing, with `sample`, and with `trap` in its three modes, at budgets (the share of the
# program's time that looking may take: the knob a user turns) of 0.5, 2 and 8 %; rounds alternate over all of
# them. Then, where there is an instrumented build, detect as it is, with `--rule hb`, and sampling
# (`pacer:1%`, `pacer:10%`, `literace`).
#
#   planted     tests/production/server.c, -O2: four races, at every request (throughput: what it served)
#   memcached   Debian's, 4 threads, load by bench/production/mcload.c; detect: our build with its load in it
#   apache      Debian's, event MPM, load by ab
#
# Overhead is throughput native (median of the round) ÷ throughput with it − 1: median and spread over the rounds. The same
# of the native runs themselves is the noise floor, a row of its own: an overhead inside its spread is marked, nobody
# can tell it from none. Detections are
# the pairs in the store when the run ended, by minute of load, and for `planted` how many of the four races
# all rounds together saw. `clock` is CRSampler's rule and `collider` DataCollider's, built into trap as modes:
# rivals in idea, not their authors' programs. Rows are kept in rates.tsv.
cd "$(dirname "$0")/.." || exit 1
. bench/lib/part.sh
servers=${SERVERS:-planted memcached apache}
each=${SECONDS_EACH:-3} rounds=${ROUNDS:-3}
budgets="0.5 2 8"
[ -n "$SHORT" ] && rounds=1 budgets="2"
die() { echo "bench/rates.sh: $*" >&2; exit 1; }
. bench/lib/programs.sh
PATH=$PATH:/usr/sbin
out=$R/rates.tsv
touch "$out"
: >"$tmp/failed"; : >"$tmp/said"
chmod 755 "$tmp"
session=
at_exit() { stop; rm -rf "$tmp"; }
port=$((22000 + $$ % 20000))

gcc -O2 -g -pthread -o "$tmp/server" tests/production/server.c && gcc -O2 -o "$tmp/mcload" bench/production/mcload.c || exit 1
cat >"$tmp/port.c" <<'C'
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
int main(int c, char **v)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(v[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	return c != 2 || connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&to, sizeof(to)) != 0;
}
C
gcc -o "$tmp/port" "$tmp/port.c" || exit 1

stop() { # the server of the session, and what watched it
	[ -n "$session" ] || return
	env kill -TERM -- "-$session" 2>/dev/null
	for _ in $(seq 300); do env kill -0 -- "-$session" 2>/dev/null || break; sleep 0.1; done
	env kill -KILL -- "-$session" 2>/dev/null
	wait "$session" 2>/dev/null
	session=
}
watched() { # TOOL MODE BUDGET: the words before the program
	case $1 in
	native) ;;
	trap) echo "deadheat trap --quiet --mode $2 --budget $3% --store $tmp/store --" ;;
	sample) echo "deadheat sample --quiet --budget $3% --store $tmp/store --" ;;
	detect)
		case $2 in
		hybrid) how= ;; hb) how="--rule hb" ;; pacer) how="--sample pacer:$3%" ;; literace) how="--sample literace" ;;
		esac
		echo "deadheat detect --quiet --runs 1 $how --store $tmp/store --" ;;
	esac
}
listening() { for _ in $(seq 300); do "$tmp/port" "$port" && return 0; env kill -0 "$session" 2>/dev/null || return 1; sleep 0.1; done; return 1; }

# serve_X WATCHED...: "requests-a-second seconds" of one run
serve_planted() { within $((each * 5 + 30)) "$@" "$program" --seconds "$each" 2>/dev/null | sed -n 's/^served \([0-9]*\).*/\1/p' | awk -v s="$each" '{ print $1 / s, s }'; }
timed_load() { # REQUESTS COMMAND...
	requests=$1; shift
	began=$(date +%s%N)
	within $((each * 10 + 20)) "$@" >"$tmp/load" 2>&1 || return 1
	echo "$requests $(($(date +%s%N) - began))" | awk '{ print $1 / ($2 / 1e9), $2 / 1e9 }'
}
serve_memcached() {
	if [ "$tool" = detect ] || [ "$mode" = built ]; then timed_load $((each * 3000)) "$@" "$program" "$tmp/socket" $((each * 3000)); return; fi
	port=$((port + 1))
	setsid "$@" memcached -u nobody -l 127.0.0.1 -p "$port" -U 0 -t 4 -m 64 >"$tmp/out" 2>&1 &
	session=$!
	listening && timed_load $((each * 60000)) "$tmp/mcload" "$port" 8 $((each * 60000))
	stop
}
serve_apache() {
	port=$((port + 1))
	mkdir -p "$tmp/www" "$tmp/apache"; chmod 755 "$tmp/www" "$tmp/apache"
	head -c 2048 /dev/zero | tr '\0' x >"$tmp/www/index.html"
	m=/usr/lib/apache2/modules
	cat >"$tmp/apache/conf" <<-CONF
		ServerRoot $tmp/apache
		ServerName localhost
		Listen 127.0.0.1:$port
		PidFile $tmp/apache/pid
		ErrorLog $tmp/apache/log
		LoadModule mpm_event_module $m/mod_mpm_event.so
		LoadModule authz_core_module $m/mod_authz_core.so
		User nobody
		Group nogroup
		DocumentRoot $tmp/www
		StartServers 1
		ServerLimit 1
		ThreadsPerChild 16
		MaxRequestWorkers 16
		MinSpareThreads 1
		MaxSpareThreads 16
		MaxKeepAliveRequests 0
	CONF
	setsid "$@" apache2 -X -f "$tmp/apache/conf" >"$tmp/out" 2>&1 &
	session=$!
	listening && timed_load $((each * 6000)) ab -q -k -c 8 -n $((each * 6000)) "http://127.0.0.1:$port/index.html"
	stop
}
counts() { # "caught suspected planted" of the store
	deadheat list --store "$tmp/store" >"$tmp/list" 2>/dev/null || : >"$tmp/list"
	planted=
	[ "$server" = planted ] && for f in stat_count session_ log_append config_get; do grep -q "$f" "$tmp/list" && planted=$planted,$f; done
	printf '%s\t%s\t%s' "$(grep -c ' caught ' "$tmp/list")" "$(grep -c ' suspected ' "$tmp/list")" "${planted:-,-}"
}
one() { # SERVER TOOL MODE BUDGET ROUND: a row
	server=$1 tool=$2 mode=$3 budget=$4
	grep -q "^$1	$2	$3	$4	$5	" "$out" && return
	late "$1 $2 $3 $4 %" $((each + 5)) && return
	rm -rf "$tmp/store"
	rate=$(serve_"$1" $(watched "$2" "$3" "$4"))
	[ -n "$rate" ] || { echo "$1 $2 $3 $4 %: no result ($(grep -v '^$' "$tmp/load" "$tmp/out" 2>/dev/null | tail -n 1 | cut -c1-200))" >>"$tmp/failed"; return; }
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "${rate% *}" "$(counts)" "${rate#* }" >>"$out"
}
production() { # SERVER ROUND
	for b in $budgets; do
		one "$1" native - "$b" "$2"
		one "$1" sample - "$b" "$2"
		for m in deadheat clock collider; do one "$1" trap $m "$b" "$2"; done
	done
}
instrumented() { # SERVER ROUND: native by the same compiler, then detect in its ways
	one "$1" native built 0 "$2"
	one "$1" detect hybrid 100 "$2"
	one "$1" detect hb 100 "$2"
	one "$1" detect pacer 1 "$2"
	one "$1" detect pacer 10 "$2"
	one "$1" detect literace 100 "$2"
}
for r in $(seq "$rounds"); do
	for s in $servers; do
		program=$tmp/server
		production "$s" "$r"
		late "$s under detect" 10 && continue
		case $s in
		planted)
			deadheat-cc --with clang -O2 -g -pthread -o "$tmp/server-ours" tests/production/server.c && clang-19 -O2 -g -pthread -o "$tmp/server-clang" tests/production/server.c || continue
			native=$tmp/server-clang ours=$tmp/server-ours ;;
		memcached)
			(build memcached native-clang && build memcached ours-clang) 2>"$tmp/err" || { echo "memcached under detect was left out: $(tail -n 1 "$tmp/err")" >>"$tmp/failed"; continue; }
			native=$B/memcached/native-clang/program ours=$B/memcached/ours-clang/program ;;
		*) continue ;;
		esac
		program=$native; one "$s" native built 0 "$r"
		program=$ours; instrumented "$s" "$r"
	done
done

echo "Overhead: native (median of its round) ÷ with it − 1; median [least..most] of $rounds rounds of some $each s. The rows \`nothing\` are native runs among themselves, the noise floor: \"≈\" marks an overhead whose median lies inside its spread. Detections: pairs a minute of load."
echo
awk -F'\t' -v plots="$R/rates" -v said="$tmp/said" '
	function median(list,   a, n, i, j, t) {
		n = split(list, a, " ")
		for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j - 1] + 0 > a[j] + 0; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
		least = a[1]; most = a[n]
		return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
	}
	function noisy(server, x) { return ((server, "lo") in floor) && x >= floor[server, "lo"] && x <= floor[server, "hi"] }
	function cost_of(server, mode) { return sprintf("%.1f %%%s", cost[server, mode], noisy(server, cost[server, mode]) ? ", noise" : "") }
	function verdict(a, b) { return a > b ? "better" : a < b ? "worse" : "equal" }
	{ line[++n] = $0; if ($2 == "native") native[$1, $3, $5] = native[$1, $3, $5] " " $6 }
	END {
		for (i = 1; i <= n; i++) {
			$0 = line[i]
			base = native[$1, $2 == "detect" || $3 == "built" ? "built" : "-", $5]
			if (base == "" || ($2 == "native" && $3 == "built")) continue
			key = $1 SUBSEP ($2 == "native" ? "nothing" SUBSEP "-" SUBSEP "0" : $2 SUBSEP $3 SUBSEP $4)
			if (!(key in over)) order[++k] = key
			over[key] = over[key] " " 100 * (median(base) / $6 - 1); caught[key] += $7; suspected[key] += $8; runs[key] += $10 / 60; times[key]++
			m = split($9, f, ",")
			for (j = 2; j <= m; j++) if (f[j] != "-" && !seen[key, f[j]]++) planted[key]++
		}
		for (i = 1; i <= k; i++) {
			split(order[i], c, SUBSEP)
			if (c[2] != "nothing" || times[order[i]] < 2) continue
			median(over[order[i]]); floor[c[1], "lo"] = least; floor[c[1], "hi"] = most
		}
		print "| server | tool | mode | budget | overhead % | caught a minute | suspected a minute | planted seen, of 4 |\n|---|---|---|---:|---:|---:|---:|---:|"
		for (i = 1; i <= k; i++) {
			split(order[i], c, SUBSEP); key = order[i]
			if (c[2] == "detect") continue
			x = median(over[key])
			if (c[2] == "nothing") { printf "| %s | nothing | - | - | %.1f [%.1f..%.1f], %d runs | – | – | – |\n", c[1], x, least, most, times[key]; print 0, x, least, most >(plots "-" c[1] "-nothing.dat"); continue }
			minutes = runs[key]
			printf "| %s | %s | %s | %s %% | %s%.1f [%.1f..%.1f] | %.0f | %.0f | %s |\n", c[1], c[2], c[3], c[4], noisy(c[1], x) ? "≈ " : "", x, least, most, caught[key] / minutes, suspected[key] / minutes, c[1] == "planted" ? planted[key] + 0 : "–"
			file = plots "-" c[1] "-" (c[2] == "trap" ? "trap-" c[3] : c[2]) ".dat"
			if (!opened[file]++) printf "" >file
			printf "%s %.2f %.2f %.2f %.1f\n", c[4], x, least, most, (caught[key] + suspected[key]) / minutes >>file
			if (c[4] == 2 && c[2] == "trap") { cost[c[1], c[3]] = x; finds[c[1], c[3]] = (caught[key] + suspected[key]) / minutes; sure[c[1], c[3]] = caught[key] / minutes; got[c[1], c[3]] = planted[key] + 0; if (!server_seen[c[1]]++) servers[++ns] = c[1] }
		}
		for (i = 1; i <= k; i++) {
			split(order[i], c, SUBSEP); key = order[i]
			if (c[2] != "detect") continue
			if (!heads++) print "\ndetect and its modes on the same servers, built by deadheat-cc (`--rule hb`, `--sample pacer:R`, `--sample literace`; times native = 1 + overhead):\n\n| server | mode | accesses looked at | times native | pairs a run | planted seen, of 4 |\n|---|---|---:|---:|---:|---:|"
			x = median(over[key])
			printf "| %s | %s | %s | %.1f [%.1f..%.1f] | %.0f | %s |\n", c[1], c[3], c[3] == "literace" ? "cold code first" : c[4] " %", 1 + x / 100, 1 + least / 100, 1 + most / 100, suspected[key] / times[key], c[1] == "planted" ? planted[key] + 0 : "–"
		}
		for (i = 1; i <= ns; i++) {
			s = servers[i]
			if (!((s, "deadheat") in cost)) continue
			if ((s, "clock") in cost) print sprintf("against\tCRSampler (trap --mode clock)\t%s, 2 %%: pairs a minute (overhead)\t%.0f (%s)\t%.0f (%s)\t%s", s, finds[s, "deadheat"], cost_of(s, "deadheat"), finds[s, "clock"], cost_of(s, "clock"), verdict(finds[s, "deadheat"], finds[s, "clock"])) >>said
			if ((s, "collider") in cost) print sprintf("against\tDataCollider (trap --mode collider)\t%s, 2 %%: caught a minute (overhead)\t%.0f (%s)\t%.0f (%s)\t%s", s, sure[s, "deadheat"], cost_of(s, "deadheat"), sure[s, "collider"], cost_of(s, "collider"), verdict(sure[s, "deadheat"], sure[s, "collider"])) >>said
		}
		if (("planted", "deadheat") in got) print sprintf("bar\tplanted hot races seen by trap at 2 %%, %d s in all\t4 in 60 s\t%d\tone server\t%s", runs["planted" SUBSEP "trap" SUBSEP "deadheat" SUBSEP "2"] * 60, got["planted", "deadheat"], got["planted", "deadheat"] == 4 ? "met" : "partly") >>said
	}' "$out"
[ ! -s "$tmp/failed" ] || { echo; sort -u "$tmp/failed" | sed 's/^/- /'; }
while IFS="$(printf '\t')" read -r kind a b c d e; do "$kind" "$a" "$b" "$c" "$d" "$e"; done <"$tmp/said"
[ -s "$out" ] || [ -n "$cuts" ] || exit 1
finish
