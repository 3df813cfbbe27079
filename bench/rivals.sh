#!/bin/sh
# rivals.sh - detect beside ThreadSanitizer (clang 19, gcc 12), Helgrind and DRD, in one run.
#
# Usage: bench/rivals.sh [SUBJECT...]      (all; ROUNDS=3, RUNS=3)
#
# Time and memory over native of the same compiler (-O2; valgrind: gcc's) on the larger input of each
# subject; rounds alternate over the tools, a figure is the median. Helgrind and DRD get a tenth of the
# input, beside native on that, and one round: they need a minute for what takes native a second. Then the distinct pairs of lines
# each reports on the small input, RUNS runs united (ours with another seed each, as detect --runs has them), builds
# without optimisation (optimised code has fewer statements to report), and of these the pairs that the subject's header states; "missed" are
# stated pairs that a ThreadSanitizer reports and we do not, "ours alone" those it is the other way round.
# Rows are kept in rivals.tsv.
cd "$(dirname "$0")/.." || exit 1
. bench/lib/part.sh
. tests/expect.sh
rounds=${ROUNDS:-3} runs=${RUNS:-3} seed=1
subjects=${*:-nbody raytracer montecarlo cache sor crawler vector list hashset treeset logwriter querycache conntable}
tools="ours tsan-clang tsan-gcc helgrind drd"
out=$R/rivals.tsv
touch "$out"
: >"$tmp/failed"
export TSAN_OPTIONS="exitcode=0 history_size=4"

