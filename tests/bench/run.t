#!/bin/sh
# make bench at the smallest size: a page that is well formed, parts that fail or take too long are said and
# take nothing else with them, a killed run goes on where it was. Parts are made up here (BENCH_PARTS), so
# nothing depends on how fast the machine is; two real ones run with nothing to do but one row, or no time.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1
unset FRESH BENCH_BUDGET BENCH_GRACE BENCH_RESULTS BENCH_DEADLINE BENCH_NOTES
mkdir -p "$tmp/parts"
export BENCH_PARTS="$tmp/parts" BENCH_PAGE="$tmp/page" SCRATCH="$tmp"

cat >"$tmp/parts/table1.sh" <<'X'
echo ran >>"$SCRATCH/table1.runs"
printf 'list\t9\t1\t2\t3\t4\t4\t4 of 4\t1 of 1\t0\t1\t0.97 (0.93)\t0\t0.85\n' >"$BENCH_RESULTS/table1.tsv"
printf 'a bar\t1\t2\t1..3\tmissed\n' >"$BENCH_NOTES.bars"
printf 'a rival\ttime, ours ÷ theirs\t2\t1\tworse\na rival\tfound\t3\t1\tbetter\n' >"$BENCH_NOTES.against"
printf '| a | b |\n|---|---:|\n| x | 1 |\n'
X
cat >"$tmp/parts/confirm.sh" <<'X'
echo schedules_per_second_jobs_1 2500
echo "witnesses_replayed_ten_times 5 of 5"
X
cat >"$tmp/parts/broken.sh" <<'X'
echo "one line before"
echo "the disk is on fire" >&2
exit 3
X
cat >"$tmp/parts/endless.sh" <<'X'
while :; do sleep 1; done
X
cat >"$tmp/parts/rows.sh" <<'X'
. "$TOP/bench/lib/part.sh"
for row in 1 2; do
	grep -q "^$row$" "$R/rows.tsv" 2>/dev/null && continue
	if [ $row = 2 ] && [ -e "$SCRATCH/wait" ]; then
		echo $$ >"$SCRATCH/part.new" && mv "$SCRATCH/part.new" "$SCRATCH/part.pid"
		while :; do sleep 1; done
	fi
	echo $row >>"$R/rows.tsv"
	echo "measured $row" >>"$SCRATCH/rows.runs"
done
cat "$R/rows.tsv"
finish
X
export TOP BENCH_COMMIT="0123abc of 2026-01-01"

# Every row of a table has as many cells as its head; blocks are closed; plots are there and are XML.
well_formed() { # FOLDER
	awk '/^```/ { open = !open; next } open { next }
		/^\|/ { n = gsub(/\|/, "|"); if (!columns) columns = n; if (n != columns) { print "line " NR ": " n " bars, the head has " columns; bad = 1 } next }
		{ columns = 0 }
		END { if (open) { print "a block is left open"; bad = 1 } exit bad }' "$1/README.md" || return 1
	for svg in $(sed -n 's/^!\[.*](\(.*\.svg\))$/\1/p' "$1/README.md"); do
		[ -s "$1/$svg" ] || { echo "no $svg"; return 1; }
		! command -v xmllint >/dev/null || xmllint --noout "$1/$svg" || return 1
	done
}
has() { grep -qF -- "$1" "$tmp/page/README.md"; }

