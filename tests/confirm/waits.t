# hunt also detects under random schedules when a program is short: by its work, not by the clock,
# which on a busy machine, or while the program sleeps, says nothing.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
program() { # FILE GUARD: the second thread is long over when the first comes to its write
	cat >"$1" <<X
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int late;
static int x;
static void *first(void *p)
{
	usleep(2200000);
	atomic_store_explicit(&late, 1, memory_order_relaxed);
	${2:+pthread_mutex_lock(&m);}
	x = 1;
	${2:+pthread_mutex_unlock(&m);}
	return p;
}
static void *second(void *p)
{
	if (atomic_load_explicit(&late, memory_order_relaxed)) {
		pthread_mutex_lock(&m);
		x = 2;
		pthread_mutex_unlock(&m);
	}
	return p;
}
int main(void)
{
	pthread_t a, b;

	pthread_create(&b, 0, second, 0);
	pthread_create(&a, 0, first, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
X
	deadheat-cc -pthread -o "${1%.c}" "$1" || exit 1
}
program waits.c
program locked.c yes
check_output "a program that waits is short too: its race is found" "data race: first / second on x" deadheat hunt --quiet --store s1 ./waits
check_output "its silent twin" "verdict: clean" deadheat hunt --quiet --store s2 ./locked
done_testing
