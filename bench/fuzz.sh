#!/bin/sh
# fuzz.sh - trials to the first failure on small scheduling bugs. Usage: bench/fuzz.sh (MOST=1000 SEEDS=3)
#
# Programs: reorder and twostage (with 3 and 10 threads), philosophers (dining), bounded buffer,
# work-stealing queue, lazy initialisation, account: bench/micro and tests/confirm/programs.
#   plain     the program built by gcc -O2, run again and again
#   stress    likewise, on one core under SCHED_RR (taskset, chrt)
#   random pct pos surw   deadheat fuzz with that policy (candidates of detect are points)
#   mix       deadheat fuzz as it is: these in turn, and every second trial aimed at two critical sections of one
#             lock; the 8 schedules it looks at first, to learn the locks, are counted too
#   pair      deadheat confirm: trials until a candidate was shown harmful, in both orders
#
# MOST runs at most, our commands a minute at most; "–" means none failed. Each figure is the median of SEEDS seeds (of repetitions
# for plain and stress), with the least and the most. Rows are kept in fuzz.tsv: it resumes.
cd "$(dirname "$0")/.." || exit 1
. bench/lib/part.sh
most=${MOST:-1000} seeds=${SEEDS:-3}
out=$R/fuzz.tsv
touch "$out"
: >"$tmp/failed"; : >"$tmp/said"

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
	n=$(within 60 deadheat fuzz -q -j 1 --no-shrink -p "$policy" -s "$seed" -t "$most" --store "$tmp/store" -- "$@" 2>/dev/null |
		sed -n 's/^1 of \([0-9]*\) schedules failed.*/\1/p')
	rm -rf "$tmp/store"; cp -r "$tmp/clean" "$tmp/store"
	[ -n "$n" ] && [ "$policy" = mix ] && n=$((n + 8))
	echo "${n:-$((most + 1))}"
}
# All trials spent until the first candidate shown harmful was done with (that includes both orders).
pair() { # SEED COMMAND...
	seed=$1; shift
	n=$(within 60 deadheat confirm -q -j 1 --no-shrink -s "$seed" -t 100 --store "$tmp/store" -- "$@" 2>/dev/null |
		sed -n -E 's/^[0-9a-f]+ +([a-z]+) .* (hit in )?[0-9]+ of ([0-9]+).*/\1 \3/p' |
		awk '!done { n += $2 } $1 == "harmful" { done = 1 } END { if (done) print n }')
	rm -rf "$tmp/store"; cp -r "$tmp/clean" "$tmp/store"
	echo "${n:-$((most + 1))}"
}

one() { # NAME METHOD COMMAND...
	name=$1 method=$2; shift 2
	grep -q "^$name	$method	" "$out" && return
	late "$name $method" 3 && return
	for seed in $(seq "$seeds"); do
		case $method in
		plain) again "$@" ;;
		stress) again taskset -c 0 $priority "$@" ;;
		pair) pair $((seed * 1000)) "$@" ;;
		*) fuzz "$method" $((seed * 1000)) "$@" ;;
		esac
	done | sort -n >"$tmp/figures"
	late "$name $method" 1 && return
	printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$method" "$(sed -n "$(((seeds + 1) / 2))p" "$tmp/figures")" "$(head -n 1 "$tmp/figures")" "$(tail -n 1 "$tmp/figures")" >>"$out"
}

program() { # LABEL FILE ARGUMENTS...
	label=$1 file=$2; shift 2
	[ "$(grep -c "^$label	" "$out")" = 8 ] && return
	late "$label" && return
	gcc -O2 -g -pthread -w -o "$tmp/plain" "$file" && deadheat-cc -g -pthread -w -o "$tmp/program" "$file" || { echo "$label could not be built" >>"$tmp/failed"; return; }
	rm -rf "$tmp/clean" "$tmp/store"
	within 30 deadheat detect -q --schedule random --runs 5 --store "$tmp/clean" -- "$tmp/program" "$@" >/dev/null 2>&1
	cp -r "$tmp/clean" "$tmp/store"
	one "$label" plain "$tmp/plain" "$@"
	one "$label" stress "$tmp/plain" "$@"
	for method in random pct pos surw mix pair; do one "$label" $method "$tmp/program" "$@"; done
}
priority="chrt -r 1"
taskset -c 0 chrt -r 1 sh -c ":" 2>/dev/null || { priority=; echo "chrt is not permitted here: stress ran on one core at normal priority" >>"$tmp/failed"; }
programs=$TOP/tests/confirm/programs
program reorder-3 "$programs/reorder.c" 3
program reorder-10 "$programs/reorder.c" 10
program twostage-3 "$programs/twostage.c" 3 1
program twostage-10 "$programs/twostage.c" 10 1
program dining-3 "$programs/philosophers.c" 3
for name in bounded stealing lazy account; do program $name "$TOP/bench/micro/$name.c"; done

