# Who is held back before his access waits no longer than it can help: a read() of the pair goes on once it has its
# turn (announced again it was held again, until the step limit), and threads that sleep all the time do not keep the
# others from being let go. Measured in steps: a trial that takes more is a hang.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1

# A buffer is filled by read() and handed over under a lock: the hybrid rule suspects it, no schedule shows it.
# MEET: without waiting for the hand-over, they meet.
cat >reads.c <<'C'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], full, sum;
static char buffer[64];
static void *fill(void *p)
{
	for (int i = 0; i < 5; i++) {
		int busy = 1;

		while (busy) {
			pthread_mutex_lock(&m);
			busy = full && !MEET;
			pthread_mutex_unlock(&m);
			if (busy) usleep(1000);
		}
		if (read(ends[0], buffer, 4) != 4) return 0;
		pthread_mutex_lock(&m);
		full = 1;
		pthread_mutex_unlock(&m);
	}
	return p;
}
static void *use(void *p)
{
	for (int i = 0; i < 5; i++) {
		int ready = 0;

		while (!ready) {
			pthread_mutex_lock(&m);
			ready = full || MEET;
			pthread_mutex_unlock(&m);
			if (!ready) usleep(1000);
		}
		sum += buffer[0];
		pthread_mutex_lock(&m);
		full = 0;
		pthread_mutex_unlock(&m);
	}
	return p;
}
int main(void)
{
	pthread_t a, b;

	if (pipe(ends) || write(ends[1], "12345678901234567890", 20) != 20) return 1;
	pthread_create(&a, 0, fill, 0);
	pthread_create(&b, 0, use, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
C

# Two workers take turns (the same hand-over); a third thread looks around every millisecond, 400 lock operations each time.
# MEET: what it looks at, the workers write.
cat >naps.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over;
static int turn, x, seen;
static void *worker(void *p)
{
	int me = p != 0;

	for (int i = 0; i < 20; i++) {
		int mine = 0;

		while (!mine) {
			pthread_mutex_lock(&m);
			mine = turn == me;
			pthread_mutex_unlock(&m);
			if (!mine) usleep(1000);
		}
		x = i;
		pthread_mutex_lock(&m);
		turn = !me;
		pthread_mutex_unlock(&m);
	}
	return p;
}
static void *watcher(void *p)
{
	while (!over) {
		if (MEET) seen = x;
		usleep(1000);
		for (int i = 0; i < 200; i++) {
			pthread_mutex_lock(&other);
			pthread_mutex_unlock(&other);
		}
	}
	return p;
}
int main(void)
{
	pthread_t a, b, c;

	pthread_create(&c, 0, watcher, 0);
	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, worker, &turn);
	pthread_join(a, 0);
	pthread_join(b, 0);
	over = 1;
	pthread_join(c, 0);
	return seen == -1;
}
C
for name in reads naps; do
	deadheat-cc -g -pthread -DMEET=0 -o "$name" "$name.c" && deadheat-cc -g -pthread -DMEET=1 -o "$name-meet" "$name.c" || exit 1
done

tried() { # STEPS PROGRAM SITE SITE: the pair tried ten times; its list line is in $tmp/line, what came of it in $tmp/show
	deadheat detect -q --schedule random --runs 5 --store "$2.store" -- "./$2" >/dev/null 2>&1
	id=$(deadheat list --store "$2.store" | sed -n -E "s/^([0-9a-f]+) +suspected .* ($3 \/ $4|$4 \/ $3) .*/\1/p" | head -n 1)
	[ -n "$id" ] || { echo "no pair $3 / $4 was suspected"; return 1; }
	deadheat confirm -q -x -j 1 -t 10 --no-shrink --steps "$1" --store "$2.store" "$id" -- "./$2" >line 2>&1
	deadheat show --store "$2.store" "$id" >show
}
no_hang() { cat line show; grep -Eq '^ +exit 0 +10 ' show && ! grep -q hang show; }
check "a pair of a read is suspected and tried" tried 5000 reads fill use
check_output "it is never met" "hit in 0 of 10" cat line
check "and no trial is held up by it" no_hang
check "its twin without the hand-over is tried" tried 5000 reads-meet fill use
check_output "and met in every trial" "hit in 10 of 10" cat line
check "and ends" no_hang
check "a pair beside a thread that naps is tried" tried 150000 naps worker worker
check_output "it is never met" "hit in 0 of 10" cat line
check "and no trial waits for 20,000 turns of that thread, 40 times" no_hang
check "the napping thread's own pair is tried" tried 150000 naps-meet worker watcher
check_output "and met in every trial" "hit in 10 of 10" cat line
done_testing