check "a run with a part that fails succeeds" sh bench/run table1 broken confirm
check "the page is well formed" well_formed "$tmp/page"
check "commit, machine and compilers are on it" sh -c 'grep -q "^- commit [0-9a-f]* of " "$1" && grep -q "^- machine: .* cores" "$1" && grep -q "clang version 19" "$1"' sh "$tmp/page/README.md"
check "the failure is stated at the top, with its reason" has "- **broken**: failed (status 3): the disk is on fire"
check "and where it belongs, with what was there" sh -c 'sed -n "/^## broken/,\$p" "$1" | grep -q "Not whole: failed" && sed -n "/^## broken/,\$p" "$1" | grep -q "^one line before"' sh "$tmp/page/README.md"
check "a rival: what is better and what is worse, row by row" sh -c 'grep -qF "| a rival | time, ours ÷ theirs | 2 | 1 | **worse** |" "$1" && grep -qF "| a rival | found | 3 | 1 | **better** |" "$1"' sh "$tmp/page/README.md"
check "and how many of each" has "2 comparisons: deadheat is better in 1, worse in 1, equal in 0."
check "a bar of a part" has "| a bar | 1 | 2 | 1..3 | **missed** | table1 |"
check "a bar read from plain text" has "| schedules a second, one job | ≥ 2,000 | 2500 |"
check "the rivals come before the bars, the bars before the parts" sh -c '
	n() { grep -n "^## $1" "$2" | head -n 1 | cut -d: -f1; }
	[ "$(n "Where it stands" "$1")" -lt "$(n Bars "$1")" ] && [ "$(n Bars "$1")" -lt "$(n "Table 1" "$1")" ]' sh "$tmp/page/README.md"
if command -v gnuplot >/dev/null; then check "a plot is drawn from the rows" test -s "$tmp/page/table1.svg"; fi
check "again: what was done is not run again, what failed is" sh -c 'echo "echo mended" >"$SCRATCH/parts/broken.sh"; sh bench/run table1 broken confirm && [ "$(wc -l <"$SCRATCH/table1.runs")" = 1 ]'
check "the mended part is whole now" sh -c '! grep -q "Not whole" "$1" && grep -q "^mended" "$1"' sh "$tmp/page/README.md"
check "FRESH=1 begins anew" sh -c 'FRESH=1 sh bench/run table1 && [ "$(wc -l <"$SCRATCH/table1.runs")" = 2 ]'
check "a part that does not end is ended" env BENCH_BUDGET=1 BENCH_GRACE=0 sh bench/run endless
check "and the page says so" has "ended by its time budget"
check_status "an unknown part" 1 sh bench/run nosuch
check_output "is named" "bench: there is no part nosuch" sh bench/run nosuch

