#!/bin/sh
# page.sh - the page of results from what the parts left. Usage: bench/page.sh FOLDER PART...
#
# Markdown on stdout; plots are drawn beside it from the parts' tables where there is gnuplot.
#
# First screen: machine and commit, each rival with where deadheat is better and where worse, the bars with what
# was measured. Then the parts. Parts of ours print Markdown and leave NAME.bars and NAME.against (lib/part.sh);
# others print text, put into a block as it is, and their bars are read from it here (bars_of_NAME).
# Everything comes from FOLDER: nothing on the page was measured by another run.
cd "$(dirname "$0")/.." || exit 1
page=$1; shift
B=build/bench
export LC_ALL=C.UTF-8

title() {
	case $1 in
	programs) echo "The real programs" ;;
	table1) echo "Table 1 of the RaceFuzzer paper" ;;
	rivals) echo "detect beside ThreadSanitizer, Helgrind and DRD: the subjects" ;;
	detect) echo "detect beside ThreadSanitizer, Helgrind and DRD: real programs" ;;
	fuzz) echo "Trials to the first failure" ;;
	confirm) echo "confirm: speed, the paper's figures, replay" ;;
	rates) echo "sample, trap and sampling detect over their rates" ;;
	production) echo "Production: throughput under sample and trap" ;;
	scan) echo "scan: time over size" ;;
	exclusions) echo "scan: claims with one exclusion switched off" ;;
	campaign) echo "Campaigns on one PostgreSQL" ;;
	report) echo "Reports of a thousand findings" ;;
	*) echo "$1" ;;
	esac
}

# ---- bars of parts that print plain text ---------------------------------------------------
bars_of_confirm() {
	awk 'function bar(what, limit, value, spread, good) { printf "%s\t%s\t%s\t%s\t%s\n", what, limit, value, spread, good ? "met" : "missed" }
		$1 == "schedules_per_second_jobs_1" { bar("schedules a second, one job", "≥ 2,000", $2, "10,000 trials", $2 >= 2000) }
		/^confirm_over_native_/ { s += log($2); n++; if (n == 1 || $2 < lo) lo = $2; if ($2 > hi) hi = $2 }
		$1 == "figure1" && ++f == 1 { bar("figure 1 of the paper, the race on z: met", "100 of 100", $4 " of " $6 + 0, "seeds", $4 + 0 == $6 + 0) }
		$1 == "figure1" && f == 2 { bar("figure 1 of the paper, the pair on x that is none: met", "0", $4 " of " $6 + 0, "seeds", $4 == 0) }
		$1 == "figure2" { met += $5 == $7 + 0; all++ }
		$1 == "witnesses_replayed_ten_times" { bar("witnesses replayed ten times with the same steps", "all", $2 " of " $4, "other core busy", $2 == $4) }
		END {
			if (n) bar("trial with a cold pair ÷ native on one core", "≤ 1.15", sprintf("%.2f", exp(s / n)), sprintf("%.2f..%.2f", lo, hi), exp(s / n) <= 1.15)
			if (all) bar("figure 2 of the paper: met in every trial, at each size", "all sizes", met " of " all, "10 to 100,000 statements", met == all)
		}' "$1"
}
bars_of_production() {
	awk -F' *[|] *' '$3 == "sample" || $3 == "trap" {
		if (!match($6, /^[0-9.]+ \[[0-9.]+\]/)) next
		split($6, v, " ")
		limit = $3 == "sample" ? 0.97 : 0.95
		printf "throughput of %s under %s ÷ native\t≥ %.2f\t%s\t%s (95 %% of the median), %d rounds\t%s\n", $2, $3, limit, v[1], v[2], $4, v[1] >= limit ? "met" : "missed"
		failed += $9; rows++
	} END { if (rows) printf "failed requests of all servers\t0\t%d\t%d rows\t%s\n", failed, rows, failed ? "missed" : "met" }' "$1"
}
bars_of_campaign() {
	awk '/^workers:.*ratio/ { v[++n] = $NF; s += $NF; if (n == 1 || $NF < lo) lo = $NF; if ($NF > hi) hi = $NF }
		END { if (n) printf "four workers ÷ one on one PostgreSQL, two cores\t≥ 1.8\t%.2f\t%.2f..%.2f, %d rounds\t%s\n", s / n, lo, hi, n, s / n >= 1.8 ? "met" : "missed" }' "$1"
}
bars_of_report() {
	awk '$1 == "text" { printf "1,000 findings as text\t< 1,000 ms\t%s ms\tmedian\t%s\n", $2, $2 < 1000 ? "met" : "missed" }
		$1 == "html" && NF == 3 { printf "1,000 findings as HTML\t< 5 MB\t%.1f MB\t\t%s\n", $3 / 1e6, $3 < 5e6 ? "met" : "missed" }' "$1"
}
bars() { # part
	[ -s "$page/parts/$1.bars" ] && { cat "$page/parts/$1.bars"; return; }
	[ -s "$page/parts/$1.txt" ] && case $1 in confirm | production | campaign | report) "bars_of_$1" "$page/parts/$1.txt" ;; esac
}

