# programs - sourced by benches that measure real programs: pigz (with zlib), pbzip2 (with bzip2), lbzip2,
# xz, zstd and memcached from Debian's sources, and two kernels of ours (bench/detect/hash.c, matrix.c).
# Wants $TOP, $B (the bench's folder), $D (a build of deadheat) and die(); includes lib/sources.sh.
#
# `build PROGRAM VARIANT` leaves $B/PROGRAM/VARIANT/program, everything of the program built alike:
#
#   native-gcc, native-clang   -O2
#   tsan-gcc, tsan-clang       -O2 -g -fsanitize=thread of the same compiler
#   ours-gcc, ours-clang       -O2 -g by deadheat-cc
#
# It is made once; a build that was broken off begins again (only a finished one has the name). Programs
# with a configure script are configured once, natively, and each variant is a copy made by its compiler:
# what configure finds does not depend on the flags of a variant, and it takes longer than compiling.
# memcached carries its load in itself (bench/lib/memcached-load.c), so that it is a program like the
# others: one command that ends, for detect, for confirm and for the rivals.
. "$TOP/bench/lib/sources.sh"

# Sets cc, cxx, flags, link for a variant.
compiler() {
	link=
	unset DEADHEAT_CC
	case $1 in
	native-gcc) cc=gcc cxx=g++ flags="-O2 -g" ;;
	native-clang) cc=clang-19 cxx=clang++-19 flags="-O2 -g" ;;
	tsan-gcc) cc=gcc cxx=g++ flags="-O2 -g -fsanitize=thread" link=-fsanitize=thread ;;
	tsan-clang) cc=clang-19 cxx=clang++-19 flags="-O2 -g -fsanitize=thread" link=-fsanitize=thread ;;
	ours-gcc) cc=$D/bin/deadheat-cc cxx=$D/bin/deadheat-c++ flags="-O2 -g" DEADHEAT_CC=gcc ;;
	ours-clang) cc=$D/bin/deadheat-cc cxx=$D/bin/deadheat-c++ flags="-O2 -g" DEADHEAT_CC=clang-19 ;;
	*) die "there is no variant $1" ;;
	esac
	[ "${1#ours}" = "$1" ] || export DEADHEAT_CC
}

