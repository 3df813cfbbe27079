#!/bin/sh
# detect.sh - how much detect slows a program down, against ThreadSanitizer.
#
# Usage: bench/detect.sh [ROUNDS] [PROGRAM...]        (5 rounds, all programs)
#
# Programs: pigz (with zlib), pbzip2 (with bzip2), xz, zstd from Debian's sources, fetched into
# build/bench at bench time, everything of a program instrumented alike; and two kernels of ours
# (bench/detect/hash.c, matrix.c). Variants of each:
#
#   native-gcc, native-clang   -O2, the two denominators
#   tsan-gcc, tsan-clang       -O2 -g -fsanitize=thread of the same compiler
#   tsan-huge                  tsan-clang, allowed huge pages for its shadow (we ask for them)
#   ours-gcc, ours-clang       built by deadheat-cc, run by `deadheat detect --runs 1`
#   nop-gcc, nop-clang         the same binaries, just run (hooks are patched away)
#
# Rounds alternate over the variants, so that load of the machine meets all alike. A round's
# slowdown is its wall time over native of the same compiler in that round; a figure is the
# median over the rounds; the last lines are geometric means over programs with the smallest and
# largest program. Memory is the largest resident set. Results: build/bench/detect.tsv.
# VARIANTS="..." runs only these (with the natives they are divided by).
# METRIC=cpu takes CPU seconds instead of wall time: for a machine that does other things too.
cd "$(dirname "$0")/.." || exit 1
TOP=$PWD
B=$TOP/build/bench
D=${DEADHEAT_BUILD:-$TOP/build} # another copy, when the tree is being rebuilt
rounds=${1:-5}
[ $# -gt 0 ] && shift
programs=${*:-pigz pbzip2 xz zstd hash matrix}
all=${VARIANTS:-native-gcc native-clang tsan-gcc tsan-clang tsan-huge ours-gcc ours-clang nop-gcc nop-clang}
export LC_ALL=C

die() { echo "bench/detect.sh: $*" >&2; exit 1; }

. bench/lib/sources.sh

# ---- building -------------------------------------------------------------------------------
# Sets cc, cxx, flags for a variant.
compiler() {
	link=
	case $1 in
	native-gcc) cc=gcc cxx=g++ flags="-O2" ;;
	native-clang) cc=clang-19 cxx=clang++-19 flags="-O2" ;;
	tsan-gcc) cc=gcc cxx=g++ flags="-O2 -g -fsanitize=thread" link=-fsanitize=thread ;;
	tsan-clang) cc=clang-19 cxx=clang++-19 flags="-O2 -g -fsanitize=thread" link=-fsanitize=thread ;;
	ours-gcc) cc=$D/bin/deadheat-cc cxx=$D/bin/deadheat-c++ flags="-O2 -g" DEADHEAT_CC=gcc ;;
	ours-clang) cc=$D/bin/deadheat-cc cxx=$D/bin/deadheat-c++ flags="-O2 -g" DEADHEAT_CC=clang-19 ;;
	esac
	[ "${1#ours}" = "$1" ] || export DEADHEAT_CC
}

compile() { # objects' prefix, then options and files: each compiled on its own
	prefix=$1; shift
	options=
	for word; do
		case $word in
		*.c) $cc $flags $options -w -c -o "$prefix$(basename "$word" .c).o" "$word" || return 1 ;;
		*.cpp) $cxx $flags $options -w -c -o "$prefix$(basename "$word" .cpp).o" "$word" || return 1 ;;
		*) options="$options $word" ;;
		esac
	done
}