# ---- plots -----------------------------------------------------------------------------------
plot() { # NAME, gnuplot's words on stdin
	command -v gnuplot >/dev/null || return
	{ echo "set terminal svg size 900,420 font 'sans,12' background '#ffffff'; set output '$page/$1.svg'
set style fill solid 0.9 noborder; set grid ytics lc rgb '#dddddd'; set key outside top right; set datafile missing '?'"; cat; } | gnuplot 2>>"$page/parts/gnuplot.err" &&
		[ -s "$page/$1.svg" ] && printf '![%s](%s.svg)\n\n' "$1" "$1"
}
bars_style="set style data histograms; set style histogram clustered gap 1; set xtics rotate by -35 nomirror"
draw() {
	data=$page/parts/$1.dat
	case $1 in
	table1)
		[ -s "$page/table1.tsv" ] || return
		awk -F'\t' '{ split($12, h, /[ ()]+/); p = $14; sub(/,.*/, "", p); print $1, (h[1] == "-" || h[1] == "" ? "?" : h[1]), (h[2] == "" ? "?" : h[2]), (p == "-" ? "?" : p) }' "$page/table1.tsv" >"$data"
		plot table1 <<-G
			$bars_style; set title 'Probability of meeting, mean and lowest pair; the paper beside it'; set yrange [0:1.05]
			plot '$data' using 2:xtic(1) title 'deadheat, mean', '' using 3 title 'deadheat, lowest', '' using 4 title 'RaceFuzzer (paper)'
		G
		;;
	rivals)
		[ -s "$page/rivals.tsv" ] || return
		awk -F'\t' 'function v(x) { return x > 0 ? x : "?" }
			$2 == "missed" { n[++k] = $1; next } { t[$1, $2] = $3 } END { for (i = 1; i <= k; i++) print n[i], v(t[n[i], "ours"]), v(t[n[i], "tsan-clang"]), v(t[n[i], "tsan-gcc"]), v(t[n[i], "helgrind"]), v(t[n[i], "drd"]) }' "$page/rivals.tsv" >"$data"
		plot rivals <<-G
			$bars_style; set title 'Slowdown over native (logarithmic)'; set logscale y
			plot '$data' using 2:xtic(1) title 'deadheat', '' using 3 title 'TSan clang', '' using 4 title 'TSan gcc', '' using 5 title 'Helgrind', '' using 6 title 'DRD'
		G
		;;
	detect) # from the part's own table of slowdowns
		sed -n '/^| slowdown/,/^$/p' "$page/parts/detect.txt" 2>/dev/null | awk -F' *[|] *' 'NR == 1 { for (i = 3; i < NF; i++) at[$i] = i; next } NR > 2 && NF > 3 {
			printf "%s", $2; m = split("ours-clang ours-gcc tsan-clang tsan-gcc helgrind drd nop-clang", w, " ")
			for (i = 1; i <= m; i++) printf " %s", ((w[i] in at) && $at[w[i]] + 0 > 0 ? $at[w[i]] : "?"); print "" }' >"$data"
		[ -s "$data" ] && plot detect <<-G
			$bars_style; set title 'Slowdown over native, real programs (logarithmic)'; set logscale y
			plot for [i=2:8] '$data' using i:xtic(1) title word('deadheat-clang deadheat-gcc TSan-clang TSan-gcc Helgrind DRD just-run', i-1)
		G
		;;
	fuzz)
		[ -s "$page/fuzz.tsv" ] || return
		awk -F'\t' '{ v[$1, $2] = $3; if (!s[$1]++) n[++k] = $1 } END { for (i = 1; i <= k; i++) { printf "%s", n[i]; split("plain stress random pct pos surw mix pair", m, " "); for (j = 1; j <= 8; j++) printf " %s", ((n[i], m[j]) in v) ? v[n[i], m[j]] : "?"; print "" } }' "$page/fuzz.tsv" >"$data"
		plot fuzz <<-G
			$bars_style; set title 'Trials to the first failure (logarithmic; the highest bars: none)'; set logscale y
			plot for [i=2:9] '$data' using i:xtic(1) title word('plain stress random pct pos surw mix pair', i-1)
		G
		;;
	rates)
		for server in planted memcached apache; do
			files=$(ls "$page/rates-$server"-sample.dat "$page/rates-$server"-trap-*.dat 2>/dev/null | tr '\n' ' ')
			[ -n "$files" ] || continue
			names=$(for f in $files; do f=${f##*rates-"$server"-}; echo "${f%.dat}"; done | tr '\n' ' ')
			common="set logscale x; set xtics (0.5, 2, 8); set xrange [0.4:10]; set xlabel 'budget, % of the time'; set style data linespoints; files='$files'; names='$names'"
			floor=$(awk '{ printf "set object 1 rectangle from graph 0, first %s to graph 1, first %s fc rgb \"#eeeeee\" behind; set label 1 \"grey: native runs among themselves\" at graph 0.02, graph 0.95", $3, $4 }' "$page/rates-$server-nothing.dat" 2>/dev/null)
			plot "rates-$server-overhead" <<-G
				$common; set title '$server: overhead, median and spread'; set ylabel 'loss of throughput, %'; $floor
				plot for [i=1:words(files)] word(files, i) using (\$1*(0.91+0.06*i)):2:3:4 with yerrorlines title word(names, i), 0 with lines lc rgb '#888888' notitle
			G
			plot "rates-$server-detections" <<-G
				$common; set title '$server: detections'; set ylabel 'pairs a minute'; set yrange [0:*]
				plot for [i=1:words(files)] word(files, i) using 1:5 title word(names, i)
			G
		done
		;;
	scan)
		awk -F' *[|] *' '$3 ~ /^[0-9]+$/ && $4 > 0 && $7 > 0 && $9 > 0 { print $4, $7, $2 }' "$page/parts/scan.txt" 2>/dev/null | sort -n >"$data"
		[ "$(wc -l <"$data")" -gt 1 ] && plot scan <<-G
			set title 'scan: analysis from the cache over size (both logarithmic)'; set logscale xy; set xlabel 'lines'; set ylabel 'CPU seconds'; set offsets graph 0.1, graph 0.2, graph 0.1, graph 0.1
			plot '$data' using 1:2 with linespoints title 'CPU s', '' using 1:2:3 with labels offset 0,1 notitle
		G
		;;
	esac
}

