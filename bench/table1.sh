#!/bin/sh
# table1.sh - Table 1 of the RaceFuzzer paper, over the subjects of bench/subjects and real programs.
#
# Usage: bench/table1.sh [SUBJECT...]      (all; TRIALS=100 a pair; REAL="pigz ..." the real ones)
#
# Columns: source lines; seconds native, under detect, and of one trial of confirm (larger input
# for the first two, the small default input for trials); candidates (distinct pairs of statements
# detect suspects: up to 5 native runs and 20 under random schedules); confirmed; known (pairs the
# subject's header states, and how many of these were confirmed); harmful shown by confirm, of those
# the header calls harmful; runs that failed out of TRIALS plain ones and TRIALS of the random policy;
# hits over trials of the confirmed pairs, mean and lowest; pairs confirmed that the header does not
# know ("new": must be 0). The paper's own figures are in the last column: probability of hitting.
#
# Real programs have up to hundreds of candidates (the hybrid rule knows nothing of memory that is handed on
# under a lock), nobody knows their races, and a trial costs a tenth of a second rather than a millisecond: PAIRS=5
# of them are tried, evenly spaced in the list, REAL_TRIALS=50 times each or as often as 25 s a program allow
# (the column "tried" says how often), and REAL_TRIALS schedules of the random policy or as many as 10 s allow.
# Rows are kept in table1.tsv and table1-real.tsv: the command resumes.
cd "$(dirname "$0")/.." || exit 1
. bench/lib/part.sh
. tests/expect.sh
trials=${TRIALS:-100} pairs=${PAIRS:-5} REAL_TRIALS=${REAL_TRIALS:-50}
subjects=${*:-nbody raytracer montecarlo cache sor crawler vector list hashset treeset logwriter querycache conntable}
real=${REAL-pigz memcached lbzip2 pbzip2 xz zstd}
die() { echo "bench/table1.sh: $*" >&2; exit 1; }
. bench/lib/programs.sh
out=$R/table1.tsv real_out=$R/table1-real.tsv
touch "$out" "$real_out"
: >"$tmp/failed"

