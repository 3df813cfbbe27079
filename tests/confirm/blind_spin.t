# A loop over plain memory passes no scheduling point of a trial that is aimed elsewhere. The
# wall clock ends that trial; that is no harm of the race, and later trials see the loop.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cat >spin.c <<'C'
#include <pthread.h>
int x, done;
static void *f(void *p) { x = 1; __atomic_store_n(&done, 1, __ATOMIC_SEQ_CST); return p; }
static void *g(void *p) { x = 2; return p; }
static void *h(void *p) { while (!done) ; return p; }
int main(void)
{
	pthread_t t[3];
	void *(*work[])(void *) = { f, g, h };

	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work[i], 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	return 0;
}
C
deadheat-cc -O0 -pthread -o spin spin.c || exit 1
deadheat hunt --quiet --timeout 2s --trials 40 -- ./spin >out 2>&1
check_output "the pair beside the loop is confirmed" "confirmed  data race: f / g on x" deadheat list
check_output "the loop's own pair is confirmed" "confirmed  data race: f / h on done" deadheat list
check_fails "nothing is called harmful" sh -c 'deadheat list | grep harmful'
done_testing
