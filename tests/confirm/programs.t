# The confirmer on the programs of tests/races and tests/clean: each pair that can meet is
# confirmed, and no pair of a clean program ever is, however often it is tried.
#   TRIALS=1000 sh tests/run tests/confirm/programs.t     the bar of issue 3
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/expect.sh"
pairs=$(expect_tool)
trials=${TRIALS:-60}
number=0

build() { # SOURCE -> $tmp/program, alternating compilers
	number=$((number + 1))
	case $((number % 2)) in 0) with=gcc ;; *) with=clang ;; esac
	expect_build "$1" "$tmp/program" $with -O1 >"$tmp/log" 2>&1
}

for source in "$TOP"/tests/races/*.c "$TOP"/tests/races/*.cpp; do
	case $source in *"$ONLY"*) ;; *) continue ;; esac
	grep -q 'expect-some' "$source" && continue
	name=races/$(basename "$source")
	build "$source" || { tail -n 3 "$tmp/log" | sed 's/^/# /'; tap_result 1 "$name builds"; continue; }
	rm -rf "$tmp/store"
	deadheat hunt --quiet --format none --store "$tmp/store" -- "$tmp/program" >"$tmp/log" 2>&1
	deadheat report --store "$tmp/store" --format json --fail-on never >"$tmp/json" 2>>"$tmp/log"
	"$pairs" <"$tmp/json" | grep -E ' (confirmed|harmful) ' | cut -d' ' -f1,2 | sort -u >"$tmp/confirmed"
	if grep -q 'confirm: none' "$source"; then : >"$tmp/wanted"
	elif grep -q 'confirm: ' "$source"; then expect_pairs confirm "$source" >"$tmp/wanted"
	else expect_pairs expect "$source" >"$tmp/wanted"; fi
	{ cat "$tmp/wanted"; expect_pairs maybe "$source"; } | sort -u >"$tmp/allowed"
	wrong=$(comm -13 "$tmp/confirmed" "$tmp/wanted" | sed 's/^/not confirmed: /'
		comm -23 "$tmp/confirmed" "$tmp/allowed" | sed 's/^/WRONGLY CONFIRMED: /')
	[ -z "$wrong" ] || { echo "$wrong" | sed 's/^/# /'; tail -n 3 "$tmp/log" | sed 's/^/# /'; }
	[ -z "$wrong" ]
	tap_result $? "$name: what can meet meets"
done

for source in "$TOP"/tests/clean/*.c "$TOP"/tests/clean/*.cpp; do
	case $source in *"$ONLY"*) ;; *) continue ;; esac
	name=clean/$(basename "$source")
	build "$source" || { tail -n 3 "$tmp/log" | sed 's/^/# /'; tap_result 1 "$name builds"; continue; }
	expect_pairs never "$source" >"$tmp/never"
	wrong=
	while read -r a b; do
		rm -rf "$tmp/store"
		f=$(basename "$source")
		deadheat confirm "$f:$a,$f:$b" --exhaust --trials "$trials" --quiet --store "$tmp/store" -- "$tmp/program" >"$tmp/log" 2>&1
		status=$?
		deadheat report --store "$tmp/store" --format json --fail-on never 2>>"$tmp/log" | "$pairs" >"$tmp/pairs" || status=report
		[ $status = 0 ] || wrong="$wrong status $status"
		grep -qE ' (confirmed|harmful) ' "$tmp/pairs" && wrong="$wrong WRONGLY CONFIRMED $a $b"
		awk -v n="$trials" '$5 < n { exit 1 }' "$tmp/pairs" && [ -s "$tmp/pairs" ] || wrong="$wrong fewer than $trials trials"
	done <"$tmp/never"
	[ -z "$wrong" ] || { echo "# $wrong"; tail -n 3 "$tmp/log" | sed 's/^/# /'; }
	[ -z "$wrong" ]
	tap_result $? "$name: never confirmed"
done
done_testing