# ---- what the other parts print is understood: bars, plots, and not a word on stderr ------------------------
cat >"$tmp/parts/detect.sh" <<'X'
printf '\n| slowdown | native-gcc | native-clang | tsan-gcc | tsan-clang | ours-clang | helgrind |\n|---|---:|---:|---:|---:|---:|---:|\n| pigz | 0.30 s | 0.28 s | 19.1 | 6.7 | 5.1 | – |\n| zstd | 0.10 s | 0.10 s | 58.9 | 15.7 | 17.9 | 120.5 |\n\n'
X
cat >"$tmp/parts/rivals.sh" <<'X'
printf 'list\tours\t5.0\t4.0..6.0\t22\t4\t4 of 4\nlist\ttsan-clang\t6.0\t5.0..7.0\t20\t1\t1 of 4\nlist\tmissed\t0\t3\n' >"$BENCH_RESULTS/rivals.tsv"
printf '| a |\n|---|\n| x |\n'
X
cat >"$tmp/parts/fuzz.sh" <<'X'
printf 'lazy\tplain\t1001\t1001\t1001\nlazy\tpair\t3\t2\t4\n' >"$BENCH_RESULTS/fuzz.tsv"
printf '| a |\n|---|\n| x |\n'
X
cat >"$tmp/parts/rates.sh" <<'X'
for name in sample trap-deadheat trap-clock; do printf '0.5 1 0 2 10\n2 3 2 4 20\n' >"$BENCH_RESULTS/rates-planted-$name.dat"; done
printf '| a |\n|---|\n| x |\n'
X
cat >"$tmp/parts/production.sh" <<'X'
printf "| server | mode | rounds | native requests/s | throughput, of native [95 %%] | native CPU us/request | CPU/request, of native [95 %%] | failed | bar | least..most |\n|---|---|---|---|---|---|---|---|---|---|\n"
echo "| apache | sample | 8 | 12345 | 0.991 [0.953..1.020] | 55.20 | 1.010 [0.990..1.030] | 0 | yes | 0.900..1.100 |"
echo "| apache | native | 8 | 12345 | 1.001 [0.953..1.020] | 55.20 | 1.010 [0.990..1.030] | 0 | - | 0.900..1.100 |"
echo "| apache | trap | 8 | 12345 | 0.941 [0.903..1.020] | 55.20 | 1.010 [0.990..1.030] | 0 | NO | 0.900..1.100 |"
X
cat >"$tmp/parts/scan.sh" <<'X'
printf '| program | units | lines | instructions | front end, CPU s (units) | scan, CPU s | MiB | lines a CPU s | candidates | assumptions |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n'
printf '| pigz | 3 | 5000 | 10431 | 0.37 (3) | 0.38 | 18 | 13002 | 50 | 0, 1 |\n| memcached | 27 | 23000 | 40000 | 2.1 (27) | 2.4 | 61 | 9600 | 3714 | 0, 9 |\n'
printf 'scan, all programs: lines a CPU second after bitcode, geometric mean\t≥ 20,000\t11172\t9600..13002 over 2\tmissed\n' >"$BENCH_NOTES.bars"
X
cat >"$tmp/parts/campaign.sh" <<'X'
#!/bin/bash
for ((i = 0; i < 2; i++)); do echo "workers: one 1000 trials/s, four 1900 trials/s, ratio 1.90"; done
X
cat >"$tmp/parts/report.sh" <<'X'
echo "text          350    1000000"
echo "html          450    2200000"
X
parts="detect rivals fuzz rates production scan campaign report"
check "parts of every kind" sh bench/run $parts
check "the page is well formed" well_formed "$tmp/page"
check_output "its maker has nothing to complain about" "[]" sh -c 'shift; echo "[$(sh bench/page.sh "$0" "$@" 2>&1 >/dev/null)]"' "$tmp/page" - $parts
check "throughput against its bar" has "| throughput of apache under trap ÷ native | ≥ 0.95 | 0.941 | [0.903..1.020] (95 % of the median), 8 rounds | **missed** | production |"
check "lines a second against theirs" has "| scan, all programs: lines a CPU second after bitcode, geometric mean | ≥ 20,000 | 11172 | 9600..13002 over 2 | **missed** | scan |"
check "workers" has "| four workers ÷ one on one PostgreSQL, two cores | ≥ 1.8 | 1.90 | 1.90..1.90, 2 rounds | met | campaign |"
check "reports" has "| 1,000 findings as text | < 1,000 ms | 350 ms | median | met | report |"
if command -v gnuplot >/dev/null; then
	check "every plot is there" sh -c 'for n in detect rivals fuzz rates-planted-overhead rates-planted-detections scan; do [ -s "$1/$n.svg" ] || { echo "$n"; exit 1; }; done' sh "$tmp/page"
fi

# ---- a folder with a space in its path -----------------------------------------------------------------------
mkdir "$tmp/a b" && cp -r bench "$tmp/a b/"
check "a run in a folder with a space in its path" env -u BENCH_PAGE TMPDIR="$tmp" sh "$tmp/a b/bench/run" table1 confirm
check "its page is there" grep -q "^- commit 0123abc" "$tmp/a b/build/bench/README.md"
check "well formed, with its plots" well_formed "$tmp/a b/build/bench"
check_output "without a better place for its copy it says so" "set TMPDIR to one without" env -u BENCH_PAGE TMPDIR="$tmp/a b" sh "$tmp/a b/bench/run" confirm

