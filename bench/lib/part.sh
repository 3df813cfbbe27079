# part - sourced by the parts of `make bench`: time budget, rows that are kept, tables, bars.
# Sets TOP, B (sources, builds: shared), R (the results of this run), tmp (gone at the end), PATH.
#
# bench/run gives a part
#   BENCH_RESULTS    its folder R (without one: build/bench)
#   BENCH_DEADLINE   when its time is up, in seconds since 1970 (without one: never)
#   BENCH_NOTES      where bars and comparisons go (without one: R/NAME)
# and takes from it Markdown on stdout and the status: 0 whole, 75 ended by the budget, else failed.
#
# A row, once measured, is a line in R/NAME.tsv: an interrupted part goes on behind its last row. A row
# whose time was up is not written: what is on the page was measured whole, and `cut` says what is not there.
TOP=$(pwd)
B=${BENCH_SHARED:-$TOP/build/bench}
D=${DEADHEAT_BUILD:-$TOP/build}
R=${BENCH_RESULTS:-$B}
PATH="$D/bin:$PATH"
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL CC CXX CFLAGS CXXFLAGS
mkdir -p "$B" "$R"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/deadheat-bench.XXXXXX") || exit 1
at_exit() { rm -rf "$tmp"; }
trap at_exit EXIT
trap 'exit 143' INT TERM

cuts=
left() { # seconds
	if [ -n "$BENCH_DEADLINE" ]; then echo $((BENCH_DEADLINE - $(date +%s))); else echo 100000; fi
}
late() { # NAME [SECONDS]: has it less than that (5), or was something of it ended? Then NAME is noted as not measured.
	[ "$(left)" -ge "${2:-5}" ] && [ ! -e "$tmp/expired" ] && return 1
	cuts="$cuts, $1"
}
within() { # SECONDS COMMAND...: at most so long, and not beyond the part's time; if that ended it, all is late
	w_most=$1 w=$(left)
	shift
	[ "$w" -gt "$w_most" ] && w=$w_most
	[ "$w" -gt 0 ] || { : >"$tmp/expired"; return 124; }
	setpriv --pdeathsig TERM timeout -k 5 "$w" "$@"
	w_status=$?
	[ $w_status = 124 ] && [ "$w" -lt "$w_most" ] && : >"$tmp/expired"
	return $w_status
}
finish() { # the last line of a part
	[ -z "$cuts" ] && exit 0
	printf '\n**Ended by its time budget.** Not measured: %s. Run the command again to go on.\n' "${cuts#, }"
	exit 75
}
notes=${BENCH_NOTES:-$R/$(basename "$0" .sh)}
rm -f "$notes.bars" "$notes.against"
bar() { # WHAT BAR MEASURED SPREAD met|missed|partly
	printf '%s\t%s\t%s\t%s\t%s\n' "$@" >>"$notes.bars"
}
against() { # RIVAL WHAT OURS THEIRS better|worse|equal
	printf '%s\t%s\t%s\t%s\t%s\n' "$@" >>"$notes.against"
}
median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
spread() { # "median [least..most]" of the numbers on stdin
	sort -n | awk -v form="${1:-%.2f}" '{ v[NR] = $1 } END { if (NR) printf form " [" form ".." form "]", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2, v[1], v[NR] }'
}
markdown() { # lines of cells between tabs, the first are the heads: a table, the first column to the left
	awk -F'\t' '{ printf "|"; for (i = 1; i <= NF; i++) printf " %s |", $i; print "" }
		NR == 1 { printf "|---|"; for (i = 2; i <= NF; i++) printf "---:|"; print "" }'
}
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'; }
