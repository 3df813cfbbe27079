/*
 * guest - what the program on the wire sees of itself: the environment that is left, whether
 * any text stays writable, and sums over sites that are patched while threads run through them.
 *
 *   guest environment | text | threads N | abort | signals | library FILE
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

struct work {
	long a, b, c[3];
	char odd;
};

/* Many small functions at all alignments: calls that lie in one cache line and across two. */
#define SITE(n) \
	__attribute__((noinline)) static void site_##n(struct work *w) \
	{ \
		__asm__ volatile(".skip " #n " % 17 + 1, 0x90"); \
		w->a += w->b + n; \
		w->c[n % 3] ^= w->a; \
		w->odd++; \
	}
#define TEN(X, d) X(d##0) X(d##1) X(d##2) X(d##3) X(d##4) X(d##5) X(d##6) X(d##7) X(d##8) X(d##9)
#define ALL(X) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6) TEN(X, 7) TEN(X, 8) TEN(X, 9)
ALL(SITE)

static atomic_int waiting;
static int together;

static long pass(struct work *w, int rounds)
{
	for (int i = 0; i < rounds; i++) {
#define CALL(n) site_##n(w);
		ALL(CALL)
	}
	return w->a ^ w->c[0] ^ w->c[1] ^ w->c[2] ^ w->odd;
}

/* All threads start at once, so that all meet unpatched sites. */
static void *run(void *result)
{
	struct work w = { .b = 3 };

	atomic_fetch_add(&waiting, 1);
	while (atomic_load(&waiting) < together)
		;
	*(long *)result = pass(&w, 50);
	return NULL;
}

static int threads(int count)
{
	pthread_t thread[64];
	long result[64];

	together = count;
	for (int i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, run, &result[i]);
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	for (int i = 1; i < count; i++)
		if (result[i] != result[0])
			return puts("different"), 1;
	printf("%ld\n", result[0]);
	return 0;
}

static int text(void)
{
	struct work w = { .b = 3 };
	FILE *maps;
	char line[512];

	printf("%ld\n", pass(&w, 20));
	maps = fopen("/proc/self/maps", "r");
	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "rwxp"))
			return puts("writable text"), 1;
	return 0;
}

static volatile sig_atomic_t ticks;
static void tick(int number)
{
	static struct work w;

	pass(&w, 1);
	ticks++;
}

static void *idle(void *nothing)
{
	return nothing;
}

/* Handlers interrupt the runtime while it patches; nothing may wait for itself. */
static int signals(void)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	struct work w = { .b = 3 };
	pthread_t other;

	pthread_create(&other, NULL, idle, NULL);
	signal(SIGPROF, tick);
	setitimer(ITIMER_PROF, &often, NULL);
	while (ticks < 20)
		pass(&w, 1);
	setitimer(ITIMER_PROF, &never, NULL);
	puts("survived");
	return 0;
}

static long from_library(const char *file)
{
	void *library = dlopen(file, RTLD_NOW);
	long (*work)(int) = library ? (long (*)(int))dlsym(library, "work") : NULL;
	long result = work ? work(50) : -1;

	if (library)
		dlclose(library);
	return result;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "environment")) {
		printf("wire %s\npath %s\n", getenv("DEADHEAT_WIRE") ? "still there" : "gone",
		       getenv("LD_LIBRARY_PATH") ? getenv("LD_LIBRARY_PATH") : "gone");
		return 0;
	}
	if (!strcmp(what, "threads"))
		return threads(atoi(argv[2]));
	if (!strcmp(what, "signals"))
		return signals();
	if (!strcmp(what, "library"))
		return puts(from_library(argv[2]) == from_library(argv[2]) ? "same" : "different") < 0;
	if (!strcmp(what, "abort"))
		abort();
	return text();
}
