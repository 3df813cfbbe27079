#!/bin/sh
# table1.sh - Table 1 of the RaceFuzzer paper, over the subjects of bench/subjects.
#
# Usage: bench/table1.sh [TRIALS] [SUBJECT...]      (100 trials a pair, all subjects)
#
# Columns: source lines; seconds native, under detect, and of one trial of confirm (larger input
# for the first two, the small default input for trials); candidates (distinct pairs of statements
# detect suspects: up to 5 native runs and 20 under random schedules); confirmed; known (pairs the
# subject's header states); harmful shown by confirm, of those the header calls harmful; runs that
# failed out of TRIALS plain ones and TRIALS of the random policy; hits over trials of the confirmed
# pairs, mean and lowest; pairs confirmed that the header does not know ("new": must be 0).
# The paper's own figures are in the last column: probability of hitting.
# build/bench/table1.tsv keeps the finished rows: the command resumes. FRESH=1 begins anew.
cd "$(dirname "$0")/.." || exit 1
TOP=$PWD
B=$TOP/build/bench
PATH="$TOP/build/bin:$PATH"
. "$TOP/tests/expect.sh"
trials=${1:-100}
[ $# -gt 0 ] && shift
subjects=${*:-nbody raytracer montecarlo cache sor crawler vector list hashset treeset logwriter querycache conntable}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$B"
out=$B/table1.tsv
[ -n "$FRESH" ] && rm -f "$out"
touch "$out"

work() { # arguments for a run of a second or so
	case $1 in
	nbody) echo 600 20 ;; raytracer) echo 1000 ;; montecarlo) echo 60000 100 ;; sor) echo 800 40 ;;
	cache) echo 20000 ;; crawler) echo 90000 ;; logwriter) echo 300000 ;; querycache) echo 300000 ;;
	conntable) echo 300000 ;; *) echo 20000 ;;
	esac
}
paper() {
	case $1 in
	nbody | raytracer | montecarlo | cache) echo 1.00 ;; sor) echo - ;; crawler) echo "0.83, 0.86" ;;
	vector) echo 0.94 ;; list) echo 0.85 ;; hashset) echo 0.54 ;; treeset) echo 0.41 ;; *) echo - ;;
	esac
}
gcc -O2 -o "$tmp/time" bench/detect/time.c || exit 1
seconds() { # median wall time of three
	for _ in 1 2 3; do "$tmp/time" timeout 300 "$@" 2>/dev/null | tail -n 1 | cut -d' ' -f1; done | sort -n | sed -n 2p
}
failures() { n=0; for _ in $(seq "$trials"); do timeout 20 "$1" >/dev/null 2>&1 || n=$((n + 1)); done; echo $n; }
statements() { # RUNG-PATTERN: distinct pairs of lines in the list
	sed -n -E "s/^[0-9a-f]+ +($1) .* [a-z]+\.[ch]:([0-9]+):[0-9]+, [a-z]+\.[ch]:([0-9]+):[0-9]+( .*)?$/\2 \3/p" "$tmp/list" |
		awk '{ if ($1 <= $2) print $1, $2; else print $2, $1 }' | sort -u
}
row() {
	name=$1 file=$TOP/bench/subjects/$1.c
	gcc -O2 -g -pthread -w -o "$tmp/plain" "$file" -lm && deadheat-cc --with clang -g -pthread -w -o "$tmp/program" "$file" -lm &&
		deadheat-cc --with clang -O2 -g -pthread -w -o "$tmp/fast" "$file" -lm || exit 1
	rm -rf "$tmp/store" "$tmp/other"
	native=$(seconds "$tmp/plain" $(work $name))
	detect=$(seconds deadheat detect -q --runs 1 --store "$tmp/other" -- "$tmp/fast" $(work $name))
	deadheat detect -q --store "$tmp/store" -- "$tmp/program" >/dev/null 2>&1
	deadheat detect -q --schedule random --runs 20 --store "$tmp/store" -- "$tmp/program" >/dev/null 2>&1
	deadheat list --store "$tmp/store" >"$tmp/list"
	candidates=$(statements suspected | wc -l)
	began=$(date +%s%N)
	deadheat confirm -q -x --no-shrink -j 1 -t "$trials" --store "$tmp/store" -- "$tmp/program" >/dev/null 2>&1
	ended=$(date +%s%N)
	deadheat list --store "$tmp/store" >"$tmp/list"
	made=$(sed -n 's/.* \([0-9]*\) of \([0-9]*\)$/\2/p' "$tmp/list" | awk '{ n += $1 } END { print n + 0 }')
	trial=$(awk -v t=$((ended - began)) -v n="$made" 'BEGIN { printf n ? "%.4f" : "-", n ? t / 1e9 / n : 0 }')
	statements 'confirmed|harmful' >"$tmp/confirmed"
	statements harmful >"$tmp/harmful"
	{ expect_pairs expect "$file"; expect_pairs maybe "$file"; } | sort -u >"$tmp/allowed"
	expect_pairs harm "$file" >"$tmp/harm"
	known=$(expect_pairs expect "$file" | wc -l)
	unknown=$(comm -23 "$tmp/confirmed" "$tmp/allowed" | wc -l)
	hits=$(sed -n -E 's/^[0-9a-f]+ +(confirmed|harmful) .* ([0-9]+) of ([0-9]+)$/\2 \3/p' "$tmp/list" |
		awk '{ p = $1 / $2; s += p; if (!n++ || p < low) low = p } END { if (n) printf "%.2f (%.2f)", s / n, low; else print "-" }')
	plain=$(failures "$tmp/plain")
	random=$(deadheat fuzz -q -x -j 1 --no-shrink -p random -t "$trials" --store "$tmp/other" -- "$tmp/program" 2>/dev/null |
		sed -n -E 's/^([0-9]+) of [0-9]+ schedules failed.*/\1/p')
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s of %s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$(cat "$file" $(sed -n 's/^#include "\(.*\)"/bench\/subjects\/\1/p' "$file") | wc -l)" \
		"$native" "$detect" "$trial" "$candidates" "$(wc -l <"$tmp/confirmed")" "$known" \
		"$(comm -12 "$tmp/harm" "$tmp/harmful" | wc -l)" "$(wc -l <"$tmp/harm")" "$plain" "${random:-0}" "$hits" "$unknown" "$(paper $name)" >>"$out"
}
for name in $subjects; do grep -q "^$name	" "$out" || row "$name"; done
{ printf 'program\tlines\tnative\tdetect\ttrial\tcandidates\tconfirmed\tknown\tharmful\tplain\trandom\thit (lowest)\tnew\tpaper\n'; cat "$out"; } | column -t -s "$(printf '\t')"
