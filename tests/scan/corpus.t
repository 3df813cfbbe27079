# The corpus of scan: 153 racy programs and their clean twins (racy/, clean/; the expectation is in each head comment).
#   - no racy program is called race-free, and every expected pair is among the candidates;
#   - at least 85 % of the clean ones are proved; those that are not are known by name (corpus.unproved), so that a
#     proof that gets lost is a failure.
#   ONLY=lock sh tests/run tests/scan/corpus.t     some programs
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/expect.sh"
known=$TOP/tests/scan/corpus.unproved
pairs=$(expect_tool)
ls "$TOP"/tests/scan/racy/*.c "$TOP"/tests/scan/clean/*.c | grep -- "$ONLY" >"$tmp/sources"
mkdir "$tmp/out"
xargs -P 2 -I{} sh "$TOP/tests/scan/one.sh" {} "$tmp/out" "$pairs" <"$tmp/sources"
cat "$tmp"/out/*.result >"$tmp/results"

# A racy one: not proved, nothing missed, no trouble.
is_found() { grep "^racy/$1 " "$tmp/results" >"$tmp/line" && cat "$tmp/line" && [ "$(cut -d' ' -f2- "$tmp/line")" = undecided ]; }
# A clean one: proved, or known not to be; in any case scanned without trouble.
is_proved_or_known() {
	grep "^clean/$1 " "$tmp/results" >"$tmp/line" && cat "$tmp/line" || return 1
	case $(cut -d' ' -f2- "$tmp/line") in
	race-free) ;;
	undecided) grep -qx "$1" "$known" ;;
	*) return 1 ;;
	esac
}
for source in $(cat "$tmp/sources"); do
	name=$(basename "$source" .c)
	case $source in
	*/racy/*) check "racy/$name: the expected pairs are claimed" is_found "$name" ;;
	*) check "clean/$name: race-free, or known not to be proved" is_proved_or_known "$name" ;;
	esac
done
clean=$(grep -c '^clean/' "$tmp/results")
proved=$(grep -c '^clean/.* race-free$' "$tmp/results")
wrong=$(grep -c '^racy/.* race-free' "$tmp/results")
grep '^clean/.* race-free$' "$tmp/results" | sed 's|^clean/\([^ ]*\) .*|\1|' | sort | comm -12 - "$known" | sed 's/^/# proved now, take it out of corpus.unproved: /'
echo "# $proved of $clean clean programs proved race-free; $wrong racy ones called race-free"
enough() { [ $((proved * 100)) -ge $((clean * 85)) ]; }
none_wrong() { [ "$wrong" = 0 ]; }
if [ -z "$ONLY" ]; then
	check "at least 120 programs" [ "$(wc -l <"$tmp/results")" -ge 120 ]
	check "at least 85 % of the clean ones are proved ($proved of $clean)" enough
fi
check "no racy program is called race-free" none_wrong
done_testing
