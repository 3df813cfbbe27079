# CC=deadheat-cc in plain make, in configure and in CMake.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
project() {
	mkdir "$1" && cd "$1" || exit 1
	cat >main.c <<'X'
#include <pthread.h>
#include <stdio.h>
int work(void);
static void *start(void *x) { (void)x; work(); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, start, 0); pthread_join(t, 0); printf("%d\n", work()); return 0; }
X
	echo 'static int n; int work(void) { return ++n; }' >work.c
	echo 'extern "C" int work(void); int main() { return work() - 1; }' >cxx.cc
	cd ..
}
needs_us() { readelf -d "$1" | grep -q libdeadheat_rt.so; }
instrumented() { nm "$1" | grep -q __tsan_write4; }

for with in gcc clang; do
	cc="deadheat-cc --with $with" cxx="deadheat-c++ --with $with"
	project make-$with
	cat >make-$with/Makefile <<'X'
CFLAGS = -O2 -Wall -Werror
prog: main.o work.o
	$(CC) $(LDFLAGS) -o $@ $^ -lpthread
X
	check "make, $with" make -C make-$with CC="$cc"
	check_output "it runs" 2 make-$with/prog
	check "it needs us" needs_us make-$with/prog
	check "it is instrumented" instrumented make-$with/prog

	project configure-$with
	cat >configure-$with/configure <<'X'
#!/bin/sh
# The questions autoconf asks of a compiler, in its way.
CC=${CC:-cc}
fail() { echo "configure: error: $1" >&2; exit 1; }
$CC --version >/dev/null 2>&1 || fail "no --version"
$CC -v >/dev/null 2>&1 || fail "no -v"
echo 'int main () { ; return 0; }' >conftest.c
$CC -g -O2 conftest.c >conftest.err 2>&1 || fail "cannot create executables"
[ -s conftest.err ] && fail "the compiler speaks: $(cat conftest.err)"
[ -x a.out ] && ./a.out || fail "cannot run"
$CC -c conftest.c || fail "no object"
[ -f conftest.o ] || fail "no .o suffix"
$CC -E conftest.c >conftest.i || fail "no preprocessor"
echo '#include <nosuchheader.h>' >conftest.c
$CC -E conftest.c >/dev/null 2>&1 && fail "a missing header was found"
has() { printf 'char %s (); int main () { return %s (); }\n' $1 $1 >conftest.c; $CC -o conftest conftest.c $2 2>/dev/null; }
has pthread_create -lpthread || fail "no pthread_create"
has memcpy || fail "no memcpy"
has strlen || fail "no strlen"
has no_such_function_here && fail "a missing function was found"
echo 'int main () { return sizeof (long) == 8 ? 0 : 1; }' >conftest.c
$CC -o conftest conftest.c && ./conftest || fail "wrong sizes"
printf 'int x[2 * (sizeof (int) == 4) - 1]; int main () { return 0; }\n' >conftest.c
$CC -Werror -c conftest.c 2>/dev/null || fail "compile-time size"
rm -f conftest* a.out
printf 'all: prog\nprog: main.c work.c\n\t%s -O2 -o prog main.c work.c -lpthread\n' "$CC" >Makefile
X
	check "configure, $with" sh -c "cd configure-$with && CC='$cc' sh ./configure && make"
	check_output "it runs" 2 configure-$with/prog
	check "it is instrumented" instrumented configure-$with/prog

	project cmake-$with
	cat >cmake-$with/CMakeLists.txt <<'X'
cmake_minimum_required(VERSION 3.16)
project(t C CXX)
find_package(Threads REQUIRED)
include(CheckFunctionExists)
check_function_exists(strlcpy_no_such HAVE_NOTHING)
check_function_exists(memmove HAVE_MEMMOVE)
if(HAVE_NOTHING OR NOT HAVE_MEMMOVE)
  message(FATAL_ERROR "wrong answers")
endif()
include(CheckCSourceRuns)
check_c_source_runs("int main(void) { return 0; }" RUNS)
if(NOT RUNS)
  message(FATAL_ERROR "does not run")
endif()
add_library(work SHARED work.c)
add_executable(prog main.c)
target_link_libraries(prog work Threads::Threads)
add_executable(progcxx cxx.cc)
target_link_libraries(progcxx work)
X
	printf '#!/bin/sh\nexec %s "$@"\n' "$cc" >cc-$with
	printf '#!/bin/sh\nexec %s "$@"\n' "$cxx" >cxx-$with
	chmod +x cc-$with cxx-$with
	check "cmake, $with" env CC="$tmp/cc-$with" CXX="$tmp/cxx-$with" \
		cmake -S cmake-$with -B cmake-$with/b -DCMAKE_BUILD_TYPE=Release
	check "it builds" cmake --build cmake-$with/b
	check_output "it runs" 2 cmake-$with/b/prog
	check "C++ runs" cmake-$with/b/progcxx
	check "the library is instrumented" instrumented cmake-$with/b/libwork.so
	check "the library needs us" needs_us cmake-$with/b/libwork.so
done
check "cmake with CC=deadheat-cc itself" env CC=deadheat-cc CXX=deadheat-c++ cmake -S cmake-gcc -B b
done_testing
