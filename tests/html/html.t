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
command -v node >/dev/null || missing node "apt-get install nodejs"
CHROMIUM=$(command -v chromium) || missing chromium "apt-get install chromium"
export CHROMIUM PLAYWRIGHT_FOLDER="$node"
mkdir -p "$node" "$artefacts"
if ! grep -qs "\"version\": \"$playwright\"" "$node/node_modules/playwright-core/package.json"; then
	if command -v npm >/dev/null; then
		(cd "$node" && npm install --no-save --no-audit --no-fund --loglevel=error "playwright-core@$playwright")
	else node "$TOP/tests/html/get-playwright.mjs" "$node" "$playwright"; fi >"$node/install.log" 2>&1 ||
		missing "playwright-core $playwright" "see build/tests/node/install.log; it comes from the-npm-registry"
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
for try in 1 2 3; do # the best of three: the machine may be busy with other tests
	took=$(seconds deadheat report --store k/store -o thousand.txt)
	[ "$took" -lt 100 ] && break
done
[ "$took" -lt 100 ] && [ "$(grep -c '^data race' thousand.txt)" -gt 500 ]
tap_result $? "1,000 findings as text in under 1 s ($took hundredths)"
timeout 200 node "$TOP/tests/html/page.mjs" "$tmp/page.html" "$tmp/thousand.html" "$artefacts" >page.tap 2>page.err
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