work() { # arguments for a run of a tenth of a second or more, so that detect takes one or two
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
	for _ in 1 2 3; do within 60 "$tmp/time" "$@" 2>/dev/null | tail -n 1 | cut -d' ' -f1; done | median
}
failures() { # COMMAND...: how many of the trials failed
	n=0
	for _ in $(seq "$trials"); do timeout 20 "$@" >/dev/null 2>&1 || n=$((n + 1)); done
	echo $n
}
list() { deadheat list --store "$tmp/store" >"$tmp/list" 2>/dev/null; }
# Pairs of places in the list, without columns: RUNG-PATTERN, "file:line file:line" smaller first.
places() {
	sed -n -E "s/^[0-9a-f]+ +($1) .*  ([^ ,]+), ([^ ,]+)( +[0-9]+ of [0-9]+)?$/\2 \3/p" "$tmp/list" | sed -E 's/(:[0-9]+):[0-9]+/\1/g' |
		awk '{ if ($1 <= $2) print $1, $2; else print $2, $1 }' | sort -u
}
statements() { # the same of a subject: "line line"
	places "$1" | sed -E 's/[a-z]+\.[ch]://g' | awk '{ if ($1 + 0 <= $2 + 0) print $1, $2; else print $2, $1 }' | sort -u
}
hits() { # mean and lowest over the confirmed pairs
	sed -n -E 's/^[0-9a-f]+ +(confirmed|harmful) .* ([0-9]+) of ([0-9]+)$/\2 \3/p' "$tmp/list" |
		awk '{ p = $1 / $2; s += p; if (!n++ || p < low) low = p } END { if (n) printf "%.2f (%.2f)", s / n, low; else print "-" }'
}
confirm() { # SECONDS ID... -- COMMAND...; sets trial, the seconds of one
	most=$1; shift
	began=$(date +%s%N)
	within "$most" deadheat confirm -q -x --no-shrink -j 1 -t "$trials" --store "$tmp/store" "$@" >/dev/null 2>&1
	ended=$(date +%s%N)
	list
	made=$(sed -n 's/.* \([0-9]*\) of \([0-9]*\)$/\2/p' "$tmp/list" | awk '{ n += $1 } END { print n + 0 }')
	trial=$(awk -v t=$((ended - began)) -v n="$made" 'BEGIN { printf n ? "%.4f" : "-", n ? t / 1e9 / n : 0 }')
}
random_failures() { # SECONDS COMMAND...: "FAILED MADE", in pieces, so that what was made within the time counts
	until=$(($(date +%s) + $1)) r_failed=0 r_made=0; shift
	while [ $r_made -lt "$trials" ] && [ "$(date +%s)" -lt $until ]; do
		piece=$((trials - r_made < PIECE ? trials - r_made : PIECE))
		within 60 deadheat fuzz -q -x -j 1 --no-shrink -p random -s $((r_made + 1)) -t $piece --store "$tmp/other" -- "$@" >"$tmp/fuzz" 2>/dev/null
		set_aside=$(sed -n -E "s/^([0-9]+) of ([0-9]+) schedules failed.*/\1 \2/p; s/^no failure in ([0-9]+) schedules.*/0 \1/p" "$tmp/fuzz" | head -n 1)
		[ -n "$set_aside" ] || break
		r_failed=$((r_failed + ${set_aside% *})) r_made=$((r_made + ${set_aside#* }))
	done
	echo "$r_failed $r_made"
}

row() {
	name=$1 file=$TOP/bench/subjects/$1.c
	gcc -O2 -g -pthread -w -o "$tmp/plain" "$file" -lm && deadheat-cc --with clang -g -pthread -w -o "$tmp/program" "$file" -lm &&
		deadheat-cc --with clang -O2 -g -pthread -w -o "$tmp/fast" "$file" -lm || { echo "$name could not be built" >>"$tmp/failed"; return; }
	rm -rf "$tmp/store" "$tmp/other"
	native=$(seconds "$tmp/plain" $(work "$name"))
	detect=$(seconds deadheat detect -q --runs 1 --store "$tmp/other" -- "$tmp/fast" $(work "$name"))
	within 60 deadheat detect -q --store "$tmp/store" -- "$tmp/program" >/dev/null 2>&1
	within 60 deadheat detect -q --schedule random --runs 20 --store "$tmp/store" -- "$tmp/program" >/dev/null 2>&1
	list
	candidates=$(statements suspected | wc -l)
	confirm 120 -- "$tmp/program"
	statements 'confirmed|harmful' >"$tmp/confirmed"
	statements harmful >"$tmp/harmful"
	{ expect_pairs expect "$file"; expect_pairs maybe "$file"; } | sort -u >"$tmp/allowed"
	expect_pairs harm "$file" >"$tmp/harm"
	expect_pairs expect "$file" >"$tmp/known"
	plain=$(failures "$tmp/plain")
	random=$(PIECE=$trials random_failures 60 "$tmp/program"); random=${random% *}
	late "$name" 1 && return
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s of %s\t%s of %s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$(cat "$file" $(sed -n 's/^#include "\(.*\)"/bench\/subjects\/\1/p' "$file") | wc -l)" \
		"$native" "$detect" "$trial" "$candidates" "$(wc -l <"$tmp/confirmed")" "$(comm -12 "$tmp/known" "$tmp/confirmed" | wc -l)" "$(wc -l <"$tmp/known")" \
		"$(comm -12 "$tmp/harm" "$tmp/harmful" | wc -l)" "$(wc -l <"$tmp/harm")" "$plain" "${random:-0}" "$(hits)" \
		"$(comm -23 "$tmp/confirmed" "$tmp/allowed" | wc -l)" "$(paper "$name")" >>"$out"
}
source_lines() { find "$B/src/$(program_source "$1")" -name '*.[ch]' -o -name '*.cpp' | xargs cat | wc -l; }
real_row() {
	name=$1
	(build "$name" native-gcc && build "$name" ours-clang && input) 2>"$tmp/err" || { echo "$name was left out: $(tail -n 1 "$tmp/err")" >>"$tmp/failed"; return; }
	plain=$B/$name/native-gcc/program program=$B/$name/ours-clang/program
	rm -rf "$tmp/store" "$tmp/other"
	native=$(seconds "$plain" $(arguments "$name"))
	detect=$(within 60 "$tmp/time" deadheat detect -q --runs 1 --store "$tmp/other" -- "$program" $(arguments "$name") 2>/dev/null | tail -n 1 | cut -d' ' -f1)
	within 30 deadheat detect -q --runs 3 --store "$tmp/store" -- "$program" $(small_arguments "$name") >/dev/null 2>&1
	list
	candidates=$(places suspected | wc -l)
	ids=$(awk -v most="$pairs" '$2 == "suspected" { id[++n] = $1 } END { if (n < most) most = n; for (i = 0; i < most; i++) print id[1 + int(i * n / most)] }' "$tmp/list")
	all_trials=$trials trials=$REAL_TRIALS trial=- tried="0 pairs"
	if [ -n "$ids" ]; then
		confirm 25 $ids -- "$program" $(small_arguments "$name")
		tried="$(sed -n 's/.* [0-9]* of \([0-9]*\)$/\1/p' "$tmp/list" | sort -n | awk '{ v[NR] = $1 } END { printf "%d pairs × %d", NR, v[1]; if (v[1] != v[NR]) printf "..%d", v[NR] }')"
	fi
	failed=$(failures "$plain" $(small_arguments "$name"))
	random=$(PIECE=10 random_failures 10 "$program" $(small_arguments "$name"))
	trials=$all_trials
	late "$name" 1 && return
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$(source_lines "$name")" "$native" "${detect:--}" "$trial" "$candidates" "$tried" \
		"$(places 'confirmed|harmful' | wc -l)" "$(places harmful | wc -l)" "$failed of $REAL_TRIALS" "${random% *} of ${random#* }" "$(hits)" >>"$real_out"
}
bars() {
	awk -F'\t' '{ split($12, h, /[ ()]+/); if (h[2] != "" && (low == "" || h[2] < low)) { low = h[2]; where = $1 } if (h[1] != "-") { s += h[1]; n++ }
			split($8, k, " of "); known += k[2]; met += k[1]; split($9, d, " of "); harm += d[2]; shown += d[1]; new += $13; plain += $10 > 0; random += $11 > 0; harmful += d[2] > 0 }
		END {
			if (!n) exit
			printf "bar\tprobability of meeting, every confirmed pair of the subjects (the paper: 0.41 to 1.00)\t≥ 0.95\t%.2f\tlowest, %s; mean %.2f over %d programs\t%s\n", low, where, s / n, n, low >= 0.95 ? "met" : "missed"
			printf "bar\tstated races of the subjects confirmed\tall\t%d of %d\t%d programs\t%s\n", met, known, NR, met == known ? "met" : "missed"
			printf "bar\tplanted harmful races shown harmful\tall\t%d of %d\t%d programs\t%s\n", shown, harm, NR, shown == harm ? "met" : "missed"
			printf "bar\tconfirmed pairs that the subjects do not state\t0\t%d\t%d programs\t%s\n", new, NR, new ? "missed" : "met"
			printf "against\tplain repetition\tharmful subjects that ever failed in as many runs (of %d)\t%d\t%d\t%s\n", harmful, harmful, plain, plain < harmful ? "better" : "equal"
			printf "against\trandom schedules\tharmful subjects that ever failed in as many runs (of %d)\t%d\t%d\t%s\n", harmful, harmful, random, random < harmful ? "better" : "equal"
		}' "$out" >"$tmp/said"
	while IFS="$(printf '\t')" read -r kind a b c d e; do "$kind" "$a" "$b" "$c" "$d" "$e"; done <"$tmp/said"
}

for name in $subjects; do grep -q "^$name	" "$out" || late "$name" || row "$name"; done
for name in $real; do grep -q "^$name	" "$real_out" || late "$name" 20 || real_row "$name"; done
echo "$trials trials a pair; seconds by the clock (native, detect: median of three; trial: mean). \`known\` and \`harmful\`: shown, of those the source states."
echo
{ printf 'subject\tlines\tnative s\tdetect s\ttrial s\tcandidates\tconfirmed\tknown\tharmful\tplain runs failed\trandom failed\tmet, mean (lowest)\tnew\tpaper\n'; cat "$out"; } | markdown
if [ -s "$real_out" ]; then
	echo
	echo "Real programs: at most $pairs pairs of each, $REAL_TRIALS trials a pair or 25 s a program. Nobody knows their races, so there is no column for that."
	echo
	{ printf 'program\tlines\tnative s\tdetect s\ttrial s\tcandidates\ttried\tconfirmed\tharmful\tplain runs failed\trandom failed\tmet, mean (lowest)\n'; cat "$real_out"; } | markdown
fi
[ ! -s "$tmp/failed" ] || { echo; sed 's/^/- /' "$tmp/failed"; }
bars
[ -s "$out" ] || [ -n "$cuts" ] || exit 1
finish
