# trap on unmodified programs: planted races are caught and then confirmed on the same binary, clean
# programs stay silent, nothing is disturbed, nothing stays patched.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
P=$TOP/tests/production/server.c
gcc -O2 -g -pthread -o server "$P" && gcc -O2 -g -pthread -o stress "$TOP/tests/trap/stress.c" || exit 1

# ---- caught -------------------------------------------------------------------------------------
has_all() { # STORE: something of each of the four is caught or higher
	deadheat list --store "$1" 2>/dev/null | grep -E 'caught|confirmed|harmful' >found
	for f in stat_count session_ log_append config_get; do grep -q $f found || return 1; done
}
catch_all() { # runs of 4 s until all four are there; twelve at most
	n=0
	while ! has_all store && [ $n -lt 12 ]; do
		deadheat trap --quiet --budget 50% --seed $n --store store -- ./server --seconds 4 >/dev/null 2>&1
		n=$((n + 1))
	done
	has_all store
}
check "the four planted races are caught" catch_all
deadheat confirm --quiet --trials 60 --store store -- ./server --requests 400 >out 2>&1
confirmed_all() { for f in stat_count session_ log_append config_get; do grep -E 'confirmed|harmful' out | grep -q $f || return 1; done; }
check "and confirmed on the same binary" confirmed_all

# ---- silent ----------------------------------------------------------------------------------------
silent() { # PROGRAM...
	rm -rf quiet; deadheat trap --budget 10% --store quiet -- "$@" >out 2>&1 || { cat out; return 1; }
	cat out; ! deadheat list --store quiet | grep -q caught
}
check "the clean server: nothing is caught" silent ./server --clean --seconds 3
cat >atomics.c <<'X'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
struct box { long pad; atomic_long count; atomic_int flag; };
static struct box *box;
static atomic_bool over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static long queued, taken;
static void *relaxed(void *arg)
{
	while (!atomic_load_explicit(&over, memory_order_relaxed)) {
		atomic_store_explicit(&box->count, atomic_load_explicit(&box->count, memory_order_relaxed) + 1, memory_order_relaxed);
		box->flag ^= 1;
		free(malloc(64));
	}
	return arg;
}
static void *put(void *arg)
{
	while (!over) {
		pthread_mutex_lock(&lock);
		queued++;
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
static void *take(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!over) {
		while (queued == taken && !over)
			pthread_cond_wait(&cond, &lock);
		taken = queued;
	}
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[4];
	box = calloc(1, sizeof(*box));
	pthread_create(&t[0], NULL, relaxed, NULL);
	pthread_create(&t[1], NULL, relaxed, NULL);
	pthread_create(&t[2], NULL, put, NULL);
	pthread_create(&t[3], NULL, take, NULL);
	sleep((unsigned)atoi(argv[1]));
	atomic_store(&over, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
	pthread_join(t[3], NULL);
	return 0;
}
X
gcc -O2 -g -pthread -o atomics atomics.c || exit 1
check "atomics, malloc, conditions: nothing is caught" silent ./atomics 3

# ---- int3s under running threads: the results are exact ---------------------------------------------------
armed() { deadheat report --store stress.store --format json | sed -n 's/.*"traps_armed": \([0-9]*\).*/\1/p'; }
patch_many() { # WANTED: all runs exact, and so many patches in all
	sum=0 n=0
	while [ $sum -lt "$1" ] && [ $n -lt 40 ]; do
		rm -rf stress.store
		deadheat trap --quiet --mode clock --budget 50% --rate 100000 --seed $n --store stress.store -- ./stress ${2:-3} >out 2>&1 ||
			{ cat out; return 1; }
		grep -q 'wrong 0' out && ! grep -Eq 'compute|sort|walk|mix' out || { cat out; return 1; } # each thread has its own memory
		got=$(armed); sum=$((sum + ${got:-0})); n=$((n + 1))
	done
	echo "$sum patches in $n runs"; [ $sum -ge "$1" ]
}
if [ -n "$LONG" ]; then check "100,000 patches, all results exact" patch_many 100000 20
else check "20,000 patches, all results exact" patch_many 20000; fi

# ---- the program's own -------------------------------------------------------------------------------------
cat >own.c <<'X'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char __executable_start, etext;
static volatile int traps;
static volatile long n;
static void on_trap(int sig) { traps++; }
static void *spin(void *arg) { for (int i = 0; i < 3000000; i++) n = n + 1; return arg; }
static int child(void) { spin(NULL); return n > 0 ? 7 : 1; }
int main(int argc, char **argv)
{
	pthread_t t;
	sigset_t all;
	int status;
	if (argc > 1)
		return 5;
	signal(SIGTRAP, on_trap);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_create(&t, NULL, spin, NULL);
	spin(NULL);
	pthread_join(t, NULL);
	if (!fork())
		_exit(child());
	wait(&status);
	if (WEXITSTATUS(status) != 7)
		return 1;
	if (!fork())
		execl("/proc/self/exe", "own", "again", NULL);
	wait(&status);
	if (WEXITSTATUS(status) != 5)
		return 2;
	sigemptyset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	__asm__ volatile("int3");
	return traps == 1 ? 0 : 3;
}
X
gcc -O1 -g -pthread -o own own.c || exit 1
check_output "own traps, masks, fork and exec are as ever" "own: exit 0" deadheat trap --store own.store -- ./own
cat >text.c <<'X'
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile long n;
static int done;
static void *spin(void *arg) { while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) n = n + 1; return arg; }
static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	char *file = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE, open("/proc/self/exe", O_RDONLY), 0);
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			*(int *)data = memcmp(file + info->dlpi_phdr[i].p_offset, (char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
					      info->dlpi_phdr[i].p_filesz) == 0 ? 1 : -1;
	return 1;
}
/* Rare code keeps its trap: never called. */
__attribute__((noinline, used)) static long never(long *p) { return p[1] + p[2]; }
int main(void)
{
	pthread_t t;
	int same = 0, changed = 0;
	pthread_create(&t, NULL, spin, NULL);
	for (int i = 0; i < 600 && !(changed && same == 1); i++) { /* until we were patched, and are no more */
		usleep(100000);
		dl_iterate_phdr(look, &same);
		changed |= same < 0;
	}
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	pthread_join(t, NULL);
	printf("patched %d restored %d\n", changed, same == 1);
	return 0;
}
X
gcc -O1 -g -pthread -o text text.c || exit 1
check_output "when looking is over nothing stays patched" "patched 1 restored 1" \
	deadheat trap --duration 3s --store text.store -- ./text

