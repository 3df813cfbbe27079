#!/bin/sh
# detect.sh - how much detect slows real programs down, beside ThreadSanitizer, Helgrind and DRD.
#
# Usage: bench/detect.sh [ROUNDS] [PROGRAM...]        (3 rounds, all programs)
#
# Programs: pigz, pbzip2, lbzip2, xz, zstd, memcached and two kernels of ours (bench/lib/programs.sh).
# The engine was tuned on pigz, pbzip2, xz, zstd, hash and matrix; lbzip2 and memcached it had not seen.
# Variants of each:
#
#   native-gcc, native-clang   -O2, the two denominators
#   tsan-gcc, tsan-clang       -O2 -g -fsanitize=thread of the same compiler
#   tsan-huge                  tsan-clang, allowed huge pages for its shadow (we ask for them)
#   ours-gcc, ours-clang       built by deadheat-cc, run by `deadheat detect --runs 1`
#   nop-gcc, nop-clang         the same binaries, just run (hooks are patched away)
#   helgrind, drd              valgrind on native-gcc; a quarter of the input, beside native on the same,
#                              and one round: they need a minute for what takes native a second
#
# Rounds alternate over the variants, so that load of the machine meets all alike. A round's
# slowdown is its wall time over native of the same compiler in that round; a figure is the
# median over the rounds; geometric means over programs are given with the smallest and
# largest program. Memory is the largest resident set; reports are what the tool prints as races in
# one run (ThreadSanitizer's reports, valgrind's contexts, our suspected pairs: not the same thing).
# VARIANTS="..." runs these (without: all but tsan-huge). METRIC=cpu takes CPU seconds instead of wall time: for a machine that
# does other things too. Rows are kept in detect.tsv: program, variant, round, wall, CPU, KiB, reports.
cd "$(dirname "$0")/.." || exit 1
. bench/lib/part.sh
rounds=${1:-3}
[ $# -gt 0 ] && shift
programs=${*:-pigz pbzip2 lbzip2 xz zstd memcached hash matrix}
all=${VARIANTS:-native-gcc native-clang tsan-gcc tsan-clang ours-gcc ours-clang nop-gcc nop-clang helgrind drd}
die() { echo "bench/detect.sh: $*" >&2; exit 1; }
. bench/lib/programs.sh
out=$R/detect.tsv
touch "$out"

builds() { for v in $all; do case $v in tsan-huge | nop-* | helgrind | drd) ;; *) echo "$v" ;; esac; done; }
quarter() { # the same arguments on a quarter of the input
	case $1 in
	hash) echo "4 300000" ;;
	matrix) echo "4 300 20" ;;
	memcached) echo "$B/memcached.socket 1000" ;;
	*) arguments "$1" | sed "s|$B/input|$B/input-quarter|" ;;
	esac
}
command_of() { # program variant
	case $2 in
	tsan-huge) echo "$B/$1/tsan-clang/program" ;;
	nop-*) echo "$B/$1/ours-${2#nop-}/program" ;;
	ours-*) echo "deadheat detect --quiet --runs 1 --store $tmp/store -- $B/$1/$2/program" ;;
	helgrind | drd) echo "valgrind --tool=$2 $B/$1/native-gcc/program" ;;
	quarter) echo "$B/$1/native-gcc/program" ;;
	*) echo "$B/$1/$2/program" ;;
	esac
}
reports() { # variant
	case $1 in
	tsan-*) cat "$tmp"/tsan.log.* 2>/dev/null | grep -c '^WARNING: ThreadSanitizer: data race' ;;
	ours-*) deadheat list --store "$tmp/store" 2>/dev/null | grep -c suspected ;;
	helgrind | drd) sed -n 's/.*ERROR SUMMARY: [0-9]* errors from \([0-9]*\) contexts.*/\1/p' "$tmp/err" | tail -n 1 ;;
	*) echo - ;;
	esac
}
run_one() { # program variant round
	grep -q "^$1	$2	$3	" "$out" && return
	rm -rf "$tmp/store" "$tmp"/tsan.log.*
	words=$(arguments "$1")
	case $2 in
	tsan-*) export TSAN_OPTIONS="report_bugs=1:exitcode=0:atexit_sleep_ms=0:log_path=$tmp/tsan.log" ;;
	helgrind | drd | quarter) words=$(quarter "$1") ;;
	esac
	[ "$2" = tsan-huge ] && TSAN_OPTIONS="$TSAN_OPTIONS:no_huge_pages_for_shadow=0"
	result=$(within 180 "$B/time" $(command_of "$1" "$2") $words 2>"$tmp/err")
	status=$?
	[ $status = 124 ] && { late "$1 $2" 5 || echo "$1 as $2: more than 180 s, left out" >>"$tmp/failed"; return; }
	[ $status = 0 ] || { echo "$1 as $2 failed (status $status): $(tail -n 1 "$tmp/err")" >>"$tmp/failed"; return; }
	printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$(echo "$result" | tail -n 1 | tr ' ' '\t')" "$(reports "$2")" >>"$out"
}

