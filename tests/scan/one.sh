#!/bin/sh
# one.sh SOURCE FOLDER: scans one program and says in one line of FOLDER/NAME what came of it:
#   KIND/NAME VERDICT [missed LINE LINE]... [crashed STATUS]
# For corpus.t, which runs several side by side.
TOP=$(cd "$(dirname "$0")/../.." && pwd)
PATH="$TOP/build/bin:$PATH"
. "$TOP/tests/expect.sh"
name=$(basename "$(dirname "$1")")/$(basename "$1" .c)
out=$2/$(echo "$name" | tr / .)
deadheat scan --quiet --no-cache --store "$out.store" --format json "$1" >"$out.json" 2>"$out.log"
status=$?
verdict=$(sed -n 's/^  "verdict": "\(.*\)",/\1/p' "$out.json")
line="$name ${verdict:-none}"
[ $status = 0 ] || line="$line crashed $status: $(tail -n 1 "$out.log")"
"$3" -s "$(basename "$1")" <"$out.json" 2>>"$out.log" | cut -d' ' -f1,2 | sort -u >"$out.pairs"
expect_pairs expect "$1" | comm -13 "$out.pairs" - >"$out.missed"
while read -r a b; do line="$line missed $a $b"; done <"$out.missed"
echo "$line" >"$out.result"
rm -rf "$out.store"
