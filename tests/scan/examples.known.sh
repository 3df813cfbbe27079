#!/bin/sh
# Makes tests/scan/examples.known anew: FILE ID of every race that hunt confirms in examples/ and the C programs of
# tests/races. By hand, when one of them changes:   sh tests/scan/examples.known.sh >tests/scan/examples.known
# Several rounds, native and random schedules: what a run happens to miss must not get lost.
TOP=$(cd "$(dirname "$0")/../.." && pwd)
PATH="$TOP/build/bin:$PATH"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$TOP" || exit 1
for source in examples/*.c tests/races/*.c; do
	deadheat-cc -g -pthread -o "$tmp/program" "$source" || exit 1
	rm -rf "$tmp/store"
	for schedule in native random; do
		deadheat hunt --quiet --schedules 0 --schedule $schedule --format none --store "$tmp/store" -- "$tmp/program" >/dev/null 2>&1
	done
	deadheat report --store "$tmp/store" --format json --fail-on never |
		sed -n '/"accesses"/s/.*"id": "\([0-9a-f]*\)", *"rung": "\(confirmed\|harmful\)".*/\1/p' | sed "s|^|$source |" | sort
done