build_pigz() {
	fetch pigz; fetch zlib
	compile "$1/z_" -D_LARGEFILE64_SOURCE -DHAVE_UNISTD_H "$B"/src/zlib/*.c &&
	compile "$1/p_" -DNOZOPFLI "-I$B/src/zlib" "$B/src/pigz/pigz.c" "$B/src/pigz/yarn.c" "$B/src/pigz/try.c" &&
	$cc $link -o "$1/program" "$1"/*.o -lm -lpthread
}
build_pbzip2() {
	fetch pbzip2; fetch bzip2
	for f in blocksort huffman crctable randtable compress decompress bzlib; do
		compile "$1/b_" -D_FILE_OFFSET_BITS=64 "$B/src/bzip2/$f.c" || return 1
	done
	compile "$1/p_" -D_FILE_OFFSET_BITS=64 -DUSE_STACKSIZE_CUSTOMIZATION -std=gnu++98 "-I$B/src/bzip2" "$B"/src/pbzip2/*.cpp &&
	$cxx $link -o "$1/program" "$1"/*.o -lpthread
}
build_xz() {
	fetch xz-utils
	mkdir -p "$1/b" && (cd "$1/b" && "$B/src/xz-utils/configure" -q --disable-shared --disable-nls --disable-doc \
		--disable-lzmadec --disable-lzmainfo --disable-scripts --disable-sandbox CC="$cc" CFLAGS="$flags" LDFLAGS="$link" &&
	 make -s -j2 -C src/liblzma && make -s -C src/xz) >"$1/log" 2>&1 && cp "$1/b/src/xz/xz" "$1/program"
}
build_zstd() {
	fetch libzstd
	s=$B/src/libzstd
	compile "$1/z_" -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ -DZSTD_NODICT -DZSTD_NOBENCH -DZSTD_NOTRACE -DBACKTRACE_ENABLE=0 \
		"-I$s/lib" "-I$s/lib/common" "$s"/lib/common/*.c "$s"/lib/compress/*.c "$s"/lib/decompress/*.c \
		"$s/programs/zstdcli.c" "$s/programs/util.c" "$s/programs/timefn.c" "$s/programs/fileio.c" "$s/programs/fileio_asyncio.c" && $cc $link -o "$1/program" "$1"/*.o -lpthread
}
build_hash() { compile "$1/" "$TOP/bench/detect/hash.c" && $cc $link -o "$1/program" "$1/hash.o" -lpthread; }
build_matrix() { compile "$1/" "$TOP/bench/detect/matrix.c" && $cc $link -o "$1/program" "$1/matrix.o" -lpthread; }

build() { # program variant
	folder=$B/$1/$2
	[ -x "$folder/program" ] && return
	mkdir -p "$folder"
	compiler "$2"
	echo "building $1 $2" >&2
	"build_$1" "$folder" || die "cannot build $1 as $2"
}

# ---- running -----------------------------------------------------------------------------------
input() {
	[ -e "$B/input" ] && return
	fetch libzstd; fetch xz-utils
	tar -C "$B/src" --sort=name --owner=0 --group=0 --mtime=@0 -cf - libzstd xz-utils | head -c 12000000 > "$B/input"
}

arguments() {
	case $1 in
	pigz) echo "-p 2 -c -k $B/input" ;;
	pbzip2) echo "-p2 -c -k $B/input" ;;
	xz) echo "-T2 --block-size=2MiB -3 -c -k $B/input" ;;
	zstd) echo "-T2 -6 -q -c -k $B/input" ;;
	hash) echo "4 3000000" ;;
	matrix) echo "4 600 100" ;;
	esac
}

command_of() { # program variant
	case $2 in
	tsan-huge) echo "$B/$1/tsan-clang/program" ;;
	nop-*) echo "$B/$1/ours-${2#nop-}/program" ;;
	ours-*) echo "$D/bin/deadheat detect --quiet --runs 1 --store $B/store -- $B/$1/$2/program" ;;
	*) echo "$B/$1/$2/program" ;;
	esac
}

run_one() { # program variant round
	rm -rf "$B/store"
	case $2 in
	tsan-*) export TSAN_OPTIONS="report_bugs=1:exitcode=0:atexit_sleep_ms=0:log_path=$B/tsan.log" ;;
	esac
	[ "$2" = tsan-huge ] && TSAN_OPTIONS="$TSAN_OPTIONS:no_huge_pages_for_shadow=0"
	result=$("$B/time" $(command_of "$1" "$2") $(arguments "$1") 2>"$B/err") || die "$1 as $2: $(tail -n 1 "$B/err")"
	printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$(echo "$result" | tail -n 1 | tr ' ' '\t')" >> "$B/detect.tsv"
}

report() {
	awk -F'\t' -v column="$([ "${METRIC:-wall}" = cpu ] && echo 5 || echo 4)" -v programs="$programs" -v variants="$all" '
	function base(v) { return v ~ /gcc/ ? "native-gcc" : "native-clang" }
	function median(list, n,   i, j, t, a) {
		split(list, a, " ")
		for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j - 1] + 0 > a[j] + 0; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
		return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
	}
	{ wall[$1, $2, $3] = $column; if ($3 > rounds) rounds = $3; if ($6 > rss[$1, $2]) rss[$1, $2] = $6 }
	END {
		np = split(programs, P, " "); nv = split(variants, V, " ")
		printf "%-8s", "slowdown"; for (j = 1; j <= nv; j++) printf " %12s", V[j]; print ""
		for (i = 1; i <= np; i++) {
			printf "%-8s", P[i]
			for (j = 1; j <= nv; j++) {
				list = ""
				for (r = 1; r <= rounds; r++)
					list = list " " (V[j] ~ /native/ ? wall[P[i], V[j], r] : wall[P[i], V[j], r] / wall[P[i], base(V[j]), r])
				slow[i, j] = median(list, rounds)
				printf V[j] ~ /native/ ? " %11.2fs" : " %12.2f", slow[i, j]
			}
			print ""
		}
		print ""; printf "%-8s", "MiB"; for (j = 1; j <= nv; j++) printf " %12s", V[j]; print ""
		for (i = 1; i <= np; i++) { printf "%-8s", P[i]; for (j = 1; j <= nv; j++) printf " %12.0f", rss[P[i], V[j]] / 1024; print "" }
		print ""
		for (j = 1; j <= nv; j++) at[V[j]] = j
		compare("ours-clang", "tsan-clang"); compare("ours-clang", "tsan-huge"); compare("ours-gcc", "tsan-clang")
		compare("ours-gcc", "tsan-gcc"); compare("ours-clang", "tsan-gcc")
		gm("nop-gcc", "native-gcc"); gm("nop-clang", "native-clang")
	}
	function compare(a, b,   i, s, m, lo, hi, x, y) {
		if (!(a in at) || !(b in at)) return
		lo = 1e9; hi = 0; s = m = 0
		for (i = 1; i <= np; i++) {
			x = slow[i, at[a]] / slow[i, at[b]]; y = rss[P[i], a] / rss[P[i], b]
			s += log(x); m += log(y); if (x < lo) lo = x; if (x > hi) hi = x
		}
		printf "%-11s / %-11s slowdown %.2f (%.2f to %.2f), memory %.2f\n", a, b, exp(s / np), lo, hi, exp(m / np)
	}
	function gm(a, b,   i, s, lo, hi) {
		if (!(a in at)) return
		lo = 1e9; hi = 0
		for (i = 1; i <= np; i++) { x = slow[i, at[a]]; s += log(x); if (x < lo) lo = x; if (x > hi) hi = x }
		printf "%-11s / %-11s time     %.2f (%.2f to %.2f)\n", a, b, exp(s / np), lo, hi
	}' "$B/detect.tsv"
}

mkdir -p "$B"
gcc -O2 -o "$B/time" bench/detect/time.c || die "cannot build bench/detect/time.c"
for p in $programs; do
	for v in $all; do
		case $v in tsan-huge|nop-*) ;; *) build "$p" "$v" ;; esac
	done
done
input
: > "$B/detect.tsv"
for r in $(seq "$rounds"); do
	for p in $programs; do
		for v in $all; do run_one "$p" "$v" "$r"; done
	done
done
report
