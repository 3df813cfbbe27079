# What makes a kernel's size bearable: function pointers by field, large recursions kept coarse, budgets.
. "$(dirname "$0")/../tap.sh"

here=$TOP/tests/scan/scale
cd "$tmp" || exit 1
summary() { deadheat scan -q --store "$tmp/store" --cache "$tmp/cache" --kernel --summary "$1" "$here/pointers.c" >"$1.txt" 2>"$1.err"; }
has() { grep -qE -- "$2" "$1" || { cat "$1" "${1%.txt}.err"; return 1; }; }
hasnt() { ! grep -qE -- "$2" "$1" || { cat "$1"; return 1; }; }

for name in through_a through_hook through_loose; do summary "$name"; done
check "a call goes to what is stored in the field" has through_a.txt 'device->(a|4)  .*write'
check "... under the lock" has through_a.txt 'device->(a|4)  \(\{.*lock.*\}, .*write'
check "... and not to another type's of the same signature" hasnt through_a.txt 'device->(b|8)  '
check "what came as an argument counts, first" has through_hook.txt 'device->(c|12)  .*write'
check "... and second" has through_hook.txt 'device->(d|16)  .*write'
check "... and nothing else" hasnt through_hook.txt 'device->([abe]|4|8|20)  '
check "what cannot be followed is left to points-to" has through_loose.txt 'device->(e|20)  .*write'

deadheat scan -q --store "$tmp/store" --cache "$tmp/cache" --kernel --top 0 "$here/pointers.c" >all 2>err
check "the step says the field" grep -q 'field struct hook.call' all
check "the assumption is listed" grep -q 'function pointers are followed by struct field' all

# A ring of functions, each calling the next with the next of a list: one component of 48 with names that grow each round.
ring() { # file, statement of the last function
	{
		echo "struct node { int lock, n; struct node *next; }; static int lock, x, y;"
		echo 'void _raw_spin_lock(int *lock); void _raw_spin_unlock(int *lock);'
		i=0
		while [ $i -lt 48 ]; do
			next=$(((i + 1) % 48))
			[ $next -eq 0 ] || echo "static void f$next(struct node *node);"
			[ $next -eq 0 ] && echo 'void f0(struct node *node);'
			echo "$([ $i -eq 0 ] || echo static) void f$i(struct node *node) { _raw_spin_lock(&lock); x++; _raw_spin_unlock(&lock);"
			[ $i -eq 47 ] && echo "$2"
			echo " if (node->next) { _raw_spin_lock(&node->next->lock); node->next->n++; _raw_spin_unlock(&node->next->lock); f$next(node->next); } }"
			i=$((i + 1))
		done
	} >"$1"
}
ring racy.c 'y++;'
ring clean.c '_raw_spin_lock(&lock); y++; _raw_spin_unlock(&lock);'
for name in racy clean; do
	deadheat scan -q --store "$tmp/$name.store" --kernel --top 0 "$name.c" >"$name.out" 2>"$name.err"
done
check "a large recursion: the unlocked write is claimed" sh -c 'grep -q "claimed pair: f47 / f47 on y" racy.out'
check "... what is locked in each round is not" sh -c 'grep -q "^verdict" racy.out && ! grep "claimed pair" racy.out | grep -q "on x$"'
check "... and its locked twin is silent" sh -c 'grep -q "^verdict" clean.out && ! grep "claimed pair" clean.out | grep -q "on [xy]\$"'
check "... it came to rest" sh -c '! grep -q "come to rest" racy.out'

# A hash function: each value is used twice by the next, so that whoever follows all ways never ends.
{
	echo 'unsigned long state; void mix(unsigned long a, unsigned long b) {'
	i=0
	while [ $i -lt 60 ]; do
		echo 'a = a + b; b = b ^ a;'
		i=$((i + 1))
	done
	echo 'state = a + b; }'
} >hash.c
timeout 60 deadheat scan -q --store "$tmp/hash.store" --kernel --top 0 hash.c >hash.out 2>hash.err
check "values used over and over are looked at once" grep -q 'claimed pair: mix / mix on state' hash.out

# A class that holds too much for each with each (1600 writes, 3280 accesses): field by field, by several workers, with the same result.
{
	echo 'struct all { int w0, w1, w2, w3, r0, r1, r2, r3, locked, rare; }; struct all *all; static int lock;'
	echo 'void _raw_spin_lock(int *lock); void _raw_spin_unlock(int *lock);'
	i=0
	while [ $i -lt 400 ]; do
		echo "int f$i(void) { all->w0 = $i; all->w1 = $i; all->w2 = $i; all->w3 = $i; return all->r0 + all->r1 + all->r2 + all->r3; }"
		[ $i -lt 40 ] && echo "void g$i(void) { _raw_spin_lock(&lock); all->locked++; _raw_spin_unlock(&lock); }"
		[ $i -lt 80 ] && echo "int single$i; void h$i(void) { single$i = 1; }"
		i=$((i + 1))
	done
	echo 'int rare_reader(void) { return all->rare; } void rare_writer(void) { all->rare = 1; }'
} >many.c
for jobs in 1 2; do
	deadheat scan -q -j $jobs --store "$tmp/many$jobs.store" --cache "$tmp/cache" --kernel --top 0 many.c >many$jobs.out 2>many$jobs.err
done
check "a class of too many pairs is compared by field" grep -q 'only those to one field of one struct are compared' many1.out
check "... no part of it is left out" sh -c 'grep -q "^verdict" many1.out && ! grep -q "the rest is left out" many1.out'
check "... the one pair of a field is found" grep -q 'claimed pair: rare_.* on all->rare' many1.out
check "... and some of a field that all write" grep -q 'on all->w[0-3]$' many1.out
check "... what is only read is not, nor what is locked" sh -c '! grep "claimed pair" many1.out | grep -qE "on all->(r0|locked)\$"'
check "... others come as before" grep -q 'claimed pair: h79 / h79 on single79' many1.out
check "two workers find what one finds" cmp many1.out many2.out
done_testing
