#!/bin/sh
# rivals.sh - detect beside ThreadSanitizer (clang 19, gcc 12), Helgrind and DRD, in one run.
#
# Usage: bench/rivals.sh [ROUNDS] [SUBJECT...]      (3 rounds, all subjects)
#
# Time and memory over native (gcc -O2 for all but the clang builds) on the larger input of each
# subject; rounds alternate over the tools, a figure is the median. Then the distinct pairs of lines
# each reports on the small input, RUNS=5 runs united, and of these the pairs that the subject's
# header states; "missed" are pairs that a ThreadSanitizer reports and we do not.
# Results: build/bench/rivals.tsv (resumes; FRESH=1 begins anew).
cd "$(dirname "$0")/.." || exit 1
TOP=$PWD
B=$TOP/build/bench
PATH="$TOP/build/bin:$PATH"
. "$TOP/tests/expect.sh"
rounds=${1:-3} runs=${RUNS:-5}
[ $# -gt 0 ] && shift
subjects=${*:-nbody raytracer montecarlo cache sor crawler vector list hashset treeset logwriter querycache conntable}
tools="ours tsan-clang tsan-gcc helgrind drd"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$B"
out=$B/rivals.tsv
[ -n "$FRESH" ] && rm -f "$out"
touch "$out"
export TSAN_OPTIONS="exitcode=0 history_size=4" LC_ALL=C

work() { # valgrind is slow: a tenth of table1.sh's
	case $1 in
	nbody) echo 300 10 ;; raytracer) echo 400 ;; montecarlo) echo 6000 100 ;; sor) echo 300 20 ;;
	cache) echo 2000 ;; crawler) echo 20000 ;; logwriter) echo 30000 ;; querycache) echo 30000 ;;
	conntable) echo 30000 ;; *) echo 2000 ;;
	esac
}
gcc -O2 -o "$tmp/time" bench/detect/time.c || exit 1
build() {
	gcc -O2 -g -pthread -w -o "$tmp/native-gcc" "$1" -lm && clang-19 -O2 -g -pthread -w -o "$tmp/native-clang" "$1" -lm &&
	gcc -O2 -g -fsanitize=thread -pthread -w -o "$tmp/tsan-gcc" "$1" -lm &&
	clang-19 -O2 -g -fsanitize=thread -pthread -w -o "$tmp/tsan-clang" "$1" -lm &&
	deadheat-cc --with clang -O2 -g -pthread -w -o "$tmp/ours" "$1" -lm || exit 1
	# Optimised code has fewer statements to report: pairs are counted on unoptimised builds of all.
	gcc -g -pthread -w -o "$tmp/o0-native" "$1" -lm && gcc -g -fsanitize=thread -pthread -w -o "$tmp/o0-tsan-gcc" "$1" -lm &&
	clang-19 -g -fsanitize=thread -pthread -w -o "$tmp/o0-tsan-clang" "$1" -lm &&
	deadheat-cc --with clang -g -pthread -w -o "$tmp/o0-ours" "$1" -lm || exit 1
}
run() { # TOOL PREFIX ARGUMENTS...: the command line's words run
	tool=$1 prefix=$2; shift 2
	native=$tmp/native-gcc; [ -n "$prefix" ] && native=$tmp/o0-native
	case $tool in
	ours) "$tmp/time" timeout 300 deadheat detect -q --runs 1 --store "$tmp/store" -- "$tmp/${prefix}ours" "$@" ;;
	tsan-*) "$tmp/time" timeout 300 setarch -R "$tmp/$prefix$tool" "$@" ;;
	helgrind | drd) "$tmp/time" timeout 300 valgrind --tool=$tool -q "$native" "$@" ;;
	*) "$tmp/time" timeout 300 "$tmp/$tool" "$@" ;;
	esac
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# Pairs of lines "A B", smaller first, from each tool's words on stderr.
pairs_of_reports() { # FILE SUBJECT: the first frame in the subject of each of two accesses
	awk -v file="$2.c:" '
		/WARNING: ThreadSanitizer: data race|Possible data race|Conflicting (load|store)|^SUMMARY/ { a = 0 }
		/(Write|Read|write|read) of size|Previous|Possible data race|conflicts with|Conflicting|Other segment/ { want = 1 }
		want && match($0, file "[0-9]+") {
			line = substr($0, RSTART + length(file), RLENGTH - length(file)) + 0
			want = 0
			if (a) { print (a < line ? a " " line : line " " a); a = 0 } else a = line
		}' "$1" | sort -u
}
row() {
	name=$1 file=$TOP/bench/subjects/$1.c
	build "$file"
	rm -f "$tmp"/*.times
	for _ in $(seq "$rounds"); do
		for tool in native-gcc native-clang $tools; do
			rm -rf "$tmp/store"
			run $tool "" $(work "$name") 2>/dev/null | tail -n 1 >>"$tmp/$tool.times"
		done
	done
	rm -rf "$tmp/store"
	expect_pairs expect "$file" >"$tmp/known"
	for tool in $tools; do
		: >"$tmp/$tool.said"
		for _ in $(seq "$runs"); do run $tool o0- >/dev/null 2>>"$tmp/$tool.said"; done
		if [ $tool = ours ]; then
			deadheat list --store "$tmp/store" 2>/dev/null | sed -n -E 's/.* [a-z]+\.c:([0-9]+):[0-9]+, [a-z]+\.c:([0-9]+):.*/\1 \2/p' |
				awk '{ if ($1 <= $2) print $1, $2; else print $2, $1 }' | sort -u >"$tmp/$tool.pairs"
		else
			pairs_of_reports "$tmp/$tool.said" "$name" >"$tmp/$tool.pairs"
		fi
		base=native-gcc; case $tool in ours | tsan-clang) base=native-clang ;; esac
		ratio=$(paste -d' ' "$tmp/$tool.times" "$tmp/$base.times" | awk '{ print $1 / $4 }' | median)
		memory=$(cut -d' ' -f3 "$tmp/$tool.times" | median)
		printf '%s\t%s\t%.2f\t%d\t%d\t%d of %d\n' "$name" $tool "$ratio" "$((memory / 1024))" "$(wc -l <"$tmp/$tool.pairs")" \
			"$(comm -12 "$tmp/known" "$tmp/$tool.pairs" | wc -l)" "$(wc -l <"$tmp/known")"
	done >"$tmp/rows"
	sort -u "$tmp/tsan-clang.pairs" "$tmp/tsan-gcc.pairs" | comm -12 - "$tmp/known" | comm -23 - "$tmp/ours.pairs" >"$tmp/missed"
	{ cat "$tmp/rows"; printf '%s\tmissed\t%d\n' "$name" "$(wc -l <"$tmp/missed")"; } >>"$out"
}
for name in $subjects; do grep -q "^$name	missed" "$out" || row "$name"; done
printf 'program\ttool\ttimes native\tMiB\tpairs\tknown pairs\n' | cat - "$out" | grep -v '	missed	' | column -t -s "$(printf '\t')"
awk -F'\t' '
	$2 != "missed" && $3 > 0 { s[$2] += log($3); n[$2]++; m[$2] += log($4 + 1); t[$1, $2] = $3; g[$1, $2] = $4 }
	$2 == "missed" { missed += $3; all++; r += log(t[$1, "ours"] / t[$1, "tsan-clang"]); q += log((g[$1, "ours"] + 1) / (g[$1, "tsan-clang"] + 1)) }
	END {
		for (tool in s) printf "geometric mean %s: %.2f times native, %.0f MiB\n", tool, exp(s[tool] / n[tool]), exp(m[tool] / n[tool]) | "sort"
		close("sort")
		if (all) printf "ours / tsan-clang: slowdown %.2f, memory %.2f\nstated pairs a ThreadSanitizer reports and we do not: %d\n", exp(r / all), exp(q / all), missed
	}' "$out"
