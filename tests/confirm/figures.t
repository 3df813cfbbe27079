# The paper's figures 1 and 2 at the bars of issue 3: z meets in every trial, x in none of a
# thousand; figure 2 meets in every trial and fails in about half, however long the work.
. "$(dirname "$0")/../tap.sh"
line() { grep -n "/\* $2[: ]" "$TOP/examples/$1.c" | head -n 1 | cut -d: -f1; }
pair() { echo "$1.c:$(line "$1" "$2"),$1.c:$(line "$1" "$3")"; }
confirm() { deadheat confirm --quiet --exhaust --store "$tmp/store" "$@" >"$tmp/out" 2>&1; cat "$tmp/out"; }
share() { # OUTCOME LOW HIGH: how many trials ended like this, from the report
	n=$(deadheat report --store "$tmp/store" --format json |
		grep -o "\"$1\": [0-9]*" | head -n 1 | cut -d' ' -f2)
	echo "# $1 in ${n:-0}"
	[ "${n:-0}" -ge "$2" ] && [ "${n:-0}" -le "$3" ]
}

for with in gcc clang; do
	deadheat-cc --with $with -g -pthread -o "$tmp/figure1" "$TOP/examples/figure1.c" || exit 1
	deadheat-cc --with $with -g -pthread -o "$tmp/figure2" "$TOP/examples/figure2.c" || exit 1

	rm -rf "$tmp/store"
	check_output "$with: figure 1, z: hit in 100 of 100" "hit in 100 of 100 trials" \
		confirm --trials 100 "$(pair figure1 5 7)" -- "$tmp/figure1"
	check "$with: figure 1, z: ERROR1 in about half" share SIGABRT 35 65
	rm -rf "$tmp/store"
	check_output "$with: figure 1, x: hit in 0 of 1000" "hit in 0 of 1000 trials" \
		confirm --trials 1000 "$(pair figure1 1 10)" -- "$tmp/figure1"
	for n in 10 1000 100000; do
		rm -rf "$tmp/store"
		check_output "$with: figure 2, $n statements: hit in 100 of 100" "hit in 100 of 100 trials" \
			confirm --trials 100 "$(pair figure2 8 10)" -- "$tmp/figure2" $n
		check "$with: figure 2, $n statements: the error in 35 to 65" share SIGABRT 35 65
	done
done

# The early stop: both orders and harm are seen long before the hundredth trial.
rm -rf "$tmp/store"
deadheat confirm --quiet --store "$tmp/store" "$(pair figure2 8 10)" -- "$tmp/figure2" >"$tmp/out" 2>&1
check_status "a search that has seen both orders and harm stops" 1 grep -q 'of 100 trials' "$tmp/out"
check_output "and says harmful" harmful cat "$tmp/out"

# The result must not depend on how many run side by side.
for jobs in 1 2 5; do
	rm -rf "$tmp/store$jobs"
	deadheat confirm --quiet --jobs $jobs --trials 60 --exhaust --store "$tmp/store$jobs" "$(pair figure1 5 7)" \
		-- "$tmp/figure1" >/dev/null 2>&1
	deadheat report --store "$tmp/store$jobs" --format json | sed "s|$tmp/store$jobs|STORE|g" >"$tmp/report$jobs"
done
check "--jobs 1 and 2 store the same" cmp "$tmp/report1" "$tmp/report2"
check "--jobs 1 and 5 store the same" cmp "$tmp/report1" "$tmp/report5"
done_testing
