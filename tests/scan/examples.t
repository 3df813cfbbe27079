# Every race that detect and confirm show in examples/ and tests/races (C) is among scan's candidates, by the same id.
# Which those are is written in examples.known, made by examples.known.sh: nothing is hunted here.
# And the ids are those of detect: asked of detect itself for three programs.
. "$(dirname "$0")/../tap.sh"
known=$TOP/tests/scan/examples.known
cd "$TOP" || exit 1

ids_of() { grep -o '"id": "[0-9a-f]*"' | cut -d'"' -f4 | sort; }
scan_one() { # SOURCE
	out=$tmp/$(echo "$1" | tr / .)
	deadheat scan --quiet --no-cache --store "$out.store" --format json "$1" >"$out.json" 2>"$out.log" && ids_of <"$out.json" >"$out.ids"
}
export tmp
all_claimed() { # SOURCE
	out=$tmp/$(echo "$1" | tr / .)
	scan_one "$1" || { cat "$out.log"; return 1; }
	grep "^$1 " "$known" | cut -d' ' -f2 | sort >"$out.known"
	comm -13 "$out.ids" "$out.known" >"$out.missed"
	sed 's/^/missed: /' "$out.missed"
	[ ! -s "$out.missed" ]
}
for source in $(cut -d' ' -f1 "$known" | sort -u); do
	check "$source: every race shown is claimed" all_claimed "$source"
done
check "there are as many programs as there should be" [ "$(cut -d' ' -f1 "$known" | sort -u | wc -l)" -ge 35 ]

same_ids() { # SOURCE
	deadheat-cc -g -pthread -o "$tmp/program" "$1" && rm -rf "$tmp/detect" || return 1
	deadheat detect --quiet --store "$tmp/detect" -- "$tmp/program" >/dev/null
	deadheat report --store "$tmp/detect" --format json --fail-on never | ids_of >"$tmp/detect.ids"
	comm -13 "$tmp/$(echo "$1" | tr / .).ids" "$tmp/detect.ids" >"$tmp/detect.missed"
	cat "$tmp/detect.missed"
	[ -s "$tmp/detect.ids" ] && [ ! -s "$tmp/detect.missed" ]
}
for source in examples/counter.c tests/races/mutex_one_side.c tests/races/plain_read_write.c; do
	check "$source: detect's ids are scan's" same_ids "$source"
done
done_testing