# ---- the page ------------------------------------------------------------------------------------
state() { cat "$page/parts/$1.status" 2>/dev/null || echo "not run"; }
first_line() { "$@" 2>/dev/null | head -n 1; }

echo "# deadheat, measured here"
echo
echo "- commit $(cat "$page/commit"), $(date -u '+%Y-%m-%d %H:%M') UTC; $(for p; do cat "$page/parts/$p.seconds" 2>/dev/null; done | awk '{ s += $1 } END { printf "%d min %d s of measuring", s / 60, s % 60 }')"
echo "- machine: $(uname -srm), $(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(awk '/MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo); load when the page was made: $(cut -d' ' -f1-3 /proc/loadavg)"
echo "- $(first_line gcc --version); $(first_line clang-19 --version); $(first_line valgrind --version); $(first_line gnuplot --version)"
echo "- every figure is from runs that this command made; spread is least..most. \`make bench\` repeats it."
not_whole=
for part; do [ "$(state "$part")" = "done" ] || not_whole="$not_whole
- **$part**: $(state "$part" | sed 's/^cut$/ended by its time budget; its rows say what is missing/')"; done
[ -z "$not_whole" ] || printf '\nNot whole (marked below):\n%s\n' "$not_whole"

echo
echo "## Where it stands"
echo
for part; do
	mark=; [ "$(state "$part")" = "done" ] || mark=" (part not whole)"
	awk -F'\t' -v OFS='\t' -v mark="$mark" '{ $2 = $2 mark; print }' "$page/parts/$part.against" 2>/dev/null
done | awk -F'\t' '
	{ if (!seen[$1]++) order[++n] = $1
	  rows[$1] = rows[$1] sprintf("| %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5 == "better" ? "**better**" : $5 == "worse" ? "**worse**" : $5); count[$5]++ }
	END {
		if (!n) { print "Nothing was compared."; exit }
		printf "%d comparisons: deadheat is better in %d, worse in %d, equal in %d.\n\n", NR, count["better"], count["worse"], count["equal"]
		print "| rival | measured | deadheat | rival | deadheat is |\n|---|---|---:|---:|---|"
		for (i = 1; i <= n; i++) printf "%s", rows[order[i]]
	}'
echo
echo "## Bars"
echo
for part; do
	mark=; [ "$(state "$part")" = "done" ] || mark=" (part not whole)"
	bars "$part" | sed "s/\$/\t$part$mark/"
done >"$page/parts/all.bars"
if [ -s "$page/parts/all.bars" ]; then
	awk -F'\t' '{ n[$5]++ } END { printf "%d met, %d missed", n["met"], n["missed"]; if (n["partly"]) printf ", %d partly", n["partly"]; print ".\n" }' "$page/parts/all.bars"
	awk -F'\t' 'BEGIN { print "| what | bar | measured | spread | | part |\n|---|---:|---:|---|---|---|" } { printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5 == "met" ? "met" : "**" $5 "**", $6 }' "$page/parts/all.bars"
else
	echo "No bar was measured."
fi
for part; do
	echo
	echo "## $(title "$part")"
	echo
	status=$(state "$part")
	case $status in
	done) ;;
	cut*) echo "*Not whole: ended by its time budget. What is here was measured; the rest is missing.*"; echo ;;
	*) echo "*Not whole: $status.*"; echo ;;
	esac
	draw "$part"
	if [ ! -s "$page/parts/$part.txt" ]; then
		echo "Nothing was measured."
	elif grep -q '^|---' "$page/parts/$part.txt"; then
		cat "$page/parts/$part.txt"
	else
		echo '```'; cat "$page/parts/$part.txt"; echo '```'
	fi
	[ ! -s "$page/parts/$part.seconds" ] || printf '\n%s s.\n' "$(cat "$page/parts/$part.seconds")"
done