# A server that gives up its rights cannot open its own memory any more.
sed 's|expected = compute(memory.0.);|&\n\tif (setuid(65534)) return 9;|' "$TOP/tests/trap/stress.c" >drop.c
gcc -O2 -g -pthread -o drop drop.c || exit 1
if [ "$(id -u)" = 0 ]; then
	check_output "a program that gives up its rights" "wrong 0" deadheat trap --budget 30% --rate 100000 --store drop.store -- ./drop 3
fi

# A library that comes and goes: its text is only touched while the process knows it.
cat >plug.c <<'X'
static long v[100];
long f(int i) { v[i % 100]++; return v[(i + 1) % 100]; }
X
cat >dl.c <<'X'
#include <dlfcn.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
	for (int k = 0; k < 200; k++) {
		pthread_mutex_lock(&m);
		void *h = dlopen("./plug.so", RTLD_NOW);
		long (*f)(int) = (long (*)(int))dlsym(h, "f");
		for (int i = 0; i < 20000 * (k % 20 == 0 ? 50 : 1); i++)
			f(i);
		dlclose(h);
		pthread_mutex_unlock(&m);
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
X
gcc -O1 -g -shared -fPIC -o plug.so plug.c && gcc -O1 -g -pthread -o dl dl.c || exit 1
check_output "dlopen and dlclose under traps" "dl: exit 0" deadheat trap --budget 20% --store dl.store -- ./dl

# ---- where it cannot, or can only do less ---------------------------------------------------------------------
strip -o stripped server
deadheat trap --quiet --store stripped.store -- ./stripped --seconds 2 >out 2>&1
check_status "a stripped program runs as ever" 0 grep -q '^served' out
check_output "without watchpoints it says so" "values were compared around stalls instead" \
	deadheat trap --no-watch --store novalues.store -- ./server --seconds 2
echo 'int main(void) { return 0; }' >ok.c; gcc -static -o static ok.c
check_output "static" "statically linked" deadheat trap -- ./static
check_status "static: status 3" 3 deadheat trap -- ./static
check_output "no program" "which program?" deadheat trap
check_output "a budget out of range" "from 0.1% to 50%" deadheat trap --budget 90% -- ./server
done_testing
