#!/bin/bash
# kills.sh ENGINE KILLS: random kill -9 of hosts, workers and targets while campaigns run, on
# ENGINE = sqlite or postgresql. Each campaign is made twice with the same seed: undisturbed, and
# with one host and two workers that are killed (or their fork servers and trials) and started
# again. Passes if every store is whole, every trial a campaign counts is there once, the
# findings have the same rungs, and no process is left. Prints one line a campaign and a sum.
#   BUDGET=N trials a campaign (3000)   PAUSE=S seconds between kills at most (0.15)
set -u
TOP=$(cd "$(dirname "$0")/.." && pwd)
export PATH="$TOP/build/bin:$PATH" LC_ALL=C
engine=${1:-sqlite} kills=${2:-1000} budget=${BUDGET:-3000} pause=${PAUSE:-0.15}
RANDOM=${RANDOM_SEED:-1}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/deadheat-kills.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
. "$TOP/tests/store/postgres.sh"
cd "$tmp" || exit 1
cp "$TOP/bench/campaign/races.c" . && deadheat-cc races.c -o races || exit 1
if [ "$engine" = postgresql ]; then pg_start || { cat "$tmp/pg.log"; exit 1; }; fi
trap 'stop_all; [ "$engine" = sqlite ] || pg_halt; rm -rf "$tmp"' EXIT

fresh() { # name: a store with the candidates; its location
	if [ "$engine" = postgresql ]; then
		[ -n "${template:-}" ] || { template=$(pg_url base); deadheat detect -q --schedule random --runs 10 --store "$template" ./races >/dev/null; }
		pg_sql template1 "CREATE DATABASE $1 TEMPLATE base" && pg_named "$1"
	else
		[ -d base ] || deadheat detect -q --schedule random --runs 10 --store base ./races >/dev/null
		cp -r base "$1" && echo "$1"
	fi
}
fresh first >/dev/null # so that base is there before the subshells below

children() { # all descendants
	local p c
	for p in "$@"; do
		c=()
		{ read -r -a c <"/proc/$p/task/$p/children"; } 2>/dev/null
		[ ${#c[@]} = 0 ] || { echo "${c[*]}"; children "${c[@]}"; }
	done
}
pids=(0 0 0)
start() { # index store name
	if [ "$1" = 0 ]; then deadheat confirm -q --jobs 1 --store "$2" --campaign "$3" >>"$tmp/out" 2>&1 &
	else deadheat work -q --jobs 1 --store "$2" --campaign "$3" >>"$tmp/out" 2>&1 & fi
	pids[$1]=$!
}
stop_all() { for p in "${pids[@]}"; do [ "$p" = 0 ] || kill -9 "$p" 2>/dev/null; done; wait 2>/dev/null; }
is_done() { deadheat status --store "$1" --format json | grep -q "\"name\": \"$2\", \"state\": \"done\""; }
strays() { for e in /proc/[0-9]*/exe; do [ "$(readlink "$e")" = "$tmp/races" ] && echo "$e"; done; }
gone() { n=0; while [ -n "$(strays)" ]; do n=$((n + 1)); [ $n -lt 600 ] || return 1; sleep 0.1; done; }
rungs() { deadheat list -q --store "$1" | awk '{ print $1, $2 }' | sort; }
whole() { deadheat status --check --store "$1" >"$tmp/check" 2>&1 && sed -n 's/.*campaigns count \([0-9]*\) trials and have \([0-9]*\)$/\1 \2/p' "$tmp/check" |
	awk '{ exit !($1 == $2 && $1 > 0) }' || { cat "$tmp/check"; return 1; }; }

exec 2>"$tmp/err" # where the shell tells of each kill
hit=()
total=0 round=0 failed=0 hosts=0 workers=0 targets=0
while [ $total -lt "$kills" ]; do
	round=$((round + 1))
	still=$(fresh "still$round") moved=$(fresh "moved$round")
	order="--campaign c --budget $budget --seed $round"
	deadheat confirm -q $order --jobs 2 --store "$still" -- ./races >/dev/null 2>>"$tmp/out"
	deadheat confirm -q $order --detach --store "$moved" -- ./races >/dev/null 2>>"$tmp/out"
	before=$total
	until is_done "$moved" c; do
		for i in 0 1 2; do { [ "${pids[$i]}" != 0 ] && kill -0 "${pids[$i]}" 2>/dev/null; } || start $i "$moved" c; done
		sleep "$(awk -v r=$RANDOM -v p="$pause" 'BEGIN { print r / 32768 * p }')"
		[ $total -lt "$kills" ] || { wait "${pids[0]}" 2>/dev/null; continue; }
		victim=$((RANDOM % 3)) pid=${pids[$((RANDOM % 3))]}
		if [ $victim = 2 ]; then # a target: any descendant; a trial killed thrice in a row is believed to kill itself (confirm/pool.c)
			[ "${hit[$pid]:-0}" -lt 2 ] || continue
			list=($(children "$pid")); [ ${#list[@]} -gt 0 ] || continue
			kill -9 "${list[$((RANDOM % ${#list[@]}))]}" 2>/dev/null && total=$((total + 1)) targets=$((targets + 1)) hit[$pid]=$((${hit[$pid]:-0} + 1))
		else
			kill -9 "$pid" 2>/dev/null || continue
			total=$((total + 1))
			if [ "$pid" = "${pids[0]}" ]; then hosts=$((hosts + 1)); else workers=$((workers + 1)); fi
		fi
	done
	stop_all 2>/dev/null; pids=(0 0 0)
	problems=
	gone || problems="$problems; processes left: $(strays)"
	whole "$still" || problems="$problems; undisturbed store not whole"
	whole "$moved" || problems="$problems; store not whole"
	[ "$(rungs "$still")" = "$(rungs "$moved")" ] || problems="$problems; other findings: $(diff <(rungs "$still") <(rungs "$moved") | tr '\n' ' ')"
	[ -z "$problems" ] || failed=$((failed + 1))
	echo "campaign $round: $((total - before)) kills, $(cat "$tmp/check")${problems:-; the same as undisturbed}"
	if [ "$engine" = sqlite ]; then rm -rf "$still" "$moved"; else pg_sql template1 "DROP DATABASE still$round"; pg_sql template1 "DROP DATABASE moved$round WITH (FORCE)"; fi
done
echo "$engine: $total kills ($hosts hosts, $workers workers, $targets targets) in $round campaigns, $failed failed"
[ "$failed" = 0 ]
