# Bugs that need a certain order: hunt finds each within 50 trials, at every size, and its
# silent twin stays silent.
. "$(dirname "$0")/../tap.sh"
programs=$TOP/tests/confirm/programs
build() { deadheat-cc -g -pthread -o "$tmp/$1" "$programs/$1.c"; }
hunt() { rm -rf "$tmp/store"; deadheat hunt --quiet --trials 50 --schedules 50 --store "$tmp/store" "$@"; }

for name in reorder reorder_between; do
	build $name || exit 1
	for n in 3 10 50 100; do
		check_output "$name $n" SIGABRT hunt -- "$tmp/$name" $n
	done
done
build twostage || exit 1
for n in "1 1" "3 1" "10 1" "50 1" "100 1" "3 3" "50 50"; do
	check_output "twostage $n" SIGABRT hunt -- "$tmp/twostage" $n
done
# fuzz as it is, one seed after the other: the candidates of detect are aimed at, no other policy comes to it in 1,000 trials.
fuzz() { # PROGRAM SEED
	rm -rf "$tmp/store"
	deadheat detect --quiet --schedule random --runs 5 --store "$tmp/store" -- "$tmp/$1" 10 >/dev/null 2>&1
	deadheat fuzz --quiet --no-shrink --jobs 1 --trials 50 --seed "$2" --store "$tmp/store" -- "$tmp/$1" 10
}
for seed in 1000 2000 3000; do check_status "fuzz finds reorder 10, seed $seed" 66 fuzz reorder $seed; done
for name in reorder_locked twostage_whole; do
	build $name || exit 1
	check_status "$name is silent" 0 hunt -- "$tmp/$name" 10
	check_status "$name is silent under fuzz" 0 fuzz $name 1000
done
done_testing
