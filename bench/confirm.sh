#!/bin/sh
# confirm.sh - the bars of the confirmer, measured here and now. Usage: bench/confirm.sh [PART...]
#
#   speed     schedules a second, two threads, ten operations, --jobs 2           bar: 2,000
#   cpu       a CPU-bound program under confirm with a cold pair, by user time
#             against the plain program on one core, both compilers; also on the plain
#             program itself, with traps instead of instrumentation                bar: 1.15
#   figures   hits and errors of the paper's figures over 100 (1,000) seeds
#   replay    N witnesses (WITNESSES=1000) replayed ten times, step by step, with a busy core
#   clean     clean programs, SEEDS=1000 trials of every pair that must not meet
#
# Figures are printed as "name value"; nothing is judged here (tests/ do that).
cd "$(dirname "$0")/.." || exit 1
TOP=$PWD
PATH="$TOP/build/bin:$PATH"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
here=$TOP/bench/confirm

seconds() { # COMMAND...: elapsed
	command time -f %e -o "$tmp/time" "$@" >/dev/null 2>&1
	tail -n 1 "$tmp/time"
}
user() { # user time, children included
	command time -f %U -o "$tmp/time" "$@" >/dev/null 2>&1
	tail -n 1 "$tmp/time"
}
line() { grep -n "$1" "$2" | head -n 1 | cut -d: -f1; }

speed() {
	deadheat-cc -g -pthread -o "$tmp/ten" "$here/ten.c" || return
	l=$(line 'x++' "$here/ten.c")
	for jobs in 1 2; do
		# Two candidates (read/write, write/write) with the same number of trials each.
		rm -rf "$tmp/s"; a=$(seconds deadheat confirm -q -x --no-shrink -j $jobs -t 100 --store "$tmp/s" "ten.c:$l,ten.c:$l" -- "$tmp/ten")
		rm -rf "$tmp/s"; b=$(seconds deadheat confirm -q -x --no-shrink -j $jobs -t 5100 --store "$tmp/s" "ten.c:$l,ten.c:$l" -- "$tmp/ten")
		echo "schedules_per_second_jobs_$jobs $(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.0f", 10000 / (b - a) }')"
	done
}

# The least of three on both sides: what the program needs, without what else the machine did.
best() { for _ in 1 2 3; do user "$@"; done | sort -n | head -n 1; }
cat >"$tmp/trials_of" <<-'END'
	rm -rf "$STORE"
	exec deadheat confirm -q -x --no-shrink -j 1 -t "$1" --store "$STORE" "$2" -- "$3"
END
trials_of="sh $tmp/trials_of"
export STORE="$tmp/s"
cpu() {
	for program in hash sort; do
		l=$(line 'cold++' "$here/$program.c")
		for with in gcc clang; do
			cc=gcc; [ $with = clang ] && cc=clang-19
			$cc -O2 -g -pthread -o "$tmp/plain" "$here/$program.c"
			deadheat-cc --with $with -O2 -g -pthread -o "$tmp/program" "$here/$program.c"
			native=$(best taskset -c 1 "$tmp/plain")
			a=$(best $trials_of 1 "$program.c:$l,$program.c:$l" "$tmp/program")
			b=$(best $trials_of 6 "$program.c:$l,$program.c:$l" "$tmp/program")
			echo "confirm_over_native_${program}_$with $(awk -v a="$a" -v b="$b" -v n="$native" 'BEGIN { printf "%.2f", (b - a) / 10 / n }')"
			a=$(best $trials_of 1 "$program.c:$l,$program.c:$l" "$tmp/plain")
			b=$(best $trials_of 6 "$program.c:$l,$program.c:$l" "$tmp/plain")
			echo "confirm_over_native_${program}_${with}_plain $(awk -v a="$a" -v b="$b" -v n="$native" 'BEGIN { printf "%.2f", (b - a) / 10 / n }')"
		done
	done
}

number() { grep -n "/\* $2[: ]" "examples/$1.c" | head -n 1 | cut -d: -f1; }
figure() { # NAME A B TRIALS ARGUMENTS...: hits and aborts
	name=$1 a=$(number "$1" "$2") b=$(number "$1" "$3") trials=$4; shift 4
	rm -rf "$tmp/s"
	hits=$(deadheat confirm -q -x -t "$trials" --store "$tmp/s" "$name.c:$a,$name.c:$b" -- "$tmp/$name" "$@" | sed -n 's/.*\(hit in [0-9]* of [0-9]*\).*/\1/p')
	errors=$(deadheat report --store "$tmp/s" --format json | grep -o '"SIGABRT": [0-9]*' | head -n 1 | cut -d' ' -f2)
	echo "$name $* $hits, aborted in ${errors:-0}"
}
figures() {
	for name in figure1 figure2; do deadheat-cc -g -pthread -o "$tmp/$name" "examples/$name.c" || return; done
	figure figure1 5 7 100
	figure figure1 1 10 1000
	for n in 10 100 1000 10000 100000; do figure figure2 8 10 100 $n; done
}

# Every program gives several findings; each seed another witness of them.
replay() {
	wanted=${WITNESSES:-1000} seen=0 good=0 seed=1
	taskset -c 0 sh -c 'while :; do :; done' & busy=$!
	set --
	for source in examples/*.c tests/races/*.c; do
		name=$(basename "$source" .c)
		deadheat-cc -g -pthread -o "$tmp/r_$name" "$source" 2>/dev/null || continue
		timeout 60 deadheat hunt -q --format none -t 10 --store "$tmp/r_$name.s" -- "$tmp/r_$name" >/dev/null 2>&1
		set -- "$@" "$name"
	done
	while [ $seen -lt "$wanted" ] && [ $seed -lt 100000 ]; do
		for name; do
			[ $seen -lt "$wanted" ] || break
			for id in $(deadheat list --store "$tmp/r_$name.s" 2>/dev/null | grep -v suspected | cut -d' ' -f1); do
				deadheat replay -q --verify --times 10 --store "$tmp/r_$name.s" "$id" >"$tmp/out" 2>&1
				status=$?
				grep -q 'no schedule' "$tmp/out" && continue
				seen=$((seen + 1))
				if [ $status = 0 ]; then good=$((good + 1)); else echo "$name $id seed $seed: $(cat "$tmp/out")"; cp -r "$tmp/r_$name" "$tmp/r_$name.s" "${KEEP:-$tmp}/" 2>/dev/null; fi
			done
			timeout 60 deadheat confirm -q --no-shrink -t 4 --seed $((seed * 1000)) --store "$tmp/r_$name.s" -- "$tmp/r_$name" >/dev/null 2>&1
		done
		seed=$((seed + 1))
	done
	kill $busy
	echo "witnesses_replayed_ten_times $good of $seen"
}

clean() { TRIALS=${SEEDS:-1000} sh tests/confirm/programs.t | grep -c '^ok .*clean/' | sed 's/^/clean_programs_never_confirmed /'; }

[ $# -gt 0 ] || set -- speed cpu figures replay clean
for part; do $part; done
