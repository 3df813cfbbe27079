# Every program of tests/races is suspected exactly as it says, every one of tests/clean
# stays silent: with gcc and clang, without and with optimisation.
#   REPEAT=20 sh tests/run tests/detect/programs.t     the bar of issue 2
#   ONLY=rwlock ...                                    some programs
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/expect.sh"
pairs=$(expect_tool)
number=0
for source in "$TOP"/tests/races/*.c "$TOP"/tests/races/*.cpp "$TOP"/tests/clean/*.c "$TOP"/tests/clean/*.cpp; do
	name=$(basename "$(dirname "$source")")/$(basename "$source")
	case $name in *"$ONLY"*) ;; *) continue ;; esac
	number=$((number + 1))
	# Once a run: alternate; all four with REPEAT.
	case $((number % 4)) in 0) builds="gcc,-O0" ;; 1) builds="gcc,-O2" ;; 2) builds="clang,-O0" ;; *) builds="clang,-O2" ;; esac
	[ -n "$REPEAT" ] && builds="gcc,-O0 gcc,-O2 clang,-O0 clang,-O2"
	for build in $builds; do
		wrong=
		if ! expect_build "$source" "$tmp/program" "${build%,*}" "${build#*,}" >"$tmp/log" 2>&1; then
			wrong="does not build: $(tail -n 2 "$tmp/log")"
		fi
		i=0
		while [ -z "$wrong" ] && [ $i -lt "${REPEAT:-1}" ]; do
			i=$((i + 1))
			rm -rf "$tmp/store"
			deadheat detect --quiet --store "$tmp/store" -- "$tmp/program" >"$tmp/log" 2>&1
			status=$?
			deadheat report --store "$tmp/store" --format json --fail-on never >"$tmp/json" 2>>"$tmp/log" || status=report
			"$pairs" <"$tmp/json" >"$tmp/pairs" || status=json
			wrong=$(expect_judge "$source" "$tmp/pairs")
			case $status in 0) ;; *) wrong="$wrong status $status" ;; esac
		done
		[ -z "$wrong" ] || { echo "$wrong" | sed "s|^|# |"; tail -n 3 "$tmp/log" | sed 's/^/# /'; }
		[ -z "$wrong" ]
		tap_result $? "$name $build"
	done
done
done_testing
