# The HTML report in headless Chromium (page.mjs has the checks); screenshots stay in build/tests/artefacts.
. "$(dirname "$0")/../tap.sh"
playwright=1.65.0
node=$TOP/build/tests/node
artefacts=$TOP/build/tests/artefacts

missing() { # what, how to mend it
	echo "# $1 is missing: $2"
	tap_result 1 "the page in a browser: $1 is missing: $2"
	done_testing
}
command -v npm >/dev/null || missing npm "apt-get install npm"
CHROMIUM=$(command -v chromium) || missing chromium "apt-get install chromium"
export CHROMIUM PLAYWRIGHT_FOLDER="$node"
mkdir -p "$node" "$artefacts"
if ! grep -qs "\"version\": \"$playwright\"" "$node/node_modules/playwright-core/package.json"; then
	(cd "$node" && npm install --no-save --no-audit --no-fund --loglevel=error "playwright-core@$playwright") >"$node/install.log" 2>&1 ||
		missing "playwright-core $playwright" "npm could not install it, see build/tests/node/install.log"
fi

# A store in memory: a thousand witnesses are a thousand fsyncs.
[ -w /dev/shm ] && { rm -rf "$tmp"; tmp=$(mktemp -d /dev/shm/deadheat-test.XXXXXX) || exit 1; }
cd "$tmp" || exit 1
for example in queue lazy locks; do
	cp "$TOP/examples/$example.c" . && deadheat-cc -pthread $example.c -o $example &&
		deadheat hunt --quiet --schedule random --store store ./$example >hunt.log 2>&1
done
deadheat report --store store --format html -o page.html
(cd "$TOP" && sh tests/html/make-thousand "$tmp/k") >make.log 2>&1 || sed 's/^/# /' make.log
deadheat report --store k/store --format html -o thousand.html
seconds() { # the command's wall time in hundredths
	s=$(date +%s%N); "$@" >/dev/null; e=$(date +%s%N); echo $(((e - s) / 10000000))
}
took=$(seconds deadheat report --store k/store -o thousand.txt)
echo "# 1,000 findings as text: $took hundredths of a second (bar: 100)"
check "a thousand findings as text" test "$(grep -c '^data race' thousand.txt)" -gt 500
timeout 600 node "$TOP/tests/html/page.mjs" "$tmp/page.html" "$tmp/thousand.html" "$artefacts" >page.tap 2>page.err
sed 's/^/# /' page.err
while read -r line; do
	case $line in
	"ok "*) tap_result 0 "${line#ok * - }" ;;
	"not ok "*) tap_result 1 "${line#not ok * - }" ;;
	1..*) planned=yes ;;
	*) echo "$line" ;;
	esac
done <page.tap
check "the browser came to its end" [ "$planned" = yes ]
done_testing
