#!/bin/sh
# scan.sh - scan on real code: how much it reads, how long it takes, what it says.
#
# Usage: bench/scan.sh [PROGRAM...]     (all but tiny and defconfig)
#        bench/scan.sh without          the exclusions one by one, as rows of a Markdown table
#
#   without     claims with all exclusions and with one of them switched off (--without NAME): the clean half of
#               tests/scan (how many of its programs stay proved; CORPUS=0 leaves it out), pigz, memcached
#   pigz, pbzip2 (C++), memcached, axel, sqlite   from Debian's sources, as Debian ships them
#   tiny        Linux 6.1, tinyconfig + SMP, PCI, network, a serial driver and drivers/net/.../e1000
#   linux-mm, linux-kernel, linux-net   folders of it: mm; kernel and mm; these with fs, block and net
#   def300      the first 300 units of defconfig, any number: for the question whether time grows linearly
#   defconfig   Linux 6.1, x86-64 defconfig: 2,688 units; an hour of clang on two cores
#
# Each program is brought to a compile_commands.json once (build/bench/scan/NAME; a kernel is not
# really built, bench/scan/record-cc writes its command lines down), so a run that was broken off
# goes on where it was. Then three runs of `deadheat scan -p`:
#
#   cold     nothing in the cache: clang, lower, analysis
#   warm     everything in the cache: no clang, no lower; what is left is reading and analysis
#
# and one line each in build/bench/scan.tsv: program, units, lines, instructions, CPU seconds and
# peak memory of both runs, candidates, exclusions, assumptions. Speed is lines per CPU second of
# lower + warm, i.e. after bitcode. CPU seconds, not wall time: the machine does other things too.
#
# As a part of make bench (BENCH_NOTES) it prints a table instead of each run's text, notes its bars (DESIGN 14:
# 20,000 lines a CPU second, a geometric mean over the programs; issue 4: 10,000 on the kernel), and begins nothing
# it has no time for. A program's analysis gets LIMIT CPU seconds.
cd "$(dirname "$0")/.." || exit 1
TOP=$PWD
B=$TOP/build/bench
D=${DEADHEAT_BUILD:-$TOP/build}
P=$B/scan
programs=${*:-pigz pbzip2 axel memcached linux-mm linux-kernel linux-net sqlite}
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL CC CXX CFLAGS CXXFLAGS DEADHEAT_SCAN_CC

die() { echo "bench/scan.sh: $*" >&2; exit 1; }
. bench/lib/sources.sh
sh tests/packages bench || exit 1
mkdir -p "$P"
print=$D/tests/scan/print
[ -x "$print" ] || make "${print#"$TOP"/}" || exit 1

# ---- a database for each program -----------------------------------------------------------------------
# recording: CC and CXX write each compile down and do it.
recording() {
	RECORD=$P/$1 RECORD_COMPILE=1 REAL=clang-19 REAL_CXX=clang++-19
	CC=$TOP/bench/scan/record-cc CXX="$TOP/bench/scan/record-cc"
	export RECORD RECORD_COMPILE REAL REAL_CXX CC CXX
	: >"$P/$1/list"
}
database() { # name: its list as compile_commands.json
	{ echo '['; sed '$!s/$/,/' "$P/$1/list"; echo ']'; } >"$P/$1/compile_commands.json"
}
files() { # name folder flags... : a database of sources, each with the same flags
	name=$1 folder=$2
	shift 2
	for source in $sources; do
		printf '{ "directory": "%s", "file": "%s", "command": "clang-19 %s -c %s" }\n' "$folder" "$source" "$*" "$source"
	done >"$P/$name/list"
}

