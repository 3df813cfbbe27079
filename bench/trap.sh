#!/bin/sh
# bench/trap - does trap catch what is planted, and nothing else? (issue 5)
#
#   sh bench/trap.sh hot   [RUNS]   each of the four hot races within 60 s
#   sh bench/trap.sh cold  [RUNS]   each of the four cold ones (one request in 10,000) within 600 s
#   sh bench/trap.sh clean [SECONDS]  clean programs, so long in all: nothing may be caught
#   sh bench/trap.sh modes [SECONDS]  deadheat, clock, collider over budgets: requests served, pairs
#
# One line a run; the last line is the sum.
set -u
TOP=$(cd "$(dirname "$0")/.." && pwd)
PATH=$TOP/build/bin:$PATH
tmp=$(mktemp -d "${TMPDIR:-/tmp}/deadheat-bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT INT TERM
cd "$tmp" || exit 1
gcc -O2 -g -pthread -o server "$TOP/tests/production/server.c" || exit 1

has_all() {
	deadheat list --store "$1" 2>/dev/null | grep caught >found
	n=0
	for f in stat_count session_ log_append config_get; do grep -q $f found && n=$((n + 1)); done
	echo $n
}
planted() { # RUNS SECONDS SERVER-OPTIONS...
	runs=$1 seconds=$2; shift 2
	good=0 i=0
	while [ $i -lt "$runs" ]; do
		i=$((i + 1)) spent=0 n=0
		rm -rf store
		while [ $spent -lt "$seconds" ] && [ "$n" -lt 4 ]; do # slices, so that it ends when all are there
			deadheat trap --quiet --seed $((i * 1000 + spent)) --store store -- ./server --seconds $((seconds / 10)) "$@" >/dev/null 2>&1
			spent=$((spent + seconds / 10)); n=$(has_all store)
		done
		echo "run $i: $n of 4 within $spent s"
		[ "$n" = 4 ] && good=$((good + 1))
	done
	echo "$good of $runs runs caught all four within $seconds s"
}
clean() { # SECONDS
	caught=0
	sed -n "/^cat >atomics.c/,/^X/p" "$TOP/tests/trap/trap.t" | sed '1d;$d' >atomics.c
	gcc -O2 -g -pthread -o atomics atomics.c || exit 1
	for c in "./server --clean --seconds $(($1 / 3))" "./server --clean --cold 100 --seconds $(($1 / 3))" "./atomics $(($1 / 3))"; do
		rm -rf store
		deadheat trap --store store -- $c 2>&1 | tail -n 2
		n=$(deadheat list --store store | grep -c caught)
		echo "$c: $n caught, $(deadheat list --store store | grep -c suspected) suspected"
		caught=$((caught + n))
	done
	echo "$caught caught in $1 s of clean programs"
}
modes() { # SECONDS
	./server --seconds "$1"
	for m in deadheat clock collider; do
		for b in 0.5% 2% 8%; do
			rm -rf store
			served=$(deadheat trap --quiet --mode $m --budget $b --store store -- ./server --seconds "$1" 2>&1 | sed -n 's/^served \([0-9]*\).*/\1/p')
			echo "$m $b: served $served, $(deadheat list --store store | grep -c caught) caught, $(deadheat list --store store | grep -c suspected) suspected"
		done
	done
}
case ${1:-} in
hot) planted "${2:-10}" 60 ;;
cold) planted "${2:-10}" 600 --cold 10000 ;;
clean) clean "${2:-1800}" ;;
modes) modes "${2:-10}" ;;
*) sed -n '2,9p' "$0"; exit 2 ;;
esac
