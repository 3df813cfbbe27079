# The subjects of bench/: every race they state is met in at least 95 of 100 trials, what they
# call harmful is shown harmful, and what must never meet never does.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/expect.sh"
trials=100 least=95

# Detection under seeded schedules finds the same pairs every time; then all of them are tried.
confirm() { # SUBJECT
	rm -rf "$tmp/store"
	deadheat detect -q --schedule random --runs 20 --store "$tmp/store" -- "$tmp/$1" >/dev/null 2>&1
	deadheat confirm -q -x -t $trials --store "$tmp/store" -- "$tmp/$1" >/dev/null 2>&1
	deadheat list --store "$tmp/store" >"$tmp/list"
}
# found SUBJECT LINE LINE: "RUNG HITS OF" of each candidate of the two lines.
found() { sed -n -E "s/^[0-9a-f]+ +([a-z]+) .* $1\.c:($2:[0-9]+, $1\.c:$3|$3:[0-9]+, $1\.c:$2):.* ([0-9]+) of ([0-9]+)\$/\1 \3 \4/p" "$tmp/list"; }
met_often() { found "$@" | awk -v least=$least '{ n++; if ($2 * 100 < least * $3) { print $0; bad = 1 } } END { exit bad || !n }'; }
never_met() { found "$@" | awk '{ if ($2) bad = 1 } END { exit bad }'; }
harmful() { found "$@" | grep -q harmful; }

for file in "$TOP"/bench/subjects/*.c; do
	name=$(basename "$file" .c)
	deadheat-cc --with clang -g -pthread -o "$tmp/$name" "$file" -lm || exit 1
	confirm "$name"
	expect_pairs expect "$file" >"$tmp/expect"
	expect_pairs harm "$file" >"$tmp/harm"
	expect_pairs never "$file" >"$tmp/never"
	while read -r a b; do check "$name: lines $a and $b meet" met_often "$name" "$a" "$b"; done <"$tmp/expect"
	while read -r a b; do check "$name: lines $a and $b do harm" harmful "$name" "$a" "$b"; done <"$tmp/harm"
	while read -r a b; do check "$name: lines $a and $b never meet" never_met "$name" "$a" "$b"; done <"$tmp/never"
done
done_testing