prepare_pigz() {
	fetch pigz
	sources="pigz.c yarn.c try.c"
	files pigz "$B/src/pigz" -DNOZOPFLI
}
prepare_pbzip2() {
	fetch pbzip2
	sources=$(cd "$B/src/pbzip2" && ls *.cpp | grep -v '^tests')
	files pbzip2 "$B/src/pbzip2" -std=gnu++98 -DUSE_STACKSIZE_CUSTOMIZATION -DPBZIP_NO_LOADAVG=0 -D_LARGEFILE64_SOURCE
}
prepare_memcached() {
	fetch memcached
	rm -rf "$P/memcached/src" && cp -a "$B/src/memcached" "$P/memcached/src" && cd "$P/memcached/src" || return 1
	recording memcached
	./configure --disable-dependency-tracking && : >"$P/memcached/list" && make memcached
}
prepare_axel() {
	fetch axel
	rm -rf "$P/axel/src" && cp -a "$B/src/axel" "$P/axel/src" && cd "$P/axel/src" || return 1
	recording axel
	./configure --without-ssl --disable-nls --disable-dependency-tracking && : >"$P/axel/list" && make axel
}
prepare_sqlite() { # the amalgamation and the shell, threads on
	fetch sqlite3
	rm -rf "$P/sqlite/src" && cp -a "$B/src/sqlite3" "$P/sqlite/src" && cd "$P/sqlite/src" || return 1
	./configure --quiet && make sqlite3.c shell.c || return 1
	sources="sqlite3.c shell.c"
	[ -f test/threadtest3.c ] && sources="$sources test/threadtest3.c"
	files sqlite "$P/sqlite/src" -DSQLITE_THREADSAFE=1 -DHAVE_USLEEP=1 -I. -Isrc -Itest
}

# The kernel: the source package holds an archive; its command lines come from a build that compiles nothing.
kernel_source() {
	[ -f "$B/src/linux/Makefile" ] && return
	mkdir -p "$B/src/linux.deb" && cd "$B/src/linux.deb" || return 1
	apt-get -qq download linux-source-6.1 && dpkg-deb -x linux-source-6.1_*.deb . &&
	mkdir -p ../linux.new && tar -C ../linux.new --strip-components=1 -xf usr/src/linux-source-6.1.tar.xz &&
	rm -rf ../linux && mv ../linux.new ../linux && rm -rf usr
}
kernel() { # name config; options from standard input
	kernel_source || return 1
	build=$P/$1/build
	mkdir -p "$build"
	recording "$1"
	unset RECORD_COMPILE
	: >"$P/$1/empty.c" && clang-19 -c -o "$P/$1/empty.o" "$P/$1/empty.c" || return 1
	cd "$B/src/linux" && make -s O="$build" CC=clang-19 HOSTCC=gcc "$2" || return 1
	cat >>"$build/.config"
	make -s O="$build" CC=clang-19 HOSTCC=gcc olddefconfig || return 1
	: >"$P/$1/list"
	make -s -k -j"$(nproc)" O="$build" CC="$CC" HOSTCC=gcc vmlinux # the link at the end fails: there is nothing to link
	[ -s "$P/$1/list" ]
}
prepare_tiny() {
	for option in 64BIT SMP PRINTK TTY SERIAL_8250 PCI NET INET NETDEVICES ETHERNET NET_VENDOR_INTEL E1000 MULTIUSER BLOCK; do
		echo "CONFIG_$option=y"
	done | kernel tiny tinyconfig
}
prepare_defconfig() { kernel defconfig defconfig </dev/null; }
prepare_folder() { # linux-NAME: the units of some folders of tiny, and its cache
	prepare tiny || return 1
	case $1 in linux-mm) folders=mm ;; linux-kernel) folders="mm|kernel" ;; *) folders="mm|kernel|fs|block|net" ;; esac
	grep -E "\"file\": \"[^\"]*/src/linux/($folders)/" "$P/tiny/list" >"$P/$1/list"
	mkdir -p "$P/tiny/cache" && ln -sfn "$P/tiny/cache" "$P/$1/cache"
}
prepare_part() { # defN: the same sources, flags and cache, so that nothing is compiled twice
	prepare defconfig || return 1
	head -n "${1#def}" "$P/defconfig/list" >"$P/$1/list"
	mkdir -p "$P/defconfig/cache" && ln -sfn "$P/defconfig/cache" "$P/$1/cache"
}

prepare() { # name: once
	[ -e "$P/$1/.ready" ] && return
	mkdir -p "$P/$1"
	echo "preparing $1 (log: $P/$1/prepare.log)" >&2
	case $1 in linux-*) how="prepare_folder $1" ;; def[0-9]*) how="prepare_part $1" ;; *) how=prepare_$1 ;; esac
	($how) >"$P/$1/prepare.log" 2>&1 </dev/null && database "$1" && touch "$P/$1/.ready"
}

