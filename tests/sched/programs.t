# One small program per construct: what POSIX, C11 and C++ promise holds in every schedule of
# every policy (fuzz finds no other ending than exit 0); programs that can wait for ever are
# found, and their twins that cannot are not.
#   TRIALS=1000 ONLY=pipe sh tests/run tests/sched/programs.t
. "$(dirname "$0")/../tap.sh"
trials=${TRIALS:-40}
here=$TOP/tests/sched

build() { # SOURCE -> $tmp/NAME, alternating compilers
	number=$((number + 1))
	case $((number % 2)) in 0) with=gcc ;; *) with=clang ;; esac
	case $1 in
	*.cc) deadheat-c++ --with $with -std=c++20 -pthread -g -o "$2" "$1" ;;
	*) deadheat-cc --with $with -std=gnu17 -D_GNU_SOURCE -pthread -g -o "$2" "$1" ;;
	esac
}
fuzz() { # POLICY PROGRAM ARGS...
	policy=$1
	shift
	rm -rf "$tmp/store"
	deadheat fuzz --quiet --store "$tmp/store" --policy "$policy" --trials "$trials" --timeout 120s -- "$@"
}

for source in "$here"/*.c "$here"/*.cc; do
	name=$(basename "${source%.*}")
	case $name in stuck) continue ;; *"$ONLY"*) ;; *) continue ;; esac
	check "$name builds" build "$source" "$tmp/$name"
	for policy in random pct pos surw; do
		check "$name holds in $trials schedules of $policy" fuzz $policy "$tmp/$name"
	done
done

case stuck in *"$ONLY"*)
	check "stuck builds" build "$here/stuck.c" "$tmp/stuck"
	for construct in rwlock upgrade mutex spin sem c11 once cond futex barrier pipe signals; do
		check_status "$construct: waiting for ever is found" 66 fuzz random "$tmp/stuck" $construct
		check_output "$construct: ... and called a deadlock" deadlock deadheat report --store "$tmp/store"
		check "$construct: kept to one order, nothing is found" fuzz random "$tmp/stuck" $construct safely
	done ;;
esac
done_testing
