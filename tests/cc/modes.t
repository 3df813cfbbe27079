# The wrapper as a compiler: every way to call one, with gcc and with clang.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cat >main.c <<'X'
#include <stdio.h>
#include "part.h"
int main(void) { printf("%d\n", part(41)); return 0; }
X
echo 'int part(int x);' >part.h
cat >part.c <<'X'
#include "part.h"
int counter;
int part(int x) { counter += x; return counter + 1; }
X
cat >cxx.cc <<'X'
#include <string>
#include <iostream>
std::string text("c++");
int main() { std::cout << text << std::endl; return 0; }
X
cat >opens.c <<'X'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	void *library = dlopen("./libpart2.so", RTLD_NOW);
	if (!library) { puts(dlerror()); return 1; }
	printf("%d\n", ((int (*)(int))dlsym(library, "part"))(41));
	return dlclose(library);
}
X
silent() { "$@" >.o 2>&1 && [ ! -s .o ] || { cat .o; return 1; }; }
runs() { out=$(./"$1" 2>&1) && [ "$out" = "$2" ]; }
instrumented() { nm "$1" | grep -q __tsan_; }
plain() { ! instrumented "$1"; }
needs_us() { readelf -d "$1" | grep NEEDED | head -n 1 | grep -q libdeadheat_rt.so; }
no_libtsan() { ! readelf -d "$1" | grep -q libtsan; }

