# Programs we cannot watch: one clear line, exit status 3, what to do about it.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
one_line() { "$@" >.o 2>&1; [ "$(wc -l <.o)" = 1 ] || { cat .o; return 1; }; }
cannot() { # text wanted command...
	what=$1 line=$2; shift 2
	check_status "$what: status 3" 3 "$@"
	check_output "$what: says so" "$line" "$@"
	check "$what: in one line" one_line "$@"
}
echo 'int main(void) { return 0; }' >ok.c
gcc ok.c -o plain
gcc -static ok.c -o static
clang-19 -fsanitize=thread ok.c -o clangtsan
deadheat-cc ok.c -o ok
cp ok noexec; chmod -x noexec
printf 'text\n' >text; chmod +x text
: >empty; chmod +x empty
printf '\177ELF garbage' >garbage; chmod +x garbage
printf '#!/bin/sh\nexec ./plain\n' >script; chmod +x script
printf '#!/bin/sh\nexec ./ok "$@"\n' >good; chmod +x good
printf '#!/no/such/interpreter\n' >lost; chmod +x lost
cp ok setuid; chown 12345 setuid 2>/dev/null; chmod u+s setuid
printf '\177ELF\001\001\001\000\000\000\000\000\000\000\000\000\002\000\003\000\001\000\000\000' >elf32
head -c 200 /dev/zero >>elf32; chmod +x elf32

for command in detect hunt confirm; do
	cannot "$command: no such program" "no such program" deadheat $command ${dash:+--} ./nope
	[ $command = detect ] && cannot "in PATH neither" "nope: no such program" deadheat detect nope
	cannot "$command: not executable" "is not executable" deadheat $command -- ./noexec
	cannot "$command: a folder" "is a folder" deadheat $command -- ./.
	[ $command != detect ] || cannot "$command: not instrumented" "is not instrumented: build it with deadheat-cc (CC=deadheat-cc make)" \
		deadheat $command -- ./plain
	cannot "$command: static" "linked statically" deadheat $command -- ./static
	cannot "$command: clang's own TSan" "build it with deadheat-cc --with clang" deadheat $command -- ./clangtsan
	cannot "$command: text" "neither an ELF program nor a script" deadheat $command -- ./text
	cannot "$command: empty" "neither an ELF program nor a script" deadheat $command -- ./empty
	cannot "$command: garbage" "neither an ELF program nor a script" deadheat $command -- ./garbage
	cannot "$command: 32 bit" "not a 64-bit x86 program" deadheat $command -- ./elf32
	dash=1
done
cannot "a program of the current folder" "did you mean ./ok?" env PATH="$TOP/build/bin:/usr/bin:/bin" deadheat detect ok
cannot "a script that starts nothing of ours" "ended without loading our runtime" deadheat detect ./script
check_status "a script that starts an instrumented program" 0 deadheat detect ./good
cannot "a script without its interpreter" "its interpreter /no/such/interpreter is missing" deadheat detect ./lost
if [ "$(stat -c %u setuid)" = 12345 ]; then
	cannot "setuid" "use a copy without that bit" deadheat detect ./setuid
fi
check "nothing of this left a store behind" sh -c "rm -rf .deadheat; deadheat detect ./plain; [ ! -e .deadheat ]"

# Only a library is instrumented, the program is not.
echo 'int n; void *add(void *x) { n++; return x; }' >lib.c
cat >main.c <<'X'
#include <pthread.h>
void *add(void *);
int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); add(0); pthread_join(t, 0); return 0; }
X
deadheat-cc -shared -fPIC lib.c -o libadd.so && gcc main.c -o main -L. -ladd -Wl,-rpath,"$tmp"
check_output "an instrumented library of a plain program" "add / add on n" deadheat detect ./main
# Where deadheat itself lies: LD_PRELOAD cannot name a path with a space, everything else can.
mkdir -p "with space/bin" "with space/lib" && cp "$TOP/build/bin/deadheat" "with space/bin/" && cp -a "$TOP/build/lib/deadheat" "with space/lib/"
cannot "from a folder with a space: a plain program with our library" "its path has a space" "with space/bin/deadheat" detect ./main
cannot "from a folder with a space: sample" "its path has a space" "with space/bin/deadheat" sample ./plain
check_status "from a folder with a space: an instrumented program" 0 "with space/bin/deadheat" detect ./ok
# A gcc TSan build that was made without us.
gcc -g -fsanitize=thread main.c lib.c -o gcctsan
check_output "a gcc TSan build runs unchanged" "add / add on n" deadheat detect ./gcctsan
done_testing
