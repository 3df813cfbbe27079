# What was there when an access's turn came, and what a write left: of the run that is kept, in
# every format that shows it.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
program() { # FILE READER: one write of 5 over 3 against what the reader does
	cat >"$1" <<X
#include <pthread.h>
#include <stdlib.h>
static short x = 3;
static short seen;
static void *writer(void *p) { x = 5; return p; }
static void *reader(void *p) { $2; return p; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, writer, 0);
	pthread_create(&b, 0, reader, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
X
}
hunt() { deadheat hunt --quiet --schedules 0 --store "$@" >/dev/null 2>&1; }
value() { # STORE KIND: the value of the side of this kind
	deadheat report --format json --store "$1" | grep -oE '"kind": ?"'"$2"'"[^[]*"value": ?("[^"]*"|null)' | sed 's/.*"value": *//; s/"//g' | head -n 1
}

program both.c 'seen = x'
hunt s1 both.c
check "a write: what it found and what it left" [ "$(value s1 write)" = "3 -> 5" ]
# Who went first in the run that is kept decides what the read saw.
deadheat show --store s1 "$(deadheat list --store s1 | cut -d' ' -f1 | head -n 1)" >shown
if [ "$(grep -E ' [ab]: (read|write) ' shown | head -n 1 | grep -c write)" = 1 ]; then wanted=5; else wanted=3; fi
check "a read: what it saw in the run that is kept" [ "$(value s1 read)" = $wanted ]
# "by T2, ..." of each side is the thread that stands there in the schedule drawn.
threads_agree() {
	for side in a b; do
		drawn=$(sed -n "s/^ *\(T[0-9]*\) *stops at $side .*/\1/p" shown | tail -n 1)
		said=$(awk -v side="$side" '$1 == side && / in .* at / { getline; print $2 }' shown | tr -d ,)
		[ -n "$drawn" ] && [ "$drawn" = "$said" ] || { echo "$side: drawn $drawn, said $said"; return 1; }
	done
}
check "the threads named are those of the schedule" threads_agree
check "the text says so" grep -q '^ *value 3 -> 5$' shown
check "and of the read" grep -q "^ *value before: $wanted\$" shown
check_output "html has it" '3 -> 5' deadheat report --format html --store s1
check_output "sarif has it" '3 -> 5' deadheat report --format sarif --store s1
check_output "github has it" '3 -> 5' deadheat report --format github --store s1

program first.c 'if (x == 3) abort()'
hunt s2 first.c
check "the read goes first in the run that does harm" [ "$(value s2 read)" = 3 ]
check "and the write, which never came, left nothing" [ "$(value s2 write)" = 3 ]
program later.c 'if (x == 5) abort()'
hunt s3 later.c
check "the other way round the read sees what was written" [ "$(value s3 read)" = 5 ]
check "and the write has left it" [ "$(value s3 write)" = "3 -> 5" ]

cat >lost.c <<'X'
#include <pthread.h>
static long x = 7;
static void *inc(void *p) { x++; return p; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, inc, 0);
	pthread_create(&b, 0, inc, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return x != 9; /* 8: an increment got lost */
}
X
hunt s4 lost.c
deadheat report --store s4 >shown
check "a lost increment is to be seen: 8 is written over 8" grep -q '^ *value 8 -> 8$' shown
id=$(deadheat list --store s4 | cut -d' ' -f1 | head -n 1)
check "looking at values does not disturb a replay" deadheat replay --quiet --verify --store s4 "$id"

printf '#include <string.h>\n' >wide.c
sed 's/static short x = 3/static char x[16] = "aaaaaaaaaaaaaaa"/; s/static short seen/static char seen[16]/; s/x = 5/memcpy(x, "bbbbbbbbbbbbbbb", 16)/; s/seen = x/memcpy(seen, x, 16)/' both.c >>wide.c
hunt s5 wide.c
check "more than eight bytes have no value" [ "$(value s5 write)" = null ]
done_testing
