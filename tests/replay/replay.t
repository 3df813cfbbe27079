# A witness repeats: same steps, same hash, same end, with ASLR on and the other core busy;
# what cannot repeat is refused or named.
. "$(dirname "$0")/../tap.sh"
store="--store $tmp/store"
ids() { deadheat list $store | cut -d' ' -f1; }

for name in figure1 figure2 counter refcount lazy queue locks; do
	deadheat-cc -g -pthread -o "$tmp/$name" "$TOP/examples/$name.c" || exit 1
	deadheat hunt --quiet --format none --trials 30 $store -- "$tmp/$name" >/dev/null 2>&1
done
ids >"$tmp/ids"
check "the examples give witnesses" [ "$(wc -l <"$tmp/ids")" -ge 7 ]

# Load: one busy loop, ended by its number.
(while :; do :; done) & busy=$!
trap 'kill $busy; rm -rf "$tmp"' EXIT
witnesses=0
while read -r id; do
	deadheat replay $store "$id" >"$tmp/one" 2>&1
	grep -q 'no schedule yet' "$tmp/one" && continue # suspected only
	witnesses=$((witnesses + 1))
	check_output "$id repeats 10 times, step by step" "repeated 10 times" deadheat replay $store --verify --times 10 "$id"
done <"$tmp/ids"
check "there were witnesses" [ $witnesses -ge 7 ]
kill $busy; wait $busy 2>/dev/null
trap 'rm -rf "$tmp"' EXIT

# Two processes, two address spaces: the same hash.
id=$(deadheat list $store | sed -n 's/^\([0-9a-f]*\) *harmful.*/\1/p' | head -n 1)
[ -n "$id" ] || id=$(head -n 1 "$tmp/ids")
deadheat replay $store "$id" >"$tmp/a"; deadheat replay $store "$id" >"$tmp/b"
check "two replays print the same hash" cmp "$tmp/a" "$tmp/b"

# Another build: refused with both ids.
deadheat-cc -g -pthread -o "$tmp/x1" "$TOP/examples/counter.c"
deadheat hunt --quiet --format none --trials 20 --store "$tmp/other" -- "$tmp/x1" >/dev/null 2>&1
id=$(deadheat report --store "$tmp/other" --format json | sed -n 's/.*{"id": "\([0-9a-f]*\)", "rung": "[ch]..*/\1/p' | head -n 1)
old=$(readelf -n "$tmp/x1" | sed -n 's/.*Build ID: //p')
sed 's/ROUNDS 3/ROUNDS 4/' "$TOP/examples/counter.c" >"$tmp/counter2.c"
deadheat-cc -g -pthread -o "$tmp/x1" "$tmp/counter2.c"
new=$(readelf -n "$tmp/x1" | sed -n 's/.*Build ID: //p')
check_status "another build is refused with status 3" 3 deadheat replay --store "$tmp/other" "$id"
check_output "it names the recorded build-id" "$old" deadheat replay --store "$tmp/other" "$id"
check_output "and the present one" "$new" deadheat replay --store "$tmp/other" "$id"

# Another version of the file, a damaged one, an unknown id.
printf '\011' | dd of="$tmp/other/schedules/$id.dhs" bs=1 seek=8 conv=notrunc 2>/dev/null
check_output "another version is refused" "version 9" deadheat replay --store "$tmp/other" "$id"
head -c 100 "$tmp/other/schedules/$id.dhs" >"$tmp/cut"; cp "$tmp/cut" "$tmp/other/schedules/$id.dhs"
check_output "a cut file is refused" "no schedule file" deadheat replay --store "$tmp/other" "$id"
check_status "an unknown id is a usage error" 2 deadheat replay $store ffffffffffffffff
check_status "no id is a usage error" 2 deadheat replay $store
done_testing
