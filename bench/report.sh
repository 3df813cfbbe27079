#!/bin/sh
# report.sh - 1,000 findings with stacks, sources and schedules: how long each format takes, how
# large it is, and how long the page takes to open in Chromium.
#
# Usage: bench/report.sh [ROUNDS]      (5)
#
# Bars (issue 7): text under 1 s, html under 5 MB and open under 3 s. Figures are medians over the
# rounds. Opening is counted from the address being asked for to the list being there and usable
# (html[data-ready]), each time in a new context; the browser itself is started once. Needs
# playwright-core, which tests/html/html.t has installed (make test).
cd "$(dirname "$0")/.." || exit 1
TOP=$PWD
rounds=${1:-5}
export LC_ALL=C PATH="$TOP/build/bin:$PATH"
folder=$(mktemp -d "${TMPDIR:-/tmp}/deadheat-bench.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT

die() { echo "bench/report.sh: $*" >&2; exit 1; }
median() { sort -n | awk '{ a[NR] = $1 } END { print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2 }'; }
milliseconds() { # of a command
	s=$(date +%s%N); "$@" >/dev/null || die "failed: $*"; e=$(date +%s%N); echo $(((e - s) / 1000000))
}

sh tests/html/make-thousand "$folder/k" >"$folder/log" 2>&1 || die "cannot make the store: $(tail -n 1 "$folder/log")"
echo "findings: $(deadheat list --store "$folder/k/store" | wc -l)"
printf '%-8s %8s %10s\n' format ms bytes
for format in text json sarif junit tsan github html; do
	for i in $(seq "$rounds"); do
		milliseconds deadheat report --store "$folder/k/store" --format $format -o "$folder/out.$format" --fail-on never
	done | median >"$folder/ms"
	printf '%-8s %8s %10s\n' $format "$(cat "$folder/ms")" "$(wc -c <"$folder/out.$format")"
done

node=$TOP/build/tests/node
CHROMIUM=$(command -v chromium) || { echo "chromium is not installed: the page was not opened"; exit 0; }
[ -d "$node/node_modules/playwright-core" ] || { echo "no playwright-core (make test installs it): the page was not opened"; exit 0; }
cat >"$folder/open.mjs" <<'X'
import { createRequire } from "node:module";
const { chromium } = createRequire(process.argv[2] + "/")("playwright-core");
const browser = await chromium.launch({ executablePath: process.argv[3], args: ["--headless", "--no-sandbox", "--disable-gpu"] });
for (let i = 0; i < Number(process.argv[5]); i++) {
  const page = await (await browser.newContext()).newPage(), start = Date.now();
  await page.goto("file://" + process.argv[4]);
  await page.waitForSelector("html[data-ready]");
  console.log(Date.now() - start);
}
await browser.close();
X
timeout 300 node "$folder/open.mjs" "$node" "$CHROMIUM" "$folder/out.html" "$rounds" >"$folder/opened" || die "the browser failed"
echo "html opens in Chromium: $(median <"$folder/opened") ms (of $(sort -n "$folder/opened" | tr '\n' ' '))"
