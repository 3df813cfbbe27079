#!/bin/sh
# programs.sh - fetches the real programs of the other parts and builds every variant of them.
#
# Usage: bench/programs.sh [PROGRAM...]     (VARIANTS="..." only these)
#
# No figures come from here but the seconds it took; it is a part of its own so that compiling does not
# use up the time of those that measure. What is there already is not built again. A program that cannot be
# fetched or built is named here, and is missing from the parts that would have measured it.
cd "$(dirname "$0")/.." || exit 1
. bench/lib/part.sh
programs=${*:-pigz pbzip2 zstd memcached lbzip2 xz hash matrix}
variants=${VARIANTS:-native-gcc ours-clang native-clang tsan-clang tsan-gcc ours-gcc}
die() { echo "bench/programs.sh: $*" >&2; exit 1; }
. bench/lib/programs.sh

version() { # what Debian calls it: the newest upstream archive
	[ -d "$B/src/$(program_source "$1")" ] || { echo "ours"; return; }
	(cd "$B/src" && ls "$(program_source "$1")"_*.orig.tar.* 2>/dev/null | grep -v '\.asc$' | sort -V | tail -n 1 | sed 's/.*_\(.*\)\.orig.*/\1/')
}
failed=
one() { # program: its row
	began=$(date +%s)
	built=
	for v in $variants; do
		late "$1 $v" 15 && continue
		if (build "$1" "$v") 2>"$tmp/err"; then built="$built $v"; else failed="$failed
- $1 as $v: $(tail -n 1 "$tmp/err")"; fi
	done
	echo "| $1 | $(version "$1") | ${built# } | $(($(date +%s) - began)) |"
}
printf '| program | version | built | seconds |\n|---|---:|---|---:|\n'
for p in $programs; do one "$p"; done
late "the input of the compressors" 15 || (input) 2>"$tmp/err" || failed="$failed
- the input of the compressors: $(tail -n 1 "$tmp/err")"
[ -z "$failed" ] || { echo; echo "Not built:$failed"; echo "not everything could be built:$failed" | tail -n 1 >&2; exit 1; }
finish
