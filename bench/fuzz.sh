#!/bin/sh
# fuzz.sh - trials to the first failure on small scheduling bugs. Usage: bench/fuzz.sh [MOST]
#
# Programs: reorder and twostage (with 3 and 10 threads), philosophers (dining), bounded buffer,
# work-stealing queue, lazy initialisation, account: bench/micro and tests/confirm/programs.
#   plain     the program built by gcc -O2, run again and again
#   stress    likewise, on one core under SCHED_RR beside a busy loop (taskset, chrt)
#   random pct pos surw   deadheat fuzz with that policy (candidates of detect are points)
#   pair      deadheat confirm: trials until a candidate was shown harmful, in both orders
#
# MOST runs at most (1,000); "-" means none failed. Each figure is the median of SEEDS=3 seeds (of
# repetitions for plain and stress). build/bench/fuzz.tsv keeps what is done, so it resumes.
cd "$(dirname "$0")/.." || exit 1
TOP=$PWD
most=${1:-1000} seeds=${SEEDS:-3}
B=$TOP/build/bench
PATH="$TOP/build/bin:$PATH"
tmp=$(mktemp -d) || exit 1
busy=
trap 'rm -rf "$tmp"; [ -z "$busy" ] || kill $busy 2>/dev/null' EXIT
mkdir -p "$B"
out=$B/fuzz.tsv
touch "$out"

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
again() { # COMMAND...: runs until one fails; MOST+1 if none did
	i=0
	while [ $i -lt "$most" ]; do
		i=$((i + 1))
		timeout 5 "$@" >/dev/null 2>&1 || { echo $i; return; }
	done
	echo $((most + 1))
}
fuzz() { # POLICY SEED COMMAND...
	policy=$1 seed=$2; shift 2
	n=$(deadheat fuzz -q -j 1 --no-shrink -p "$policy" -s "$seed" -t "$most" --store "$tmp/store" -- "$@" 2>/dev/null |
		sed -n 's/^1 of \([0-9]*\) schedules failed.*/\1/p')
	rm -rf "$tmp/store"; cp -r "$tmp/clean" "$tmp/store"
	echo "${n:-$((most + 1))}"
}
# All trials spent until the first candidate shown harmful was done with (that includes both orders).
pair() { # SEED COMMAND...
	seed=$1; shift
	n=$(deadheat confirm -q -j 1 --no-shrink -s "$seed" -t 100 --store "$tmp/store" -- "$@" 2>/dev/null |
		sed -n -E 's/^[0-9a-f]+ +([a-z]+) .* (hit in )?[0-9]+ of ([0-9]+).*/\1 \3/p' |
		awk '!done { n += $2 } $1 == "harmful" { done = 1 } END { if (done) print n }')
	rm -rf "$tmp/store"; cp -r "$tmp/clean" "$tmp/store"
	echo "${n:-$((most + 1))}"
}

one() { # NAME METHOD COMMAND...
	name=$1 method=$2; shift 2
	grep -q "^$name	$method	" "$out" && return
	for seed in $(seq "$seeds"); do
		case $method in
		plain) again "$@" ;;
		stress) again taskset -c 0 chrt -r 1 "$@" ;;
		pair) pair $((seed * 1000)) "$@" ;;
		*) fuzz "$method" $((seed * 1000)) "$@" ;;
		esac
	done | median >"$tmp/figure"
	printf '%s\t%s\t%s\n' "$name" "$method" "$(cat "$tmp/figure")" >>"$out"
}

program() { # LABEL FILE ARGUMENTS...
	label=$1 file=$2; shift 2
	gcc -O2 -g -pthread -w -o "$tmp/plain" "$file" && deadheat-cc -g -pthread -w -o "$tmp/program" "$file" || exit 1
	rm -rf "$tmp/clean" "$tmp/store"
	deadheat detect -q --schedule random --runs 5 --store "$tmp/clean" -- "$tmp/program" "$@" >/dev/null 2>&1
	cp -r "$tmp/clean" "$tmp/store"
	one "$label" plain "$tmp/plain" "$@"
	one "$label" stress "$tmp/plain" "$@"
	for method in random pct pos surw pair; do one "$label" $method "$tmp/program" "$@"; done
}
taskset -c 0 chrt -r 1 sh -c ':' 2>/dev/null || echo "chrt is not permitted here: stress runs at normal priority" >&2
programs=$TOP/tests/confirm/programs
program reorder-3 "$programs/reorder.c" 3
program reorder-10 "$programs/reorder.c" 10
program twostage-3 "$programs/twostage.c" 3 1
program twostage-10 "$programs/twostage.c" 10 1
program dining-3 "$programs/philosophers.c" 3
for name in bounded stealing lazy account; do program $name "$TOP/bench/micro/$name.c"; done

awk -F'\t' -v most="$most" '
	{ v[$1, $2] = $3; if (!seen[$1]++) order[++n] = $1 }
	END {
		split("plain stress random pct pos surw pair", m, " ")
		printf "%-14s", "program"; for (k = 1; k <= 7; k++) printf "%9s", m[k]; print ""
		for (i = 1; i <= n; i++) {
			printf "%-14s", order[i]
			for (k = 1; k <= 7; k++) printf "%9s", (v[order[i], m[k]] > most ? "-" : v[order[i], m[k]])
			print ""
		}
	}' "$out"
