# tap - sourced by every *.t:  . "$(dirname "$0")/../tap.sh"; then check ..., and `done_testing`.
#
#   check "what is expected" command...      ok if the command succeeds
#   check_fails "..." command...             ok if it fails
#   check_output "..." "text" command...     ok if stdout+stderr contain the text
#   gone PROGRAM                             true once no process of this file is left (60 s at most)
#   $tmp is an empty folder of our own, removed at the end; $TOP the source tree.
TOP=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
export PATH="$TOP/build/bin:$PATH"
tap_count=0
tap_failed=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/deadheat-test.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

tap_result() { # ok? text
	tap_count=$((tap_count + 1))
	if [ "$1" = 0 ]; then echo "ok $tap_count - $2"; else
		echo "not ok $tap_count - $2"
		tap_failed=1
	fi
}
check() {
	text=$1; shift
	"$@" >"$tmp/.out" 2>&1
	r=$?
	[ $r = 0 ] || { echo "# failed ($r): $*"; sed 's/^/# /' "$tmp/.out" | head -n 20; }
	tap_result $r "$text"
}
check_fails() {
	text=$1; shift
	if "$@" >"$tmp/.out" 2>&1; then
		echo "# succeeded: $*"; sed 's/^/# /' "$tmp/.out" | head -n 20
		tap_result 1 "$text"
	else tap_result 0 "$text"; fi
}
check_output() {
	text=$1; wanted=$2; shift 2
	"$@" >"$tmp/.out" 2>&1
	if grep -qF -- "$wanted" "$tmp/.out"; then tap_result 0 "$text"; else
		echo "# wanted: $wanted"; echo "# command: $*"; sed 's/^/# /' "$tmp/.out" | head -n 20
		tap_result 1 "$text"
	fi
}
check_status() { # text status command...
	text=$1; wanted=$2; shift 2
	"$@" >"$tmp/.out" 2>&1
	r=$?
	[ $r = "$wanted" ] || { echo "# status $r, wanted $wanted: $*"; sed 's/^/# /' "$tmp/.out" | head -n 20; }
	[ $r = "$wanted" ]
	tap_result $? "$text"
}
# running PROGRAM: the processes of exactly this file, by their entries in /proc. (Not pgrep by name: others have names too.)
running() { find /proc/[0-9]*/exe -lname "$(readlink -f "$1")" 2>/dev/null; }
# gone PROGRAM: none of it is left; who was killed gets the time to die.
gone() {
	tap_looks=0
	while [ -n "$(running "$1")" ]; do
		tap_looks=$((tap_looks + 1))
		[ $tap_looks -lt 600 ] || { running "$1"; return 1; }
		sleep 0.1
	done
}
done_testing() { echo "1..$tap_count"; exit $tap_failed; }
