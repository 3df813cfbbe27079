# runtime.sh - sourced by tests/native/*.t after tap.sh.
#
#   spy_build                   makes $tmp/spy/libdeadheat_rt.so (common + native + spy.c)
#   build LIB FILE [flags]      $tmp/NAME from tests/native/FILE, linked to the runtime LIB (nop, detect, spy)
#   expected FILE               the lines after "> " in its comments
NATIVE=$TOP/tests/native
spy_build() {
	make -s -C "$TOP" build/lib/deadheat/nop/libdeadheat_rt.so || return 1
	mkdir -p "$tmp/spy"
	gcc -std=gnu17 -O2 -g -fPIC -fvisibility=hidden -fno-builtin -ftls-model=initial-exec -fno-omit-frame-pointer \
		-I"$TOP/src" -D_GNU_SOURCE -c -o "$tmp/spy.o" "$NATIVE/spy.c" || return 1
	gcc -shared -nostartfiles -Wl,-soname,libdeadheat_rt.so -Wl,-z,now -Wl,-z,defs -Wl,-Bsymbolic \
		-Wl,--wrap=memcpy -Wl,--wrap=memmove -Wl,--wrap=memset -Wl,--wrap=memcmp \
		-o "$tmp/spy/libdeadheat_rt.so" "$tmp/spy.o" "$TOP"/build/rt/kind/nop.o "$TOP"/build/rt/nop/access.o \
		$(cd "$TOP/src/rt" && ls ./*.c abi/*.c native/*.c | sed "s|^\./||; s|^|$TOP/build/rt/|; s|\.c$|.o|")
}
library() {
	case $1 in spy) echo "$tmp/spy" ;; *) echo "$TOP/build/lib/deadheat/$1" ;; esac
}
build() { # library file flags
	lib=$(library "$1"); file=$2; shift 2
	case $file in *.cpp) cc=g++ ;; *) cc=gcc ;; esac
	name=$(basename "$file"); name=${name%.*}
	$cc -g -Og -fsanitize=thread -fno-builtin -c -o "$tmp/$name.o" "$NATIVE/$file" "$@" &&
	$cc -o "$tmp/$name" "$tmp/$name.o" -L"$lib" -ldeadheat_rt -Wl,-rpath,"$lib" -ldl -lrt
}
expected() { sed -n 's|^[[:space:]/*]*> ||p' "$NATIVE/$1" | sed 's|[[:space:]]*\*/$||'; }
# Each thread's own events in order; how threads interleave is not ours to say.
events() { # file: what the spy wrote while $tmp/NAME ran
	name=${1%.*}
	timeout 300 "$tmp/$name" 3>"$tmp/$name.events" || return 1
	sort -s -k1,1 "$tmp/$name.events" >"$tmp/$name.got"
	expected "$1" | sort -s -k1,1 >"$tmp/$name.wanted"
	diff -u "$tmp/$name.wanted" "$tmp/$name.got"
}
