#!/bin/bash
# campaign.sh: what campaigns cost. Prints a line for each figure:
#   workers   trials per second of four workers on one PostgreSQL against one worker, in turns,
#             ROUNDS times (3); each with a budget of TRIALS (30000) of the shortest program there is
#   idle      CPU of the server with 64 idle workers, over SECONDS (30)
#   large     100,000 candidates and 1,000,000 trials: list, show, report, and bytes a trial, on
#             both engines (CANDIDATES=, ROWS= for smaller ones)
# Usage: campaign.sh [workers|idle|large]...; all three without one.
set -u
TOP=$(cd "$(dirname "$0")/.." && pwd)
export PATH="$TOP/build/bin:$PATH" LC_ALL=C
tmp=$(mktemp -d "${TMPDIR:-/tmp}/deadheat-campaign.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
PG_CONNECTIONS=100 PG_BUFFERS=128MB
. "$TOP/tests/store/postgres.sh"
cd "$tmp" || exit 1
cp "$TOP/bench/campaign/"*.c . && deadheat-cc races.c -o races && deadheat-cc quick.c -o quick || exit 1
pg_start || { cat "$tmp/pg.log"; exit 1; }

seconds() { awk -v a="$1" -v b="$2" 'BEGIN { print b - a }'; }
run_workers() { # workers seed: trials per second
	local url began ended
	url=$(pg_url "w$1_$2")
	deadheat detect -q --schedule random --runs 10 --store "$url" ./quick >/dev/null
	deadheat confirm -q --campaign c --budget "${TRIALS:-30000}" --seed "$2" --detach --store "$url" -- ./quick
	began=$EPOCHREALTIME
	for ((i = 0; i < $1; i++)); do deadheat work -q --jobs 1 --store "$url" & done
	wait
	ended=$EPOCHREALTIME
	awk -v n="${TRIALS:-30000}" -v s="$(seconds "$began" "$ended")" 'BEGIN { printf "%.0f\n", n / s }'
}
workers() {
	for ((r = 1; r <= ${ROUNDS:-3}; r++)); do
		one=$(run_workers 1 "$r") four=$(run_workers 4 "$r")
		echo "workers: one $one trials/s, four $four trials/s, ratio $(awk -v a="$one" -v b="$four" 'BEGIN { printf "%.2f", b / a }')"
	done
}

cpu() { # ticks of the server and all its children so far
	local pid sum=0
	for pid in $(head -n 1 "$pg_dir/data/postmaster.pid") $(cat /proc/"$(head -n 1 "$pg_dir/data/postmaster.pid")"/task/*/children); do
		sum=$((sum + $(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$pid/stat" 2>/dev/null || echo 0)))
	done
	echo $sum
}
idle() {
	local url n=${SECONDS_IDLE:-30} before after
	url=$(pg_url idle)
	deadheat detect -q --store "$url" ./races >/dev/null
	for ((i = 0; i < 64; i++)); do deadheat work -q --stay --jobs 1 --store "$url" 2>/dev/null & done
	until [ "$(pg_sql idle 'SELECT count(*) FROM deadheat.worker')" = 64 ]; do sleep 0.2; done
	sleep 2
	before=$(cpu); sleep "$n"; after=$(cpu)
	echo "idle: 64 workers cost the server $(awk -v t=$((after - before)) -v n="$n" -v hz="$(getconf CLK_TCK)" 'BEGIN { printf "%.2f", 100 * t / hz / n }') % of a core"
	kill $(jobs -p) && wait 2>/dev/null
}

# Lines as export writes them, for import.
lines() {
	awk -v candidates="$1" -v trials="$2" -v build=0123456789abcdef0123456789abcdef01234567 'BEGIN {
		print "{\"type\": \"store\", \"schema\": \"deadheat-store/1\"}"
		print "{\"type\": \"program\", \"program\": 1, \"path\": \"/w/big\", \"build_id\": \"" build "\", \"cwd\": \"/w\", \"argv\": [\"big\"], \"envp\": []}"
		print "{\"type\": \"run\", \"run\": 1, \"origin\": \"bench 1\", \"stage\": \"detect\", \"program\": 1, \"began\": 1}"
		for (i = 1; i <= candidates; i++) {
			a = "A\\t1\\t4\\tinc_" i "\\tsrc/part" i % 97 ".c\\t" i "\\t9\\t2\\tT1, created at main.c:41\\t0 -> 1\\nM\\t" build "\\t/w/big\\nF\\tinc_" i "\\tsrc/part.c\\t12\\t9\\t0\\t0\\t" i * 64 "\\nF\\tworker\\tmain.c\\t20\\t3\\t0\\t0\\t4096\\nP\\t0\\t" i * 64 "\\n"
			b = "A\\t0\\t4\\tflush_" i "\\tsrc/part" i % 89 ".c\\t" i + 7 "\\t2\\t5\\tmain thread\\t\\\\N\\nL\\t1\\tqueue.lock\\nF\\tflush_" i "\\tsrc/part.c\\t31\\t2\\t0\\t0\\t" i * 64 + 32 "\\nP\\t0\\t" i * 64 + 32 "\\n"
			printf "{\"type\": \"finding\", \"finding\": \"%016x\", \"kind\": 1, \"rung\": \"suspected\", \"found_by\": 2, \"title\": \"inc_%d / flush_%d\", \"count\": 0, \"first_seen\": 1, \"last_seen\": 2, \"first_run\": 1, \"last_run\": 1, \"details\": \"V\\tcounter_%d\\tglobal of 4 bytes\\n%s%s\"}\n", i * 2654435761, i, i, i, a, b
		}
		per = trials / candidates
		for (i = 1; i <= candidates; i++)
			for (k = 0; k < per; k++)
				printf "{\"type\": \"trial\", \"finding\": \"%016x\", \"program\": 1, \"policy\": \"pair\", \"seed\": \"%016x\", \"outcome\": \"exit 0\", \"flags\": %d, \"steps\": 120, \"hash\": \"%08x00000001\", \"run\": 1}\n", i * 2654435761, i * 1000 + k, i % 3 ? 0 : 5, i * 7919
		print "{\"type\": \"end\", \"findings\": 0, \"trials\": 0}"
	}'
}
timed() { # words command...: seconds and CPU seconds of one run, best of three
	local words=$1 TIMEFORMAT='%R %U %S'; shift
	for _ in 1 2 3; do { time "$@" >/dev/null 2>&1; } 2>&1; done |
		awk -v w="$words" 'NR == 1 || $1 < r { r = $1 } NR == 1 || $2 + $3 < c { c = $2 + $3 } END { printf "%s %.2f s (CPU %.2f), ", w, r, c }'
}
large() {
	local c=${CANDIDATES:-100000} t=${ROWS:-1000000} before after store
	lines "$c" "$t" >big.jsonl
	grep -v '"type": "trial"' big.jsonl >findings.jsonl
	for store in big "$(pg_url big)"; do
		size() { if [ -d "$store" ]; then deadheat list -q --store "$store" >/dev/null; du -sb "$store" | cut -f 1; else pg_sql big "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname IN ('trial')"; fi; }
		deadheat import -q --store "$store" findings.jsonl
		before=$(size)
		began=$EPOCHREALTIME; deadheat import -q --store "$store" big.jsonl; took=$(seconds "$began" "$EPOCHREALTIME")
		after=$(size)
		printf 'large, %s: %s candidates, %s trials (imported in %.0f s): ' "${store%%://*}" "$c" "$t" "$took"
		timed list deadheat list -q --store "$store"
		timed show deadheat show -q --store "$store" "$(printf '%016x' 2654435761)"
		timed report deadheat report -q --fail-on never --store "$store"
		timed status deadheat status --store "$store"
		echo "$(((after - before) / t)) bytes a trial"
		deadheat status --check --store "$store"
	done
}
for what in ${*:-workers idle large}; do $what; done
