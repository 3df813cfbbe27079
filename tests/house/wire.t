# The target's end of the wire: claiming, refusing, environment, records; and call-site patching
# as its counters show it. tests/house/probe/host.c is the other end.
. "$(dirname "$0")/../tap.sh"
LIB=$TOP/build/lib/deadheat/nop
PROBE=$TOP/tests/house/probe

gcc -I"$TOP/src" -o "$tmp/host" "$PROBE/host.c" || exit 1
build() { # name compile flags...
	name=$1
	shift
	gcc -g -fsanitize=thread "$@" -c -o "$tmp/$name.o" "$PROBE/guest.c" &&
		gcc -o "$tmp/$name" "$tmp/$name.o" -L"$LIB" -ldeadheat_rt -Wl,-rpath,"$LIB" -lpthread || exit 1
}
build guest -O1 --param tsan-instrument-func-entry-exit=0
build direct -O1 -fno-plt --param tsan-instrument-func-entry-exit=0
build tail -O2
gcc -O1 -o "$tmp/plain" "$PROBE/guest.c" -lpthread || exit 1
host() { "$tmp/host" "$@" >"$tmp/result" 2>&1; }
says() { grep -qxE -- "$1" "$tmp/result" || { sed 's/^/  /' "$tmp/result"; return 1; }; }
more() { [ "$(sed -n "s/^$1 //p" "$tmp/result")" -ge "$2" ] || { cat "$tmp/result"; return 1; }; }
none() { [ "$(sed -n "s/^$1 //p" "$tmp/result")" = 0 ] || { cat "$tmp/result"; return 1; }; }

host "$LIB" "$tmp/guest" environment
check "the wire is claimed and ends" says 'state 4'
check "by the nop runtime" says 'runtime 1'
check "in version 2" says 'version 2'
check "the variable is gone" says 'wire gone'
check "our folder is gone from LD_LIBRARY_PATH, the rest is kept" says 'path /nowhere'
check "the program is announced, with its build-id" says "module $tmp/guest (build-id|none)"
check "so is libc" says 'module .*libc\.so\.6 build-id'
check "the main thread is announced" says 'thread 0 parent -1 nth 0'

host -v 99 "$LIB" "$tmp/guest" text
check "another version is refused" says 'state 2'
check "and both versions are named" says 'refusal .*version 2 .* 99.*'
check "the program runs all the same" says 'status 0'
host -w 3 "$LIB" "$tmp/guest" environment
check "the wrong runtime is refused" says 'refusal runtime 3 was asked for, but .*libdeadheat_rt\.so.*'
check "the environment is clean nevertheless" says 'wire gone'
host -c 12345 "$LIB" "$tmp/guest" text
check "a wire that somebody has stays theirs" says 'claimed 0'
check "and is not spoken over" none patched_sites
host -l 512 "$LIB" "$tmp/guest" threads 4
check "what does not fit is counted" more lost_records 1
check "and harms nobody" says 'status 0'
host "$LIB" "$tmp/guest" abort
check "abort is heard" says 'state 4'

expected=$("$tmp/plain" threads 4)
for program in guest direct; do
	host "$LIB" "$tmp/$program" text
	check "$program: sites are patched" more patched_sites 600
	check "$program: none is left" none unpatched_sites
	check "$program: no text stays writable" says 'status 0'
	host -f 16 "$LIB" "$tmp/$program" text
	check "$program: nothing is patched where the plan forbids it" none patched_sites
	host -x mprotect "$LIB" "$tmp/$program" text
	check "$program: a kernel that refuses is no obstacle" says 'status 0'
	check "$program: and is counted" more unpatched_sites 600
	host -x membarrier "$LIB" "$tmp/$program" threads 4
	check "$program: without membarrier threads still run right" says "$expected"
	check "$program: and sites are left alone" more unpatched_sites 600
	for round in 1 2 3 4 5; do
		host "$LIB" "$tmp/$program" threads 4
		check "$program: patched under four running threads, round $round" says "$expected"
	done
	check "$program: all of it" more patched_sites 600
	host "$LIB" "$tmp/$program" signals
	check "$program: signal handlers meet the patching" says survived
done
# gcc ends functions by a tail jump to func_exit: that is no call and is left as it is.
host "$LIB" "$tmp/tail" text
check "tail: calls are patched" more patched_sites 600
check "tail: jumps are left alone, counted" more unpatched_sites 1
check "tail: and lead to the right place" says 'status 0'
host "$LIB" "$tmp/tail" threads 4
check "tail: under threads too" says "$expected"
# Other shapes of stubs and addresses: fixed address, landing pads, bound at start, other linkers.
shape() { # name linker flags -- compile flags
	name=$1 link=$2
	shift 2
	gcc -g -O1 -fsanitize=thread --param tsan-instrument-func-entry-exit=0 "$@" -c -o "$tmp/shape.o" "$PROBE/guest.c" &&
		gcc $link -o "$tmp/shape" "$tmp/shape.o" -L"$LIB" -ldeadheat_rt -Wl,-rpath,"$LIB" -lpthread || return 1
	host "$LIB" "$tmp/shape" threads 4
	check "$name: patched under threads" says "$expected"
	check "$name: all of it" more patched_sites 600
	check "$name: none is left" none unpatched_sites
}
shape "fixed address" -no-pie -fno-pie
shape "fixed address, no stubs" -no-pie -fno-pie -fno-plt
shape "landing pads" -Wl,-z,ibtplt -fcf-protection
shape "bound at start" -Wl,-z,now
if command -v ld.gold >/dev/null; then shape "gold" -fuse-ld=gold; fi

# Libraries that come and go: announced once each time, patched each time.
cat >"$tmp/library.c" <<'C'
static long value[8];
__attribute__((constructor)) static void start(void)
{
	for (int i = 0; i < 8; i++)
		value[i] = i;
}
long work(int rounds);
long work(int rounds)
{
	for (int i = 0; i < rounds; i++)
		for (int k = 1; k < 8; k++)
			value[k] += value[k - 1] & 3;
	return value[7];
}
C
gcc -g -O1 -fPIC -shared -fsanitize=thread --param tsan-instrument-func-entry-exit=0 -c -o "$tmp/library.o" "$tmp/library.c" &&
	gcc -shared -o "$tmp/library.so" "$tmp/library.o" -L"$LIB" -ldeadheat_rt
host "$LIB" "$tmp/guest" library "$tmp/library.so"
check "a library that is loaded late runs right, twice" says 'same'
check "it is announced" says "module $tmp/library.so .*"
check "its sites are patched" more patched_sites 4
check "none is left" none unpatched_sites
done_testing
