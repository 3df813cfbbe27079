# What detect says of a finding: functions (inlined too), lines, variables, locks, threads, memory. (By seed: which of the pairs a run as it comes shows depends on the load.)
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cat >n.c <<'X'
#include <pthread.h>
#include <stdlib.h>
struct table { int len; pthread_mutex_t lock; } table = { 0, PTHREAD_MUTEX_INITIALIZER };
pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
struct node { pthread_mutex_t m; int value; } *node;
static inline __attribute__((always_inline)) void bump(int *p) { *p += 1; }
static void *work(void *x)
{
	pthread_mutex_lock(&table.lock);
	bump(&table.len);
	pthread_mutex_unlock(&table.lock);
	pthread_mutex_lock(&node->m);
	node->value++;
	pthread_mutex_unlock(&node->m);
	return x;
}
int main(void)
{
	pthread_t t;

	node = calloc(1, sizeof(*node));
	pthread_create(&t, 0, work, 0);
	pthread_mutex_lock(&other);
	bump(&table.len);
	node->value++;
	pthread_mutex_unlock(&other);
	pthread_join(t, 0);
	return 0;
}
X
for with in gcc clang; do
	deadheat-cc --with $with n.c -o n && deadheat detect --schedule random --runs 20 --store $with ./n >list 2>err
	deadheat report --store $with >report
	says() { check_output "$with: $1" "$2" cat report; }
	says "inlined function and global with member" "suspected pair: bump / bump on table.len"
	says "the caller it was inlined into" "#1 main n.c:24"
	says "line and column" "write of 4 bytes in work at n.c:13:"
	says "the lock by its variable" "holds table.lock"
	says "a lock on the heap by where it was taken" "(first taken at n.c:12 in work)"
	says "the thread by where it was created" "by T1, created at n.c:22 in main"
	says "the main thread" "by main thread"
	says "where the memory came from" "heap block of 56 bytes from n.c:21 in main"
	check "$with: those five pairs and no more" sh -c "[ \$(grep -c . list) = 5 ]"
	check "$with: no frame of ours" sh -c "! grep -q libdeadheat_rt report"
	awk '{print $1}' list | sort >ids-$with
done
check "the ids are the same for both compilers" cmp ids-gcc ids-clang
sed -e 's/^static void \*work/\n\n\n&/' n.c >moved.c && mv moved.c n.c
deadheat-cc n.c -o n && deadheat detect --schedule random --runs 20 --store moved ./n >list 2>/dev/null
awk '{print $1}' list | sort >ids-moved
check "the ids survive lines moved above" cmp ids-gcc ids-moved

cat >dead.c <<'X'
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t both;
static void *second(void *x)
{
	pthread_mutex_lock(&b);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&a);
	return x;
}
int main(void)
{
	pthread_t t;

	pthread_barrier_init(&both, 0, 2);
	pthread_create(&t, 0, second, 0);
	pthread_mutex_lock(&a);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&b);
	return 0;
}
X
deadheat-cc dead.c -o dead
check_output "a program that deadlocks is ended by --timeout" "SIGKILL after 1 run" \
	deadheat detect --runs 1 --timeout 15s --store d1 ./dead
check_output "and its cycle is kept" "suspected deadlock: a / b" deadheat list --store d1
check_output "the locks by their names" "holds b (taken at dead.c:6:2)" deadheat report --store d1
check_output "where it is stuck" "#0 second dead.c:8:2" deadheat report --store d1
check_output "under the scheduler it ends by itself" "the run ended in a deadlock" \
	deadheat detect --runs 1 --schedule random --store d2 ./dead
done_testing
