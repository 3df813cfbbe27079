# Response files: the quoting of gcc, nesting, length.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cat >'a b.c' <<'X'
#include <stdio.h>
int main(void) { puts(TEXT); return 0; }
X
for with in gcc clang; do
	cc="deadheat-cc --with $with"
	printf '%s\n' "-DTEXT=\"\\\"it's\\\"\"" "'a b.c'" '-o prog\ one' >args
	check "$with: quotes and backslashes" $cc @args
	check "$with: read as gcc reads them" sh -c "[ \"\$('./prog one')\" = \"it's\" ]"
	echo '@args' >outer
	check "$with: nested" sh -c "rm -f 'prog one'; $cc @outer && [ -x 'prog one' ]"
	echo '@loop' >loop
	check_output "$with: a file that names itself" "nested more than" $cc @loop
	check_fails "$with: a missing one is a file name" $cc @nosuch
	check "$with: our own options in front" sh -c "$cc --keep-optimisation @args"
	: >empty
	check "$with: an empty one" $cc @empty @args
	mkdir -p a-rather-long-name-to-fill-the-line && ar rc a-rather-long-name-to-fill-the-line/libempty.a
	yes a-rather-long-name-to-fill-the-line/libempty.a | head -n 60000 >long
	cat args >>long
	check "$with: longer than a command line may be" sh -c "rm -f 'prog one'; $cc @long && [ -x 'prog one' ]"
done
done_testing
