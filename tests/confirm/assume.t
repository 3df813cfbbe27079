# A failed assumption ends a trial quietly, also where the compiler inlined it.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
for inline in 'static inline __attribute__((always_inline))' '__attribute__((noinline))'; do
	cat >assume.c <<C
#include <pthread.h>
#include <stdlib.h>
int x;
$inline void assume_abort_if_not(int c) { if (!c) abort(); }
static void *f(void *p) { x = 1; return p; }
static void *g(void *p) { assume_abort_if_not(x == 0); return p; }
int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, f, 0);
	pthread_create(&b, 0, g, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
C
	rm -rf .deadheat
	deadheat-cc -g -pthread -o assume assume.c || exit 1
	check_status "the pair is a race ($inline)" 66 deadheat confirm --quiet assume.c:5,assume.c:6 -- ./assume
	check_output "... and does no harm" "confirmed  data race" deadheat list
	check_status "no schedule fails" 0 deadheat fuzz --quiet --trials 40 -- ./assume
done
sed 's/assume_abort_if_not/check/g' assume.c >check.c
deadheat-cc -g -pthread -o check check.c || exit 1
deadheat confirm --quiet check.c:5,check.c:6 -- ./check >/dev/null
check_output "the same under another name is harm" "harmful    data race" deadheat list
done_testing
