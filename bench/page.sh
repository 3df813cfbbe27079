#!/bin/sh
# page.sh - the page of results from what the parts left. Usage: bench/page.sh FOLDER PART...
#
# Markdown on stdout; plots are drawn beside it from the parts' tables where there is gnuplot.
cd "$(dirname "$0")/.." || exit 1
page=$1; shift
B=build/bench

title() {
	case $1 in
	table1) echo "Table 1 of the RaceFuzzer paper, on our subjects" ;;
	rivals) echo "detect beside ThreadSanitizer, Helgrind and DRD" ;;
	detect) echo "detect and nop on real programs" ;;
	fuzz) echo "Trials to the first failure" ;;
	confirm) echo "confirm: speed, the paper's figures, replay" ;;
	campaign) echo "Campaigns on one PostgreSQL" ;;
	production) echo "Production: sample and trap" ;;
	scan) echo "scan" ;;
	report) echo "Reports" ;;
	*) echo "$1" ;;
	esac
}
plot() { # NAME, gnuplot's words on stdin
	command -v gnuplot >/dev/null || return
	{ echo "set terminal svg size 900,420 font 'sans,12' background '#ffffff'; set output '$page/$1.svg'
set style data histograms; set style histogram clustered gap 1; set style fill solid 0.9 noborder
set xtics rotate by -35 nomirror; set grid ytics lc rgb '#dddddd'; set key outside top right"; cat; } | gnuplot 2>/dev/null &&
		printf '![%s](%s.svg)\n\n' "$1" "$1"
}
draw() {
	case $1 in
	table1)
		[ -s $B/table1.tsv ] || return
		awk -F'\t' '{ split($12, h, " "); gsub(/[()]/, "", h[2]); p = $14; sub(/,.*/, "", p); print $1, (h[1] == "-" ? "?" : h[1]), (h[2] == "" ? "?" : h[2]), (p == "-" ? "?" : p) }' \
			$B/table1.tsv >"$page/parts/table1.dat"
		plot table1 <<-G
			set title 'Probability of meeting, mean and lowest pair; the paper beside it'; set yrange [0:1.05]; set datafile missing '?'
			plot '$page/parts/table1.dat' using 2:xtic(1) title 'deadheat, mean', '' using 3 title 'deadheat, lowest', '' using 4 title 'RaceFuzzer (paper)'
		G
		;;
	rivals)
		[ -s $B/rivals.tsv ] || return
		awk -F'\t' '$2 == "missed" { n[++k] = $1; next } { t[$1, $2] = $3 } END { for (i = 1; i <= k; i++) print n[i], t[n[i], "ours"], t[n[i], "tsan-clang"], t[n[i], "tsan-gcc"], t[n[i], "helgrind"], t[n[i], "drd"] }' \
			$B/rivals.tsv >"$page/parts/rivals.dat"
		plot rivals <<-G
			set title 'Slowdown over native (logarithmic)'; set logscale y
			plot '$page/parts/rivals.dat' using 2:xtic(1) title 'deadheat', '' using 3 title 'TSan clang', '' using 4 title 'TSan gcc', '' using 5 title 'Helgrind', '' using 6 title 'DRD'
		G
		;;
	fuzz)
		[ -s $B/fuzz.tsv ] || return
		awk -F'\t' '{ v[$1, $2] = $3; if (!s[$1]++) n[++k] = $1 } END { for (i = 1; i <= k; i++) { printf "%s", n[i]; split("plain stress random pct pos surw pair", m, " "); for (j = 1; j <= 7; j++) printf " %s", v[n[i], m[j]]; print "" } }' \
			$B/fuzz.tsv >"$page/parts/fuzz.dat"
		plot fuzz <<-G
			set title 'Trials to the first failure (logarithmic; the highest bars: none)'; set logscale y
			plot for [i=2:8] '$page/parts/fuzz.dat' using i:xtic(1) title word('plain stress random pct pos surw pair', i-1)
		G
		;;
	*)
		for svg in "$B/$1"*.svg; do
			[ -f "$svg" ] || continue
			[ "$page" = "$B" ] || cp "$svg" "$page/" 2>/dev/null
			printf '![%s](%s)\n\n' "$1" "$(basename "$svg")"
		done
		;;
	esac
}

echo "# deadheat, measured here"
echo
echo "- commit $(cat "$page/commit"), $(date -u +%Y-%m-%d)"
echo "- machine: $(uname -srm), $(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(awk '/MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)"
echo "- $(gcc --version | head -n 1); $(clang-19 --version | head -n 1); $(valgrind --version 2>/dev/null || echo 'no valgrind')"
echo "- load when the page was made: $(cut -d' ' -f1-3 /proc/loadavg). Every figure below is from runs that this command made."
for part; do
	echo
	echo "## $(title "$part")"
	echo
	draw "$part"
	if [ -s "$page/parts/$part.txt" ]; then
		echo '```'
		cat "$page/parts/$part.txt"
		echo '```'
	else
		echo "Not measured: $(tail -n 1 "$page/parts/$part.err" 2>/dev/null || echo 'there is no such part')"
	fi
done