work() { # a tenth of a second natively
	case $1 in
	nbody) echo 600 20 ;; raytracer) echo 1000 ;; montecarlo) echo 60000 100 ;; sor) echo 800 40 ;;
	cache) echo 20000 ;; crawler) echo 90000 ;; logwriter) echo 300000 ;; querycache) echo 300000 ;;
	conntable) echo 300000 ;; *) echo 20000 ;;
	esac
}
less() { # a tenth of that: valgrind is slow
	case $1 in
	nbody) echo 300 10 ;; raytracer) echo 400 ;; montecarlo) echo 6000 100 ;; sor) echo 300 20 ;;
	cache) echo 2000 ;; crawler) echo 20000 ;; logwriter) echo 30000 ;; querycache) echo 30000 ;;
	conntable) echo 30000 ;; *) echo 2000 ;;
	esac
}
gcc -O2 -o "$tmp/time" bench/detect/time.c || exit 1
compile() { # SOURCE COMPILER OPTIONS... OUTPUT
	source=$1; shift
	echo "$* -g -pthread -w $source -lm"
}
build() { # SOURCE: nine programs, one a core at a time
	{
		compile "$1" gcc -O2 -o "$tmp/native-gcc"
		compile "$1" clang-19 -O2 -o "$tmp/native-clang"
		compile "$1" gcc -O2 -fsanitize=thread -o "$tmp/tsan-gcc"
		compile "$1" clang-19 -O2 -fsanitize=thread -o "$tmp/tsan-clang"
		compile "$1" deadheat-cc --with clang -O2 -o "$tmp/ours"
		compile "$1" gcc -o "$tmp/o0-native"
		compile "$1" gcc -fsanitize=thread -o "$tmp/o0-tsan-gcc"
		compile "$1" clang-19 -fsanitize=thread -o "$tmp/o0-tsan-clang"
		compile "$1" deadheat-cc --with clang -o "$tmp/o0-ours"
	} | xargs -P "$(nproc)" -d '\n' -n 1 sh -c 'eval "$1"' sh
}
run() { # TOOL PREFIX ARGUMENTS...
	tool=$1 prefix=$2; shift 2
	native=$tmp/native-gcc; [ -n "$prefix" ] && native=$tmp/o0-native
	case $tool in
	ours) within 60 "$tmp/time" deadheat detect -q --runs 1 --seed "$seed" --store "$tmp/store" -- "$tmp/${prefix}ours" "$@" ;;
	tsan-*) within 60 "$tmp/time" setarch -R "$tmp/$prefix$tool" "$@" ;;
	helgrind | drd) within 60 "$tmp/time" valgrind --tool=$tool -q "$native" "$@" ;;
	*) within 60 "$tmp/time" "$tmp/$tool" "$@" ;;
	esac
}
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
# DRD names one access and the other thread, not the other access: its lines, and the stated pairs they are a side of.
lines_of_reports() { # FILE SUBJECT
	awk -v file="$2.c:" '/Conflicting (load|store)/ { want = 1 }
		want && match($0, file "[0-9]+") { print substr($0, RSTART + length(file), RLENGTH - length(file)); want = 0 }' "$1" | sort -u
}
stated() { # TOOL: which of the stated pairs it reports
	if [ "$1" = drd ]; then awk 'NR == FNR { line[$1]; next } ($1 in line) || ($2 in line)' "$tmp/drd.pairs" "$tmp/known"; else comm -12 "$tmp/known" "$tmp/$1.pairs"; fi
}
pairs_of_ours() {
	deadheat list --store "$tmp/store" 2>/dev/null | sed -n -E 's/.* [a-z]+\.c:([0-9]+):[0-9]+, [a-z]+\.c:([0-9]+):.*/\1 \2/p' |
		awk '{ if ($1 <= $2) print $1, $2; else print $2, $1 }' | sort -u
}
ratios() { # TOOL: its times over native's, round by round
	base=native-gcc
	case $1 in ours | tsan-clang) base=native-clang ;; helgrind | drd) base=less ;; esac
	paste -d' ' "$tmp/$1.times" "$tmp/$base.times" | awk 'NF == 6 && $4 > 0 { print $1 / $4 }'
}
row() {
	name=$1 file=$TOP/bench/subjects/$1.c
	build "$file" || { echo "$name could not be built in all variants" >>"$tmp/failed"; return; }
	rm -f "$tmp"/*.times
	for _ in $(seq "$rounds"); do
		for tool in native-gcc native-clang ours tsan-clang tsan-gcc; do
			rm -rf "$tmp/store"
			run $tool "" $(work "$name") 2>/dev/null | tail -n 1 >>"$tmp/$tool.times"
		done
	done
	for _ in 1 2 3; do run native-gcc "" $(less "$name") 2>/dev/null | tail -n 1; done | sort -n | sed -n 2p >"$tmp/less.times"
	for tool in helgrind drd; do run $tool "" $(less "$name") 2>/dev/null | tail -n 1 >"$tmp/$tool.times"; done
	rm -rf "$tmp/store"
	expect_pairs expect "$file" >"$tmp/known"
	for tool in $tools; do
		: >"$tmp/$tool.said"
		for seed in $(seq "$runs"); do run $tool o0- >/dev/null 2>>"$tmp/$tool.said"; done
		case $tool in ours) pairs_of_ours ;; drd) lines_of_reports "$tmp/drd.said" "$name" ;; *) pairs_of_reports "$tmp/$tool.said" "$name" ;; esac >"$tmp/$tool.pairs"
		printf '%s\t%s\t%.2f\t%s\t%d\t%d\t%d of %d\n' "$name" $tool "$(ratios $tool | median)" "$(ratios $tool | sort -n | sed -n '1p;$p' | tr '\n' ' ' | awk '{ printf "%.2f..%.2f", $1, $2 }')" \
			"$(cut -d' ' -f3 "$tmp/$tool.times" | median | awk '{ print int($1 / 1024) }')" "$(wc -l <"$tmp/$tool.pairs")" \
			"$(stated $tool | wc -l)" "$(wc -l <"$tmp/known")"
	done >"$tmp/rows"
	sort -u "$tmp/tsan-clang.pairs" "$tmp/tsan-gcc.pairs" | comm -12 - "$tmp/known" >"$tmp/theirs"
	late "$name" 1 && return
	{ cat "$tmp/rows"; printf '%s\tmissed\t%d\t%d\n' "$name" "$(comm -23 "$tmp/theirs" "$tmp/ours.pairs" | wc -l)" \
		"$(comm -12 "$tmp/known" "$tmp/ours.pairs" | comm -23 - "$tmp/theirs" | wc -l)"; } >>"$out"
}
sum() { # the means, and what is said in bars
	awk -F'\t' -v said="$tmp/said" '
	function rival(t) { return t == "tsan-clang" ? "TSan (clang 19)" : t == "tsan-gcc" ? "TSan (gcc 12)" : t == "helgrind" ? "Helgrind" : "DRD" }
	function word(x) { return x < 0.98 ? "better" : x > 1.02 ? "worse" : "equal" }
	$2 != "missed" && $3 > 0 { t[$1, $2] = $3; m[$1, $2] = $5 + 1; split($7, k, " of "); found[$2] += k[1]; known[$2] += k[2]; pairs[$2] += $6 }
	$2 == "missed" { missed += $3; alone += $4; name[++n] = $1 }
	END {
		if (!n) exit
		print "\n| all subjects | times native, geometric mean | MiB | pairs reported | of the stated ones | ours ÷ it, time (least..most) | ours ÷ it, memory |\n|---|---:|---:|---:|---:|---:|---:|"
		nt = split("ours tsan-clang tsan-gcc helgrind drd", T, " ")
		for (j = 1; j <= nt; j++) {
			s = g = q = r = c = 0; lo = 1e9; hi = 0
			for (i = 1; i <= n; i++) {
				if (!t[name[i], T[j]] || !t[name[i], "ours"]) continue
				x = t[name[i], "ours"] / t[name[i], T[j]]; c++
				s += log(t[name[i], T[j]]); g += log(m[name[i], T[j]]); r += log(x); q += log(m[name[i], "ours"] / m[name[i], T[j]])
				if (x < lo) lo = x; if (x > hi) hi = x
			}
			if (!c) continue
			r = exp(r / c); q = exp(q / c)
			printf "| %s | %.2f | %.0f | %d | %d of %d | %.2f (%.2f..%.2f) | %.2f |\n", T[j], exp(s / c), exp(g / c), pairs[T[j]], found[T[j]], known[T[j]], r, lo, hi, q
			if (j == 1) continue
			print sprintf("against\t%s\tslowdown of %d subjects, ours ÷ theirs\t%.2f (%.2f..%.2f)\t1\t%s", rival(T[j]), c, r, lo, hi, word(r)) >>said
			print sprintf("against\t%s\tmemory of %d subjects, ours ÷ theirs\t%.2f\t1\t%s", rival(T[j]), c, q, word(q)) >>said
			print sprintf("against\t%s\tstated races reported (of %d)\t%d\t%d\t%s", rival(T[j]), known["ours"], found["ours"], found[T[j]], found["ours"] > found[T[j]] ? "better" : found["ours"] < found[T[j]] ? "worse" : "equal") >>said
			if (T[j] == "tsan-clang") {
				print sprintf("bar\tdetect on the subjects: slowdown ÷ TSan (clang 19)\t≤ 0.8\t%.2f\t%.2f..%.2f over %d programs\t%s", r, lo, hi, c, r <= 0.8 ? "met" : "missed") >>said
				print sprintf("bar\tdetect on the subjects: memory ÷ TSan (clang 19)\t≤ 0.6\t%.2f\t%d programs\t%s", q, c, q <= 0.6 ? "met" : "missed") >>said
			}
		}
		printf "\nStated pairs a ThreadSanitizer reports and we do not: %d. We and neither ThreadSanitizer: %d.\n", missed, alone
		print sprintf("bar\tstated races a ThreadSanitizer reports and detect misses\t0\t%d\t%d programs\t%s", missed, n, missed ? "missed" : "met") >>said
	}' "$out"
}
: >"$tmp/said"
for name in $subjects; do grep -q "^$name	missed" "$out" || late "$name" || row "$name"; done
echo "Times over native: median of $rounds alternating rounds, [least..most]. Pairs: $runs runs united; DRD names one side only: lines, and stated pairs that have one of them."
echo
{
	printf 'subject\ttool\ttimes native\tspread\tMiB\tpairs\tof the stated ones\n'
	grep -v '	missed	' "$out"
} | markdown
sum
echo
echo "Which stated race does a ThreadSanitizer report that we miss, subject by subject:"
echo
{ printf 'subject\tmissed by us\tours alone\n'; awk -F'\t' '$2 == "missed" { print $1 "\t" $3 "\t" $4 }' "$out"; } | markdown
[ ! -s "$tmp/failed" ] || { echo; sed 's/^/- /' "$tmp/failed"; }
while IFS="$(printf '\t')" read -r kind a b c d e; do "$kind" "$a" "$b" "$c" "$d" "$e"; done <"$tmp/said"
[ -s "$out" ] || [ -n "$cuts" ] || exit 1
finish
