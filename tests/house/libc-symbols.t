# Whatever this libc exports from pthread, semaphore and C11 threads is either interposed
# (interposed.def, symbols.def) or left alone for a reason (libc-left-alone): a name nobody thought of
# would let threads block where the scheduler does not see them.
. "$(dirname "$0")/../tap.sh"
table=$TOP/tests/house/libc-left-alone
tab=$(printf '\t')

libc() { ldd /bin/sh | sed -n 's/.*=> \(.*libc\.so\.6\) .*/\1/p'; }
exported() { # also names with only old versions: old binaries call them
	nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' |
		grep -E '^(__)?(pthread|sem|thrd|mtx|cnd|tss)_[a-z]|^call_once$' | sort -u
}
interposed() { sed -nE 's/^SYMBOL\(([A-Za-z0-9_]+), .*/\1/p' "$TOP/src/rt/abi/interposed.def" "$TOP/src/rt/abi/symbols.def" | sort -u; }
left_alone() { # NAME
	while IFS=$tab read -r pattern reason; do
		case $pattern in '' | '#'*) continue ;; esac
		# shellcheck disable=SC2254 # a pattern on purpose
		case $1 in $pattern) [ -n "$reason" ] && return 0 ;; esac
	done <"$table"
	return 1
}
all_known() {
	unknown=0
	while read -r name; do
		left_alone "$name" || { echo "neither interposed nor left alone: $name"; unknown=1; }
	done <"$tmp/open"
	return $unknown
}
all_used() { # a line that fits nothing any more is a lie
	stale=0
	while IFS=$tab read -r pattern reason; do
		case $pattern in '' | '#'*) continue ;; esac
		found=0
		while read -r name; do
			# shellcheck disable=SC2254
			case $name in $pattern) found=1 ;; esac
		done <"$tmp/open"
		[ $found = 1 ] || { echo "fits nothing: $pattern"; stale=1; }
	done <"$table"
	return $stale
}

exported "$(libc)" >"$tmp/exported"
interposed >"$tmp/interposed"
comm -23 "$tmp/exported" "$tmp/interposed" >"$tmp/open"
check "libc exports threads at all" grep -qx pthread_mutex_lock "$tmp/exported"
check "every name is interposed or left alone for a reason" all_known
check "every reason still has its name" all_used
echo pthread_from_the_future >>"$tmp/open"
check_fails "an unknown name is noticed" all_known
done_testing
