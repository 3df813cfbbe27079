# A site that is passed again and again beside busy threads (the clock of a server): holding it back does
# not add up to a hang. That a real one is still called so: end_hang.c in outcomes.t.
. "$(dirname "$0")/../tap.sh"
source=$PWD/tests/confirm/programs/tick.c
cd "$tmp" || exit 1
line() { grep -n "/\* $1 \*/" "$source" | cut -d: -f1; }
deadheat-cc -pthread -o tick "$source" || exit 1
check_output "the two never meet" "hit in 0 of 3 trials" \
	deadheat confirm -q --store s --trials 3 --seed 2 --jobs 1 "tick.c:$(line A),tick.c:$(line B)" -- ./tick
deadheat show --store s "$(deadheat list --store s | awk '{ print $1 }')" >shown
check_output "and every trial ends" "exit 0              3" cat shown
check "none is called a hang" sh -c '! grep -q hang shown'
done_testing