report() { # Markdown on stdout; bars and comparisons as lines "bar" and "against" to $tmp/said
	awk -F'\t' -v column="$([ "${METRIC:-wall}" = cpu ] && echo 5 || echo 4)" -v programs="$programs" -v variants="$all" -v said="$tmp/said" '
	function base(v) { return v ~ /helgrind|drd/ ? "quarter" : v ~ /gcc/ ? "native-gcc" : "native-clang" }
	function median(list, n,   i, j, t, a) {
		n = split(list, a, " ")
		if (!n) return 0
		for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j - 1] + 0 > a[j] + 0; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
		return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
	}
	function head(title,   j) { printf "\n| %s |", title; for (j = 1; j <= nv; j++) printf " %s |", V[j]; printf "\n|---|"; for (j = 1; j <= nv; j++) printf "---:|"; print "" }
	{ wall[$1, $2, $3] = $column; if ($3 > rounds) rounds = $3; if ($6 > rss[$1, $2]) rss[$1, $2] = $6; said_races[$1, $2] = $7 }
	END {
		np = split(programs, P, " "); nv = split(variants, V, " ")
		head("slowdown")
		for (i = 1; i <= np; i++) {
			printf "| %s |", P[i]
			for (j = 1; j <= nv; j++) {
				list = ""
				for (r = 1; r <= rounds; r++)
					if (V[j] ~ /native/) { if ((P[i], V[j], r) in wall) list = list " " wall[P[i], V[j], r] }
					else if (((P[i], V[j], r) in wall) && wall[P[i], base(V[j]), r] > 0) list = list " " wall[P[i], V[j], r] / wall[P[i], base(V[j]), r]
				slow[i, j] = median(list)
				printf !slow[i, j] ? " – |" : V[j] ~ /native/ ? " %.2f s |" : " %.2f |", slow[i, j]
			}
			print ""
		}
		head("memory, MiB")
		for (i = 1; i <= np; i++) { printf "| %s |", P[i]; for (j = 1; j <= nv; j++) printf rss[P[i], V[j]] ? " %.0f |" : " – |", rss[P[i], V[j]] / 1024; print "" }
		head("reports of one run")
		for (i = 1; i <= np; i++) { printf "| %s |", P[i]; for (j = 1; j <= nv; j++) printf " %s |", said_races[P[i], V[j]] == "" ? "–" : said_races[P[i], V[j]]; print "" }
		print "\n| geometric mean over programs | slowdown (least..most) | memory |\n|---|---:|---:|"
		for (j = 1; j <= nv; j++) at[V[j]] = j
		compare("ours-clang", "tsan-clang", "TSan (clang 19)", 0.8); compare("ours-clang", "tsan-huge", "", 0); compare("ours-gcc", "tsan-clang", "", 0)
		compare("ours-gcc", "tsan-gcc", "", 0); compare("ours-clang", "tsan-gcc", "TSan (gcc 12)", 0.4)
		compare("ours-clang", "helgrind", "Helgrind", 0); compare("ours-clang", "drd", "DRD", 0)
		gm("nop-gcc", "native-gcc"); gm("nop-clang", "native-clang")
	}
	function compare(a, b, rival, limit,   i, s, m, lo, hi, x, y, n, k) {
		if (!(a in at) || !(b in at)) return
		lo = 1e9; hi = 0; s = m = n = k = 0
		for (i = 1; i <= np; i++) {
			if (!slow[i, at[a]] || !slow[i, at[b]]) continue
			x = slow[i, at[a]] / slow[i, at[b]]; n++
			s += log(x); if (x < lo) lo = x; if (x > hi) hi = x
			if (rss[P[i], a] && rss[P[i], b]) { m += log(rss[P[i], a] / rss[P[i], b]); k++ }
		}
		if (!n) return
		x = exp(s / n); y = exp(m / (k ? k : 1))
		printf "| %s ÷ %s, %d programs | %.2f (%.2f..%.2f) | %.2f |\n", a, b, n, x, lo, hi, y
		if (rival == "") return
		print sprintf("against\t%s\tslowdown of %d real programs, ours ÷ theirs\t%.2f (%.2f..%.2f)\t1\t%s", rival, n, x, lo, hi, x < 0.98 ? "better" : x > 1.02 ? "worse" : "equal") >>said
		if (b !~ /helgrind|drd/) print sprintf("against\t%s\tmemory of %d real programs, ours ÷ theirs\t%.2f\t1\t%s", rival, n, y, y < 0.98 ? "better" : y > 1.02 ? "worse" : "equal") >>said
		if (limit) print sprintf("bar\tdetect on real programs: slowdown ÷ %s\t≤ %.2f\t%.2f\t%.2f..%.2f over %d programs\t%s", rival, limit, x, lo, hi, n, x <= limit ? "met" : "missed") >>said
		if (b == "tsan-clang") print sprintf("bar\tdetect on real programs: memory ÷ %s\t≤ 0.6\t%.2f\t%d programs\t%s", rival, y, k, y <= 0.6 ? "met" : "missed") >>said
	}
	function gm(a, b,   i, s, lo, hi, n) {
		if (!(a in at)) return
		lo = 1e9; hi = s = n = 0
		for (i = 1; i <= np; i++) { x = slow[i, at[a]]; if (!x) continue; n++; s += log(x); if (x < lo) lo = x; if (x > hi) hi = x }
		if (!n) return
		x = exp(s / n)
		printf "| %s ÷ %s, %d programs | %.2f (%.2f..%.2f) | |\n", a, b, n, x, lo, hi
		print sprintf("bar\tdeadheat-cc binary just run (%s) ÷ native\t≤ 1.3\t%.2f\t%.2f..%.2f over %d programs\t%s", substr(a, 5), x, lo, hi, n, x <= 1.3 ? "met" : "missed") >>said
	}' "$out"
}

