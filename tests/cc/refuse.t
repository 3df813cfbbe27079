# What the wrapper refuses, in one line, and what it passes on from the compiler.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
echo 'int main(void) { return 0; }' >m.c
echo 'int main(void) { return x; }' >bad.c
one_line() { "$@" >.o 2>&1; [ "$(wc -l <.o)" = 1 ] || { cat .o; return 1; }; }

for with in gcc clang; do
	cc="deadheat-cc --with $with"
	check_status "$with: -static is refused" 2 $cc -static m.c
	check_output "$with: it says why" "link without -static" $cc -static m.c
	check "$with: in one line" one_line $cc -static m.c
	check_status "$with: -static-pie is refused" 2 $cc -static-pie m.c
	check_status "$with: -static with -c is no matter" 0 $cc -static -c m.c -o m.o
	check_output "$with: -fsanitize=address" "-fsanitize=address cannot be combined" $cc -fsanitize=address m.c
	check_status "$with: -fsanitize=undefined,address" 2 $cc -fsanitize=undefined,address -c m.c
	check_status "$with: -fsanitize=undefined works" 0 $cc -fsanitize=undefined m.c -o ub
	check_output "$with: -m32" "-m32: only 64-bit" $cc -m32 -c m.c
	check_status "$with: a compile error is passed on" 1 $cc -c bad.c
	check_status "$with: no such file" 1 $cc -c nosuch.c
	check_status "$with: two files and -o with -c" 1 $cc -c m.c bad.c -o x.o
	check_fails "$with: -o without a name" $cc m.c -o
	check_status "$with: no input" 1 $cc
done
check_output "--with takes two names" "--with: 'tcc' is not one of gcc, clang" deadheat-cc --with tcc m.c
check_output "--with needs a value" "--with: needs a value" deadheat-cc m.c --with
check_output "DEADHEAT_CC: no such compiler" "DEADHEAT_CC=nosuch-gcc: there is no compiler" \
	env DEADHEAT_CC=nosuch-gcc deadheat-cc m.c
check_output "DEADHEAT_CC: neither" "neither gcc nor clang" env DEADHEAT_CC=true deadheat-cc m.c
check_output "DEADHEAT_CC: ourselves" "names deadheat itself" env DEADHEAT_CC=deadheat-cc deadheat-cc m.c
check "DEADHEAT_CC=clang-19" env DEADHEAT_CC=clang-19 sh -c "deadheat-cc --version | grep -q clang"
check "DEADHEAT_CC for C++ is the sibling" env DEADHEAT_CC=gcc-12 sh -c "deadheat-c++ --version | grep -q '^g++-12'"
check "a plain cc is known by what it leads to" env DEADHEAT_CC=cc deadheat-cc -c m.c -o m2.o
check "--with wins over DEADHEAT_CC" env DEADHEAT_CC=clang-19 sh -c "deadheat-cc --with gcc --version | grep -q gcc"
check "deadheat cc is the same" deadheat cc m.c -o m3
check "deadheat c++ is the same" deadheat c++ -x c++ m.c -o m4
done_testing
