# Lock cycles: a real one is made to happen and its schedule kept, one that a third lock
# guards never is, and locks in order are not even suspected.
. "$(dirname "$0")/../tap.sh"
programs=$TOP/tests/confirm/programs
hunt() { # PROGRAM ARGUMENTS...
	name=$1; shift
	deadheat-cc -g -pthread -o "$tmp/$name" "$programs/$name.c" || return 1
	rm -rf "$tmp/store"
	timeout 300 deadheat hunt --quiet --format json --timeout 60s --store "$tmp/store" -- "$tmp/$name" "$@" >"$tmp/json" 2>"$tmp/err"
	status=$?
	cat "$tmp/err"
	return $status
}
for n in 2 3 5; do
	check_status "$n philosophers: found" 66 hunt philosophers $n
	check_output "$n philosophers: as a deadlock" '"id": ' grep -A 3 '"deadlocks": \[' "$tmp/json"
	id=$(deadheat list --store "$tmp/store" | grep deadlock | head -n 1 | cut -d' ' -f1)
	check_output "$n philosophers: it repeats" "deadlock" deadheat replay --verify --store "$tmp/store" "$id"
done
check_status "philosophers who take the lower fork first: silent" 0 hunt philosophers_ordered 5
check_status "philosophers with a waiter: never shown" 0 hunt philosophers_waiter 3
done_testing