echo "Median of $seeds seeds (least..most); – means no failure in $most runs. plain: the program again and again; stress: likewise on one core under SCHED_RR (taskset, chrt); mix: \`deadheat fuzz\` as it is; pair: \`deadheat confirm\`, only where the failure comes from a data race."
awk -F'\t' -v most="$most" -v said="$tmp/said" '
	function show(x) { return x > most ? "–" : x }
	{ v[$1, $2] = $3; lo[$1, $2] = $4; hi[$1, $2] = $5; if (!seen[$1]++) order[++n] = $1 }
	END {
		nm = split("plain stress random pct pos surw mix pair", m, " ")
		printf "\n| program |"; for (k = 1; k <= nm; k++) printf " %s |", m[k]
		printf "\n|---|"; for (k = 1; k <= nm; k++) printf "---:|"; print ""
		for (i = 1; i <= n; i++) {
			printf "| %s |", order[i]
			best = most + 1
			for (k = 1; k <= nm; k++) {
				if (!((order[i], m[k]) in v)) { printf " not measured |"; continue }
				x = v[order[i], m[k]]
				least = lo[order[i], m[k]]; largest = hi[order[i], m[k]]
				if (least == largest || least > most) printf " %s |", show(x)
				else printf " %s (%s..%s) |", show(x), show(least), show(largest)
				if (x <= most) found[m[k]]++
				if (k > 2 && x < best) best = x
			}
			all += 1; ours += best <= most; quick += best <= 50
			if (!((order[i], "mix") in v)) { print ""; continue }
			mixed++; x = v[order[i], "mix"]
			for (k = 1; k <= 2; k++) if ((order[i], m[k]) in v) { sooner[m[k]] += x < v[order[i], m[k]]; later[m[k]] += x > v[order[i], m[k]] }
			print ""
		}
		printf "| found | %d", found[m[1]]; for (k = 2; k <= nm; k++) printf " | %d", found[m[k]]; print " |"
		if (!all) exit
		split("plain repetition,taskset + chrt stress", rival, ",")
		for (k = 1; k <= 2; k++) {
			print sprintf("against\t%s\tscheduling bugs found in %d runs (of %d), fuzz as it is\t%d\t%d\t%s", rival[k], most, mixed, found["mix"], found[m[k]], found["mix"] > found[m[k]] ? "better" : found["mix"] < found[m[k]] ? "worse" : "equal") >>said
			print sprintf("against\t%s\t... the best of our policies for each (of %d)\t%d\t%d\t%s", rival[k], all, ours, found[m[k]], ours > found[m[k]] ? "better" : ours < found[m[k]] ? "worse" : "equal") >>said
			print sprintf("against\t%s\tbugs found after fewer runs than the other needs (of %d), fuzz as it is\t%d\t%d\t%s", rival[k], mixed, sooner[m[k]], later[m[k]], sooner[m[k]] > later[m[k]] ? "better" : sooner[m[k]] < later[m[k]] ? "worse" : "equal") >>said
		}
		print sprintf("bar\tscheduling bugs found within 50 trials by our best policy\tall\t%d of %d\tmedians of seeds\t%s", quick, all, quick == all ? "met" : "missed") >>said
	}' "$out"
[ ! -s "$tmp/failed" ] || { echo; sed 's/^/- /' "$tmp/failed"; }
while IFS="$(printf '\t')" read -r kind a b c d e; do "$kind" "$a" "$b" "$c" "$d" "$e"; done <"$tmp/said"
[ -s "$out" ] || [ -n "$cuts" ] || exit 1
finish