# ---- measuring -------------------------------------------------------------------------------------------
# timed FILE command...: runs it; sets cpu (seconds) and memory (MiB) of it and all it started.
timed() {
	log=$1
	shift
	/usr/bin/env time -o "$P/time" -f '%U %S %M' "$@" >"$log" 2>"$log.err"
	status=$?
	set -- $(tail -n 1 "$P/time")
	cpu=$(echo "$1 $2" | awk '{ printf "%.2f", $1 + $2 }') memory=$(($3 / 1024))
	return $status
}

number() { sed -n "s/.*[^a-z]\{0,1\}$2 \([0-9]*\).*/\1/p" "$1" | head -n 1; }

say() { [ -n "$BENCH_NOTES" ] || echo "$*"; }
# One line of the table; what the status or the CPU limit ended has no speed.
row() {
	[ "$status" = 0 ] || [ "$status" = 66 ] || { printf '%s\t%s\t%s\t%s\t%s (%s)\t%s\t%s\t-\t-\tended (status %s)\n' "$1" "$units" "$lines" "$instructions" "$front_cpu" "$fresh" "$cpu" "$memory" "$status" >>"$rows"; return; }
	printf '%s\t%s\t%s\t%s\t%s (%s)\t%s\t%s\t%s\t%s\t%s\n' "$1" "$units" "$lines" "$instructions" "$front_cpu" "$fresh" "$cpu" "$memory" "$(echo "$lines $cpu" | awk '{ printf "%.0f", $1 / ($2 + 0.001) }')" \
		"$(candidates)" "$(grep -c '^  safe ' "$dir/scan"), $(grep -c '^  unsafe ' "$dir/scan")" >>"$rows"
}
measure() { # name
	dir=$P/$1
	[ "${COLD:-}" ] && rm -rf "$dir/cache"
	QUIET=1 timed "$dir/front" "$print" load -p "$dir" -c "$dir/cache" || { tail -n 3 "$dir/front.err" >&2; return 1; }
	front_cpu=$cpu front_memory=$memory
	QUIET=1 timed "$dir/warm" "$print" load -p "$dir" -c "$dir/cache" || return 1
	warm_cpu=$cpu
	units=$(number "$dir/warm" units) lines=$(number "$dir/warm" lines) instructions=$(number "$dir/warm" instructions)
	skipped=$(number "$dir/warm" skipped) fresh=$(number "$dir/front" compiled)
	say "$1: $units units ($skipped skipped), $lines lines, $instructions instructions; clang+lower $front_cpu CPU s for $fresh of them, from the cache $warm_cpu CPU s, $front_memory MiB"
	if "$D/bin/deadheat" scan --help >/dev/null 2>&1; then analysis "$1"; fi
}

candidates() { sed -n 's/^verdict: undecided: \([0-9]*\) candidate.*/\1/p' "$dir/scan" | grep . || echo 0; }

# The analysis on what is cached, with a store of its own.
analysis() {
	kernel=
	case $1 in tiny* | linux-* | def*) kernel=--kernel ;; esac
	rm -rf "$dir/store"
	timed "$dir/scan" sh -c 'ulimit -t "$1"; shift; exec "$@"' sh "${LIMIT:-3600}" "$D/bin/deadheat" scan -q --store "$dir/store" --cache "$dir/cache" $kernel -p "$dir"
	status=$?
	say "$1: scan from the cache: $cpu CPU s, $memory MiB, status $status; $(echo "$lines $cpu" | awk '{ printf "%.0f", $1 / ($2 + 0.001) }') lines a CPU s; $(candidates) candidates, assumptions: $(grep -c '^  safe ' "$dir/scan") safe, $(grep -c '^  unsafe ' "$dir/scan") unsafe"
	[ -n "$BENCH_NOTES" ] || sed -n '/^excluded:/,$p' "$dir/scan" | cut -c1-150 | head -n "${TAIL:-40}" | sed 's/^/    /'
	row "$1"
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$units" "$lines" "$instructions" "$front_cpu" "$warm_cpu" "$cpu" "$memory" "$(candidates)" >>"$B/scan.tsv"
}