gcc -O2 -o "$B/time" bench/detect/time.c || die "cannot build bench/detect/time.c"
: >"$tmp/failed"; : >"$tmp/said"
there=
for p in $programs; do
	late "$p (not built)" 20 && continue
	why=
	for v in $(builds); do
		(build "$p" "$v") 2>"$tmp/err" || { why=$(tail -n 1 "$tmp/err"); break; }
	done
	if [ -z "$why" ]; then there="$there $p"; else echo "$p was left out: $why" >>"$tmp/failed"; fi
done
programs=$there
[ -z "$programs" ] || (input) 2>"$tmp/err" || echo "no input for the compressors: $(tail -n 1 "$tmp/err")" >>"$tmp/failed"
[ ! -e "$B/input" ] || [ -e "$B/input-quarter" ] || head -c 3000000 "$B/input" >"$B/input-quarter"
for r in $(seq "$rounds"); do
	for p in $programs; do
		late "$p round $r" 15 && continue
		for v in $all; do
			case $v in helgrind | drd) [ "$r" = 1 ] || continue; run_one "$p" quarter "$r" ;; esac
			run_one "$p" "$v" "$r"
		done
	done
done
echo "Wall time over native of the same compiler, median of $rounds alternating rounds (a dash: not measured)."
report
sed 's/^/- /' "$tmp/failed" | sort -u
while IFS="$(printf '\t')" read -r kind a b c d e; do "$kind" "$a" "$b" "$c" "$d" "$e"; done <"$tmp/said"
[ -s "$out" ] || [ -n "$cuts" ] || exit 1
finish
