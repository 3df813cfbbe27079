#!/bin/sh
# projects.sh - does deadheat-cc build real projects unchanged, and do their own suites pass?
#
# Usage: bench/projects.sh [PROJECT...]        (all; also `make projects`)
#
#   project     built by                     its suite
#   pigz        plain make                   make test
#   pbzip2      plain make (C++)             the packaging's tests; bzip2's make check
#   memcached   autotools                    make test (sizes, testapp, prove t/)
#   zstd        CMake                        ctest (fullbench, fuzzer, zstreamtest, playTests.sh)
#   sqlite      autotools, libtool           make threadtest quicktest (threadtest3, TCL suite)
#
# Sources come from Debian at bench time (bench/lib/sources.sh), each variant builds in a copy of
# its own: nothing is patched, only CC and CXX are set. Variants: native (gcc), gcc and clang by
# deadheat-cc. What is built finds the nop runtime, as any program that is just run. A suite that
# fails natively too (this machine's kernel, its user, its load) is not ours: the last column
# says "worse" only when something passes natively and not by deadheat-cc. Logs are kept beside
# the builds, build/bench/projects/PROJECT-VARIANT.log. VARIANTS="native gcc" chooses.
cd "$(dirname "$0")/.." || exit 1
TOP=$PWD
B=$TOP/build/bench
D=${DEADHEAT_BUILD:-$TOP/build} # another copy, when the tree is being rebuilt
P=$B/projects
projects=${*:-pigz pbzip2 memcached zstd sqlite}
variants=${VARIANTS:-native gcc clang}
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL CC CXX CFLAGS CXXFLAGS

die() { echo "bench/projects.sh: $*" >&2; exit 1; }
. bench/lib/sources.sh

compiler() { # variant: sets CC, CXX
	case $1 in
	native) CC=gcc CXX=g++ ;;
	gcc) CC=$D/bin/deadheat-cc CXX=$D/bin/deadheat-c++ DEADHEAT_CC=gcc ;;
	clang) CC=$D/bin/deadheat-cc CXX=$D/bin/deadheat-c++ DEADHEAT_CC=clang-19 ;;
	*) die "no variant $1" ;;
	esac
	export CC CXX DEADHEAT_CC
}

# ---- build_NAME in a fresh copy, the current folder; program_NAME is what must be instrumented ----
source_of() { case $1 in zstd) echo libzstd ;; sqlite) echo sqlite3 ;; *) echo "$1" ;; esac; }

program_pigz=pigz
build_pigz() { make CC="$CC"; }
suite_pigz() { make -k CC="$CC" test; }
count_pigz() { # each echoed command is a test; make names those that failed
	failed=$(grep -c '^make.*\*\*\*.*Makefile:' "$1")
	passed=$(($(grep -cE '^(\./pigz|printf|\(printf|compress)' "$1") - failed))
}

program_pbzip2=pbzip2 # clang takes its C++98 only when told so, natively too
build_pbzip2() {
	cp -a "$B/src/bzip2" bzip2 && make -C bzip2 CC="$CC" libbz2.a bzip2 &&
	make CXX="$CXX$([ "$DEADHEAT_CC" = clang-19 ] && echo " -std=gnu++98")" CPATH="$PWD/bzip2" pbzip2 LDFLAGS="-Lbzip2"
}
suite_pbzip2() {
	mkdir -p debian && cp -a "$B/src/pbzip2.debian/tests" debian/
	sed -n 's/^Test-Command: //p' debian/tests/control >commands
	while read -r line; do
		if PATH="$PWD:$PATH" sh -c "$line"; then echo "ok - $line"; else echo "not ok - $line"; fi
	done <commands
	make -C bzip2 CC="$CC" check
}
count_pbzip2() {
	passed=$(($(grep -c '^ok - ' "$1") + $(grep -cE '^cmp ' "$1")))
	failed=$(grep -cE '^not ok - |^make.*\*\*\*' "$1")
	passed=$((passed - $(grep -c '^make.*\*\*\*' "$1")))
}

program_memcached=memcached-debug
build_memcached() { ./configure --disable-dependency-tracking && make -j2 all memcached-debug sizes testapp timedrun; }
suite_memcached() { # files that fail once are tried again alone: some depend on seconds of real time
	make -k PARALLEL=2 test 2>&1 | tee first.log
	for file in $(sed -n 's,^\(t/[^ ]*\.t\) *(Wstat.*,\1,p; s,^.*/\(t/[^ ]*\.t\) *(Wstat.*,\1,p' first.log | sort -u); do
		for i in 1 2 3; do
			prove "$file" && echo "again: $file passed, attempt $i" && break
		done
	done
}
count_memcached() { # testapp prints TAP; prove sums up, and lists what failed by file
	passed=$(($(grep -c '^ok ' "$1") + $(sed -n 's/^Files=.* Tests=\([0-9]*\),.*/\1/p' "$1" | head -n 1)))
	failed=$(($(grep -c '^not ok ' "$1") + $(sed -n '/^Files=/q; s/.*Failed: \([0-9]*\)).*/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }')))
	[ "$(grep -c '(Wstat' "$(dirname "$1")/$project-$variant/first.log")" = "$(grep -c '^again: ' "$1")" ] && passed_again=$failed || passed_again=0
	failed=$((failed - passed_again)) passed=$((passed - failed))
	[ $passed_again = 0 ] || note="$passed_again at the second attempt: $(sed -n 's/^again: \(t.*\.t\) .*/\1/p' "$1" | tr '\n' ' ')"
}

