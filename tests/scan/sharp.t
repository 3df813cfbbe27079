# Racy programs made to get past one exclusion each: none may be called race-free. (Their clean twins are in clean/.)
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1

not_proved() { # file: a candidate, or at least no proof
	deadheat scan --quiet --store "$tmp/store" "$1" >out 2>&1 || return 1
	! grep -q 'verdict: race-free' out && grep -q 'verdict: ' out
}
for file in "$TOP"/tests/scan/sharp/*.c; do
	check "$(basename "$file" .c | tr _ ' ')" not_proved "$file"
done
done_testing
