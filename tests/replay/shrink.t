# A shrunk schedule has fewer switches, the same end, and runs.
. "$(dirname "$0")/../tap.sh"
deadheat-cc -g -pthread -o "$tmp/reorder" "$TOP/tests/confirm/programs/reorder.c" || exit 1
witness() { # STORE OPTIONS...: "switches outcome" of the harmful one with the most switches
	store=$1; shift
	deadheat hunt --quiet --trials 60 --format json --store "$store" "$@" -- "$tmp/reorder" 12 2>/dev/null |
		grep -o '"witness": {[^}]*}' | sed 's/.*"switches": \([0-9]*\), "outcome": "\([^"]*\)".*/\1 \2/' |
		grep SIGABRT | sort -n | tail -n 1
}
long=$(witness "$tmp/long" --no-shrink)
short=$(witness "$tmp/short")
echo "# as found: $long; shrunk: $short"
check "the end is the same" [ "${long#* }" = "${short#* }" ]
check "it is an abort" [ "${short#* }" = SIGABRT ]
check "fewer switches" [ "${short%% *}" -lt "${long%% *}" ]
id=$(deadheat list --store "$tmp/short" | cut -d' ' -f1 | head -n 1)
check_output "the shrunk one repeats, step by step" "all the same" deadheat replay --verify --store "$tmp/short" "$id"
done_testing