program_zstd=b/programs/zstd
build_zstd() {
	cmake -S build/cmake -B b -DCMAKE_BUILD_TYPE=Release -DZSTD_BUILD_TESTS=ON -DZSTD_FUZZER_FLAGS="-T60s" \
		-DZSTD_ZSTREAM_FLAGS="-T60s;--newapi" -DZSTD_FULLBENCH_FLAGS="-i0" && cmake --build b -j2
}
suite_zstd() { ctest --test-dir b --output-on-failure --timeout 1800; }
count_zstd() {
	passed=$(grep -cE 'Test +#[0-9]+: .* Passed' "$1")
	failed=$(grep -cE 'Test +#[0-9]+: .*\*\*\*' "$1")
}

program_sqlite=threadtest3
build_sqlite() { ./configure --disable-amalgamation --quiet && make -j2 testfixture threadtest3; }
suite_sqlite() { # "Tests do not work when run as root"
	user=
	[ "$(id -u)" = 0 ] && user="setpriv --reuid=65534 --regid=65534 --clear-groups" && chown -R 65534:65534 .
	# Some of its tests wait for locks by the clock: which of them a loaded machine lets fail is tried again.
	$user make -k threadtest >thread.log 2>&1 || { echo "again: $(grep -c '^Error' thread.log) error" && $user make -k threadtest >thread.log 2>&1; }
	cat thread.log
	$user make -k quicktest
}
count_sqlite() { # each program ends with "3 errors out of 81252 tests"; one that says nothing has failed
	set -- $(sed -n 's/^\([0-9]*\) errors out of \([0-9]*\) tests.*/\1 \2/p' "$1" | awk '{ e += $1; n += $2; k++ } END { print e + (k < 2), n + 0 }')
	failed=$1 passed=$(($2 - $1))
	[ ! -s "$P/$project-$variant.log" ] || ! grep -q '^again: ' "$P/$project-$variant.log" || note="threadtest at the second attempt"
}

# ---- one project, one variant ------------------------------------------------------------------------
is_instrumented() { # a program, or what libtool keeps behind its script
	for file in "$1" "$(dirname "$1")/.libs/$(basename "$1")" "$(dirname "$1")/.libs/lt-$(basename "$1")"; do
		readelf -d "$file" 2>/dev/null | grep -q libdeadheat_rt.so && return
	done
	return 1
}

build() { # project variant: once
	folder=$P/$1-$2
	[ -e "$folder/.built" ] && return
	rm -rf "$folder"
	cp -a "$B/src/$(source_of "$1")" "$folder"
	echo "building $1, $2" >&2
	(cd "$folder" && compiler "$2" && "build_$1") >"$folder.build.log" 2>&1 </dev/null || return 1
	eval "program=\$program_$1"
	[ "$2" = native ] || is_instrumented "$folder/$program" || { echo "$program is not instrumented" >>"$folder.build.log"; return 1; }
	touch "$folder/.built"
}

run() { # project variant: sets passed, failed
	passed=0 failed=1
	build "$1" "$2" || { echo "does not build: $P/$1-$2.build.log" >&2; return; }
	echo "testing $1, $2" >&2
	(cd "$P/$1-$2" && compiler "$2" && "suite_$1") >"$P/$1-$2.log" 2>&1 </dev/null
	"count_$1" "$P/$1-$2.log"
}

for package in $projects; do fetch "$(source_of "$package")"; done
case " $projects " in *" pbzip2 "*) fetch bzip2; fetch_debian pbzip2 ;; esac
mkdir -p "$P"
worse=0
printf '%-10s %-7s %8s %8s\n' project variant passed failed
for project in $projects; do
	for variant in $variants; do
		note=
		run "$project" "$variant"
		[ "$variant" = native ] && native=$failed
		[ "$variant" != native ] && [ "$failed" -gt "${native:-0}" ] && note="worse $note" worse=1
		printf '%-10s %-7s %8s %8s  %s\n' "$project" "$variant" "$passed" "$failed" "$note"
	done
done
exit $worse