# ---- killed in the middle: -9, nobody can tidy up -------------------------------------------------------
until_true() { for _ in $(seq 600); do eval "$1" && return 0; sleep 0.1; done; return 1; }
touch "$tmp/wait"
sh bench/run rows >"$tmp/out" 2>&1 &
run=$!
check "the part is at its second row" until_true '[ -s "$tmp/part.pid" ]'
kill -9 $run
wait $run 2>/dev/null
check "it ends with its run" until_true '! kill -0 "$(cat "$tmp/part.pid")" 2>/dev/null'
rm -f "$tmp/wait"
check "the same command goes on" sh bench/run rows
check "behind the row that was there" sh -c 'printf "measured 1\nmeasured 2\n" | cmp - "$1"' sh "$tmp/rows.runs"
check "and the part is whole" grep -qx 'done' "$tmp/page/parts/rows.status"

# ---- a row that was ended is no row -------------------------------------------------------------------------
cat >"$tmp/ended.sh" <<'X'
. "$TOP/bench/lib/part.sh"
within 60 sleep 1000 # the deadline ends it
late row 1 || echo row >>"$R/ended.tsv"
within 60 true && echo "ran after the end"
finish
X
BENCH_RESULTS="$tmp" BENCH_NOTES="$tmp/ended" BENCH_DEADLINE=$(($(date +%s) + 1)) sh "$tmp/ended.sh" >"$tmp/out" 2>&1
check "a part whose run was ended by the deadline says 75" test $? = 75
check "keeps no row of it" test ! -e "$tmp/ended.tsv"
check "runs nothing after that" sh -c '! grep -q "ran after" "$1" && grep -q "Not measured: row" "$1"' sh "$tmp/out"

# ---- real parts ---------------------------------------------------------------------------------------------
unset BENCH_PARTS
export BENCH_RESULTS="$tmp/real" BENCH_NOTES="$tmp/real/parts/table1"
mkdir -p "$tmp/real/parts"
echo test >"$tmp/real/commit"
for part in table1 rivals fuzz rates detect; do
	BENCH_NOTES="$tmp/real/parts/$part" BENCH_DEADLINE=1 sh bench/$part.sh >"$tmp/out" 2>&1
	status=$?
	check "$part without any time measures nothing and is not whole" test $status = 75
	check "$part leaves no row" sh -c '! test -s "$1"' sh "$tmp/real/$part.tsv"
done
# All rows are there: it only prints.
for name in reorder-3 reorder-10 twostage-3 twostage-10 dining-3 bounded stealing lazy account; do
	for method in plain stress random pct pos surw mix pair; do printf '%s\t%s\t7\t5\t1001\n' $name $method; done
done >"$tmp/real/fuzz.tsv"
check_output "fuzz prints its rows with their spread" "| reorder-10 | 7 (5..–) | 7 (5..–) |" env BENCH_NOTES="$tmp/real/parts/fuzz" sh bench/fuzz.sh
check_output "and how many each found" "| found | 9 | 9 | 9 | 9 | 9 | 9 | 9 | 9 |" env BENCH_NOTES="$tmp/real/parts/fuzz" sh bench/fuzz.sh
TRIALS=2 REAL= sh bench/table1.sh logwriter >"$tmp/real/parts/table1.txt" 2>"$tmp/err"
check "table1 of one subject, two trials" test $? = 0
check "has its row: two stated pairs, nothing that is not stated" awk -F'\t' '$1 == "logwriter" && $8 ~ /of 2$/ && $13 == 0 { found = 1 } END { exit !found }' "$tmp/real/table1.tsv"
echo "done" >"$tmp/real/parts/table1.status"
check "a page of it" sh -c 'sh bench/page.sh "$1" table1 >"$1/README.md"' sh "$tmp/real"
check "is well formed" well_formed "$tmp/real"
check "with the bar on pairs that are not stated" grep -qF '| confirmed pairs that the subjects do not state | 0 | 0 |' "$tmp/real/README.md"
done_testing
