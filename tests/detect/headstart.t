# In every second run (seed) new threads get a head start: what a thread does only as long as its creator has not
# gone on is seen, too. When it comes to run is up to the machine, so this is tried until it did, a minute at most.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cat >first.c <<'C'
#include <pthread.h>
#include <sched.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int is_open = 1, always, early;
static int look(void) { pthread_mutex_lock(&lock); int seen = is_open; pthread_mutex_unlock(&lock); return seen; }
static void *late(void *p)
{
	if (always)
		return p;
	if (look()) {
		if (early)
			return p;
	}
	return 0;
}
int main(void)
{
	pthread_t a;

	pthread_create(&a, 0, late, 0);
	pthread_mutex_lock(&lock);
	is_open = 0;
	pthread_mutex_unlock(&lock);
	always = 1;
	early = 1;
	pthread_join(a, 0);
	return 0;
}
C
deadheat-cc -g -pthread -o first first.c || exit 1
till_found() {
	end=$(($(date +%s) + 60))
	while [ "$(date +%s)" -lt $end ]; do
		rm -rf st
		deadheat detect --quiet --runs 2 --store st -- ./first >out 2>&1 || return 1
		grep -q "on early" out && return
	done
	cat out
	return 1
}
check "what the thread does before its creator goes on is found" till_found
check_output "beside what it does in any order" "on always" cat out
check_fails "what is locked is not" grep is_open out
done_testing