for with in gcc clang; do
	cc="deadheat-cc --with $with"
	cxx="deadheat-c++ --with $with"
	W='-O2 -Wall -Wextra -pedantic -Werror'
	check "$with: one step, silent" silent $cc $W main.c part.c -o prog
	check "$with: it runs" runs prog 42
	check "$with: needs our runtime, first" needs_us prog
	check "$with: does not need libtsan" no_libtsan prog
	check "$with: -o first" silent $cc -oprog2 main.c part.c
	check "$with: it runs" runs prog2 42
	check "$with: -c" silent $cc $W -c main.c part.c
	check "$with: objects are instrumented" instrumented part.o
	check "$with: link objects" silent $cc $W main.o part.o -o prog3
	check "$with: it runs" runs prog3 42
	check "$with: mixed source and object" silent $cc $W main.c part.o -o prog4
	check "$with: it runs" runs prog4 42
	ar rc libpart.a part.o
	check "$with: static library by name" silent $cc main.c -L. -lpart -o prog5
	check "$with: it runs" runs prog5 42
	check "$with: shared library" silent $cc $W -shared -fPIC part.c -o libpart2.so -Wl,-z,defs
	check "$with: instrumented, needs us" needs_us libpart2.so
	check "$with: program with shared library" silent $cc main.c ./libpart2.so -o prog6
	check "$with: it runs" runs prog6 42
	check "$with: a plain program that opens and closes the library" gcc opens.c -o opens
	check "$with: it runs" runs opens 42
	check "$with: -fsanitize=undefined" silent $cc $W -fsanitize=undefined main.c part.c -o progu
	check "$with: it runs" runs progu 42
	check "$with: -S" silent $cc -S part.c -o part.s
	check "$with: assembler calls us" grep -q __tsan_write part.s
	check "$with: .s input" silent $cc main.c part.s -o prog7
	check "$with: it runs" runs prog7 42
	check "$with: -E" sh -c "$cc -E part.c | grep -q 'int counter'"
	check "$with: .i is made" $cc -E part.c -o part.i
	check "$with: .i input" silent $cc -O2 -Wall -Werror -c part.i -o parti.o
	check "$with: .i to .s to program" sh -c "$cc -O2 -Wall -Werror -S part.i -o parti.s && $cc main.c parti.s -o progi"
	check "$with: it runs" runs progi 42
	check "$with: .i is instrumented" instrumented parti.o
	check "$with: standard input" sh -c "echo 'int main(void){return 0;}' | $cc -x c - -o stdin && ./stdin"
	check "$with: -x none after -x c" sh -c "cp part.c part.txt && $cc -x c part.txt -x none main.o -o progx"
	check "$with: it runs" runs progx 42
	check "$with: -fsyntax-only makes nothing" sh -c "$cc -fsyntax-only part.c -o nothing.o; [ ! -e nothing.o ]"
	check "$with: -M" sh -c "$cc -M part.c | grep -q part.h"
	check "$with: -MM makes no program" sh -c "rm -f a.out; $cc -MM main.c part.c | grep -q main.o && [ ! -e a.out ]"
	check "$with: -MD -MF -MT in one step" silent $cc -MD -MF dep.d -MT it main.c part.o -o prog8
	check "$with: the dependencies are right" grep -q '^it:.*main.c' dep.d
	check "$with: -MMD with -c" sh -c "$cc -MMD -c part.c -o sub.o && grep -q '^sub.o:.*part.h' sub.d"
	check "$with: -r" silent $cc -r main.o part.o -o both.o
	check "$with: its result links" silent $cc both.o -o prog9
	check "$with: it runs" runs prog9 42
	check "$with: -save-temps -c" sh -c "mkdir st; cd st; $cc -save-temps -c ../part.c 2>/dev/null && ls *.i *.s *.o"
	check "$with: -pipe" silent $cc -pipe main.c part.c -o prog10
	check "$with: -no-pie" silent $cc -no-pie -fno-pie main.c part.c -o prog11
	check "$with: it runs" runs prog11 42
	check "$with: -pie" silent $cc -fPIE -pie main.c part.c -o prog12
	check "$with: it runs" runs prog12 42
	check "$with: -flto" silent $cc -flto -O2 main.c part.c -o prog13
	check "$with: instrumented all the same" sh -c "nm prog13 | grep -q __tsan_write"
	check "$with: -flto -c then link" sh -c "$cc -flto -c main.c part.c && $cc -flto main.o part.o -o prog14 && ./prog14"
	check "$with: precompiled header" sh -c "cp part.h pre.h; $cc -x c-header pre.h -o pre.h.pch && [ -s pre.h.pch ]"
	check "$with: -s is not obeyed, we need the names" sh -c "$cc -s main.c part.c -o prog15 && nm prog15 | grep -q main"
	check "$with: a user's rpath does not hide LD_LIBRARY_PATH" sh -c \
		"$cc -Wl,-rpath,/nowhere -Wl,--disable-new-dtags main.c part.c -o prog16 && readelf -d prog16 | grep -q RUNPATH"
	check "$with: --as-needed keeps us" sh -c "$cc -Wl,--as-needed main.c part.c -o prog17 && readelf -d prog17 | grep -q libdeadheat_rt"
	check "$with: -nostdlib -lc as libtool does" sh -c "$cc -shared -nostdlib -fPIC part.c -lc -o libns.so && readelf -d libns.so | grep -q libdeadheat_rt"
	check "$with: -fsanitize=thread changes nothing" sh -c "$cc -fsanitize=thread main.c part.c -o prog18 && ! readelf -d prog18 | grep -q libtsan && ./prog18"
	check "$with: -fsanitize=thread at the link either" sh -c "$cc -fsanitize=thread main.o part.o -o prog19 && ! readelf -d prog19 | grep -q libtsan && ! nm prog19 | grep -q ' T __tsan_init'"
	check "$with: -fno-sanitize=thread is obeyed" sh -c "$cc -fno-sanitize=thread -c part.c -o quiet.o"
	check "$with: not instrumented" plain quiet.o
	check "$with: -D_FORTIFY_SOURCE is silent" silent $cc -O2 -D_FORTIFY_SOURCE=2 -Wall -Werror main.c part.c -o prog20
	check "$with: ... with -O0" silent $cc -O0 -Wp,-D_FORTIFY_SOURCE=2 -Werror main.c part.c -o prog21
	check "$with: C++" silent $cxx $W -std=c++17 cxx.cc -o progcc
	check "$with: it runs" runs progcc c++
	check "$with: C++ is instrumented" instrumented progcc
	check "$with: C++ in two steps" sh -c "$cxx -c cxx.cc && $cxx cxx.o -o progcc2 && ./progcc2"
	check "$with: --version" sh -c "$cc --version | grep -qi $with"
	check "$with: -v" sh -c "$cc -v 2>&1 | grep -qi version"
	check "$with: -dumpmachine" sh -c "$cc -dumpmachine | grep -q linux"
	check "$with: -print-file-name" sh -c "$cc -print-file-name=libc.so.6 | grep -q libc"
	check "$with: -dM -E" sh -c "$cc -dM -E -x c /dev/null | grep -q __x86_64__"
	check "$with: debug information names the source" sh -c "readelf --debug-dump=info prog | grep -q 'DW_AT_name.*part.c'"
	check "$with: no file is left behind" sh -c "mkdir -p td && TMPDIR=$tmp/td $cc main.c part.c -o progt && [ -z \"\$(ls td)\" ]"
	rm -rf st ./*.o ./*.i ./*.s
done
done_testing