compile() { # objects' prefix, then options and files: each compiled on its own, one a core
	prefix=$1; shift
	options=
	for word; do
		case $word in
		*.c) echo "$cc $flags $options -w -c -o $prefix$(basename "$word" .c).o $word" ;;
		*.cpp) echo "$cxx $flags $options -w -c -o $prefix$(basename "$word" .cpp).o $word" ;;
		*) options="$options $word" ;;
		esac
	done | xargs -P "$(nproc)" -d '\n' -n 1 sh -c 'eval "$1"' sh
}
configured() { # program, its source, options...: once, with the machine's compiler
	[ -e "$B/$1/configured/.ready" ] && return
	c_folder=$B/$1/configured c_source=$B/src/$2; shift 2
	rm -rf "$c_folder" && mkdir -p "$c_folder" &&
	(cd "$c_folder" && "$c_source/configure" -q --disable-dependency-tracking "$@" && touch .ready) >"$c_folder.log" 2>&1 </dev/null
}
remake() { # program, folder, what to make, more words for make...
	r_from=$B/$1/configured r_folder=$2/b r_what=$3; shift 3
	rm -rf "$r_folder" && cp -a "$r_from" "$r_folder" &&
	make -s -j"$(nproc)" -C "$r_folder/${r_what%:*}" ${r_what#*:} CC="$cc" "$@" >>"$r_folder/log" 2>&1 </dev/null
}

build_pigz() {
	fetch pigz; fetch zlib
	compile "$1/z_" -D_LARGEFILE64_SOURCE -DHAVE_UNISTD_H "$B"/src/zlib/*.c &&
	compile "$1/p_" -DNOZOPFLI "-I$B/src/zlib" "$B/src/pigz/pigz.c" "$B/src/pigz/yarn.c" "$B/src/pigz/try.c" &&
	$cc $link -o "$1/program.new" "$1"/*.o -lm -lpthread
}
build_pbzip2() {
	fetch pbzip2; fetch bzip2
	for f in blocksort huffman crctable randtable compress decompress bzlib; do echo "$B/src/bzip2/$f.c"; done >"$1/files"
	compile "$1/b_" -D_FILE_OFFSET_BITS=64 $(cat "$1/files") &&
	compile "$1/p_" -D_FILE_OFFSET_BITS=64 -DUSE_STACKSIZE_CUSTOMIZATION -std=gnu++98 "-I$B/src/bzip2" "$B"/src/pbzip2/*.cpp &&
	$cxx $link -o "$1/program.new" "$1"/*.o -lpthread
}
# Its gnulib asks for what glibc took out of its header long ago; Debian patches the same in.
build_lbzip2() {
	fetch lbzip2
	configured lbzip2 lbzip2 CPPFLAGS="-D_IO_ftrylockfile -D_IO_ERR_SEEN=0x20 -D_IO_IN_BACKUP=0x100" &&
	remake lbzip2 "$1" .:all CFLAGS="$flags -w" LDFLAGS="$link" && cp "$1/b/src/lbzip2" "$1/program.new"
}
build_xz() {
	fetch xz-utils
	configured xz xz-utils --disable-shared --disable-nls --disable-doc --disable-lzmadec --disable-lzmainfo --disable-scripts --disable-sandbox &&
	remake xz "$1" src/liblzma:all CFLAGS="$flags -w" LDFLAGS="$link" &&
	make -s -j"$(nproc)" -C "$1/b/src/xz" CC="$cc" CFLAGS="$flags -w" LDFLAGS="$link" >>"$1/b/log" 2>&1 && cp "$1/b/src/xz/xz" "$1/program.new"
}
build_zstd() {
	fetch libzstd
	s=$B/src/libzstd
	compile "$1/z_" -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ -DZSTD_NODICT -DZSTD_NOBENCH -DZSTD_NOTRACE -DBACKTRACE_ENABLE=0 \
		"-I$s/lib" "-I$s/lib/common" "$s"/lib/common/*.c "$s"/lib/compress/*.c "$s"/lib/decompress/*.c \
		"$s/programs/zstdcli.c" "$s/programs/util.c" "$s/programs/timefn.c" "$s/programs/fileio.c" "$s/programs/fileio_asyncio.c" && $cc $link -o "$1/program.new" "$1"/*.o -lpthread
}
build_memcached() {
	fetch memcached
	configured memcached memcached --disable-docs --disable-coverage && compile "$1/" "$TOP/bench/lib/memcached-load.c" &&
	remake memcached "$1" .:memcached CFLAGS="$flags -w -pthread" LDFLAGS="$link -Wl,--wrap=main" LIBS="$1/memcached-load.o -levent -lm" && cp "$1/b/memcached" "$1/program.new"
}
build_hash() { compile "$1/" "$TOP/bench/detect/hash.c" && $cc $link -o "$1/program.new" "$1/hash.o" -lpthread; }
build_matrix() { compile "$1/" "$TOP/bench/detect/matrix.c" && $cc $link -o "$1/program.new" "$1/matrix.o" -lpthread; }

build() { # program variant
	folder=$B/$1/$2
	[ -x "$folder/program" ] && return
	rm -rf "$folder" && mkdir -p "$folder"
	compiler "$2"
	echo "building $1 $2" >&2
	"build_$1" "$folder" || die "cannot build $1 as $2"
	rm -rf "$folder/b" "$folder"/*.o && mv "$folder/program.new" "$folder/program"
}

# The input of the compressors: sources, the same bytes everywhere. input-small is for trials.
input() {
	[ -e "$B/input" ] && return
	fetch libzstd; fetch xz-utils
	tar -C "$B/src" --sort=name --owner=0 --group=0 --mtime=@0 -cf - libzstd xz-utils | head -c 12000000 >"$B/input.new" &&
	head -c 400000 "$B/input.new" >"$B/input-small" && mv "$B/input.new" "$B/input"
}

arguments() { # program: a run of about half a second
	case $1 in
	pigz) echo "-p 2 -c -k $B/input" ;;
	pbzip2) echo "-p2 -c -k $B/input" ;;
	lbzip2) echo "-n 2 -c -k $B/input" ;;
	xz) echo "-T2 --block-size=2MiB -3 -c -k $B/input" ;;
	zstd) echo "-T2 -6 -q -c -k $B/input" ;;
	memcached) echo "$B/memcached.socket 20000" ;;
	hash) echo "4 3000000" ;;
	matrix) echo "4 600 100" ;;
	esac
}
small_arguments() { # program: a run of a few hundredths
	case $1 in
	pigz) echo "-p 2 -b 128 -c -k $B/input-small" ;;
	pbzip2) echo "-p2 -b1 -c -k $B/input-small" ;;
	lbzip2) echo "-n 2 -1 -c -k $B/input-small" ;;
	xz) echo "-T2 --block-size=128KiB -0 -c -k $B/input-small" ;;
	zstd) echo "-T2 -1 -q -c -k $B/input-small" ;;
	memcached) echo "$B/memcached.socket 40" ;;
	esac
}
program_source() { case $1 in xz) echo xz-utils ;; zstd) echo libzstd ;; *) echo "$1" ;; esac; }
