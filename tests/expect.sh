# expect - sourced by tests that run the programs of tests/races and tests/clean.
#
# A program carries its expectation in its head comment, as names of lines that are
# marked /* @NAME */ in the code:
#   expect: A B     the pair must be suspected (and, by default, confirmed)
#   maybe: A B      it may be, depending on the order the threads ran in
#   never: A B      must stay silent, and must never be confirmed
#   confirm: A B    what can be confirmed, where that is not all of expect; or "none"
#   expect-some: yes   at least one pair, wherever (templates of the C++ library)
# Anything suspected that is neither expected nor allowed is a failure.

expect_line() { grep -n "@$1 \*/" "$2" | head -n 1 | cut -d: -f1; }

# expect_pairs WORD FILE: "LINE LINE" pairs, smaller first, sorted, unique.
expect_pairs() {
	sed -n "s/^[^a-z]*$1: *\([A-Z]\) \([A-Z]\).*/\1 \2/p" "$2" | while read -r a b; do
		a=$(expect_line "$a" "$2"); b=$(expect_line "$b" "$2")
		if [ "$a" -le "$b" ]; then echo "$a $b"; else echo "$b $a"; fi
	done | sort -u
}

# expect_build FILE OUT COMPILER LEVEL
expect_build() {
	case $1 in *.cpp) cc="deadheat-c++ -std=c++20" ;; *) cc=deadheat-cc ;; esac
	$cc --with "$3" "$4" -g -pthread -o "$2" "$1"
}

# The JSON reader for shells, built once.
expect_tool() {
	mkdir -p "$TOP/build/tests/tools"
	[ "$TOP/build/tests/tools/pairs" -nt "$TOP/tests/tools/pairs.c" ] ||
		gcc -O1 -o "$TOP/build/tests/tools/pairs.$$" "$TOP/tests/tools/pairs.c" -ljansson &&
		mv -f "$TOP/build/tests/tools/pairs.$$" "$TOP/build/tests/tools/pairs" 2>/dev/null || true
	echo "$TOP/build/tests/tools/pairs"
}

# expect_judge FILE PAIRS-FILE: says what is wrong, nothing if all is well.
expect_judge() {
	cut -d' ' -f1,2 "$2" | sort -u >"$2.seen"
	expect_pairs expect "$1" >"$2.expected"
	{ expect_pairs expect "$1"; expect_pairs maybe "$1"; } | sort -u >"$2.allowed"
	comm -13 "$2.seen" "$2.expected" | sed 's/^/missed: lines /'
	if grep -q 'expect-some: yes' "$1"; then
		[ -s "$2.seen" ] || echo "missed: anything at all"
	else
		comm -23 "$2.seen" "$2.allowed" | sed 's/^/false: lines /'
	fi
}
