#!/bin/sh
# scan-random.sh [FIRST [LAST]] - soundness: random programs (bench/scan/random.c, by seed). For each that scan calls
# race-free, the program is run under random schedules; a pair that is suspected is tried, and one that is confirmed is a
# wrong proof: its seed is printed, and the exit status is 1. Also counts how many could be proved.
cd "$(dirname "$0")/.." || exit 1
PATH="${DEADHEAT_BUILD:-$PWD/build}/bin:$PATH"
first=${1:-1} last=${2:-200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O1 -o "$work/random" bench/scan/random.c || exit 1
proved=0 all=0 suspected=0 wrong=0 seed=$first
while [ "$seed" -le "$last" ]; do
	"$work/random" "$seed" >"$work/p.c"
	all=$((all + 1))
	if deadheat scan --quiet --no-cache --store "$work/scan" "$work/p.c" | grep -q '^verdict: race-free'; then
		proved=$((proved + 1))
		deadheat-cc -g -pthread -o "$work/p" "$work/p.c" || exit 1
		rm -rf "$work/store"
		deadheat detect --quiet --schedule random --runs 6 --store "$work/store" -- "$work/p" >"$work/found" 2>&1
		if grep -q suspected "$work/found"; then
			suspected=$((suspected + 1))
			if deadheat confirm --quiet --store "$work/store" -- "$work/p" 2>&1 | grep -E ' (confirmed|harmful) '; then
				wrong=$((wrong + 1))
				echo "WRONG: seed $seed (build/bench/scan-random.$seed.c)"
				mkdir -p build/bench && cp "$work/p.c" "build/bench/scan-random.$seed.c"
			fi
		fi
	fi
	rm -rf "$work/scan"
	seed=$((seed + 1))
done
echo "$all programs, $proved called race-free; of these $suspected had suspected pairs, $wrong a confirmed one"
[ $wrong = 0 ]