# ---- without one exclusion ------------------------------------------------------------------------------------
# claims_of NAME [--without X]: its number of claims.
claims_of() {
	name=$1
	shift
	timeout "${LIMIT:-600}" "$D/bin/deadheat" scan -q --store "$P/$name/ablation" --cache "$P/$name/cache" --top 1 "$@" -p "$P/$name" 2>/dev/null |
		sed -n 's/^verdict: undecided: \([0-9]*\) candidate.*/\1/p'
}
# proved_of [--without X]: how many of the clean corpus are race-free.
proved_of() {
	[ "${CORPUS:-1}" = 0 ] && { echo -; return; }
	export D P
	ls tests/scan/clean/*.c | xargs -P "$(nproc)" -n 1 sh -c 'for source; do :; done; name=$(basename "$source"); "$D/bin/deadheat" scan -q --store "$P/corpus/$name.store" --cache "$P/corpus/cache" "$@" 2>/dev/null | grep "^verdict: race-free"' sh "$@" | grep -c .
}
without() {
	prepare pigz && prepare memcached || return 1
	cd "$TOP" && mkdir -p "$P/corpus" || return 1
	echo "| switched off | clean programs proved, of $(ls tests/scan/clean/*.c | wc -l) | claims in pigz | in memcached |"
	echo "|---|---|---|---|"
	echo "| none | $(proved_of) | $(claims_of pigz) | $(claims_of memcached) |"
	for name in single-thread threads fresh atomics thread-local locks lock-modes once barriers hand-over publication same-object indexed; do
		echo "| \`$name\` | $(proved_of --without $name) | $(claims_of pigz --without $name) | $(claims_of memcached --without $name) |"
	done
}

# The table and the bars, from the rows of this run.
table() {
	[ -s "$rows" ] || return
	echo "CPU seconds: of clang and lowering (for so many units; the rest was in the cache), of the analysis from the cache. Assumptions: safe, unsafe."
	echo
	{ printf 'program\tunits\tlines\tinstructions\tfront end, CPU s (units)\tscan, CPU s\tMiB\tlines a CPU s\tcandidates\tassumptions\n'; cat "$rows"; } |
		awk -F'\t' '{ printf "|"; for (i = 1; i <= NF; i++) printf " %s |", $i; print "" } NR == 1 { printf "|---|"; for (i = 2; i <= NF; i++) printf "---:|"; print "" }'
	awk -F'\t' 'function bar(what, limit, s, n, lo, hi) { if (n) printf "%s\t≥ %s\t%.0f\t%.0f..%.0f over %d\t%s\n", what, limit == 1e4 ? "10,000" : "20,000", exp(s / n), lo, hi, n, exp(s / n) >= limit ? "met" : "missed" }
		$8 == "-" { next }
		{ s += log($8); if (!n++ || $8 < lo) lo = $8; if ($8 > hi) hi = $8 }
		$1 ~ /^(linux-|tiny|def)/ { ks += log($8); if (!kn++ || $8 < klo) klo = $8; if ($8 > khi) khi = $8; if ($7 > most) most = $7 }
		END { bar("scan, all programs: lines a CPU second after bitcode, geometric mean", 2e4, s, n, lo, hi); bar("scan of kernel folders: lines a CPU second after bitcode", 1e4, ks, kn, klo, khi)
			if (kn) printf "scan of kernel folders: memory\t< 8 GiB\t%.1f GiB\tlargest of %d\t%s\n", most / 1024, kn, most < 8192 ? "met" : "missed" }' "$rows" >"$BENCH_NOTES.bars"
}
time_for() { # does the part's budget leave a minute for another one?
	[ -z "$BENCH_DEADLINE" ] || [ $((BENCH_DEADLINE - $(date +%s))) -ge 60 ]
}
rows=$P/rows.$$
trap 'rm -f "$rows"' EXIT
: >"$rows"
failed= not_measured=
ended() { # by the part's time: what was measured is printed
	printf '\n**Ended by its time budget.** Not measured: %s and what follows. Run the command again to go on.\n' "$program"
	exit 75
}
[ -z "$BENCH_NOTES" ] || trap 'table; ended' TERM
for program in $programs; do
	time_for || { not_measured="$not_measured, $program"; continue; }
	if [ "$program" = without ]; then
		without || failed=1
	elif prepare "$program" && measure "$program"; then :; else
		echo "bench/scan.sh: $program failed, see $P/$program" >&2
		failed=1
	fi
done
[ -z "$BENCH_NOTES" ] || table
[ -z "$not_measured" ] || { printf '\n**Ended by its time budget.** Not measured: %s. Run the command again to go on.\n' "${not_measured#, }"; exit 75; }
[ -z "$failed" ]
