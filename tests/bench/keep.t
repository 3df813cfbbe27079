#!/bin/sh
# bench/keep takes a page into the documentation; what README says in figures is what the kept page says.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1
mkdir -p "$tmp/doc/docs" "$tmp/page"
cat >"$tmp/page/README.md" <<'X'
# deadheat, measured here

- commit 0123abc of 2026-01-01, 2026-01-02 03:04 UTC; 1 min 2 s of measuring

## Where it stands

| rival | deadheat is better | worse | equal |
|---|---|---|---|
| a rival | memory: **0.5** | time: **2** |  |

## Bars

| what | bar |
|---|---|

![plot](plot.svg)
X
echo '<svg/>' >"$tmp/page/plot.svg"
printf 'before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n' | tee "$tmp/doc/README.md" >"$tmp/doc/docs/measurements.md"
check "a page is kept" env DOCS="$tmp/doc" sh bench/keep "$tmp/page"
check "whole, with its plots" sh -c 'cmp "$1/page/README.md" "$1/doc/docs/bench/README.md" && cmp "$1/page/plot.svg" "$1/doc/docs/bench/plot.svg"' sh "$tmp"
printf 'before\n<!-- bench -->\nMeasured by `make bench` at commit 0123abc of 2026-01-01; machine, spread, bars met and missed: [docs/bench/README.md](docs/bench/README.md).\n\n| rival | deadheat is better | worse | equal |\n|---|---|---|---|\n| a rival | memory: **0.5** | time: **2** |  |\n<!-- /bench -->\nafter\n' >"$tmp/wanted"
check "its rivals are in README, between the marks and nowhere else" cmp "$tmp/wanted" "$tmp/doc/README.md"
check "again: the same" sh -c 'DOCS="$1/doc" sh bench/keep "$1/page" && cmp "$1/wanted" "$1/doc/README.md"' sh "$tmp"
sed -i 's/2026-01-01,/2026-01-01, changed,/' "$tmp/page/README.md"
check_status "a page of changed sources is refused" 1 env DOCS="$tmp/doc" sh bench/keep "$tmp/page"
check_status "and no page" 1 env DOCS="$tmp/doc" sh bench/keep "$tmp"

# ---- what we ship ---------------------------------------------------------------------------------------
inside() { sed -n '/^<!-- bench -->$/,/^<!-- \/bench -->$/p' "$1" | sed '1d;$d'; }
check "README and measurements.md have their marks" sh -c 'for f in README.md docs/measurements.md; do grep -qx "<!-- bench -->" $f && grep -qx "<!-- /bench -->" $f || exit 1; done'
if [ -e docs/bench/README.md ]; then
	inside README.md | grep '^|' >"$tmp/readme"
	sed -n '/^## Where it stands/,/^## Bars/p' docs/bench/README.md | grep '^|' >"$tmp/kept"
	check "README's table of rivals is the kept page's" cmp "$tmp/readme" "$tmp/kept"
	check "and there is one" test -s "$tmp/kept"
	check "all plots of the kept page are there" sh -c 'for svg in $(sed -n "s/^!\[.*](\(.*\.svg\))$/\1/p" docs/bench/README.md); do [ -s "docs/bench/$svg" ] || exit 1; done'
else
	check "without a kept page README has no table of figures" sh -c '! sed -n "/^<!-- bench -->/,/^<!-- .bench -->/p" README.md | grep -q "^|"'
fi
done_testing
