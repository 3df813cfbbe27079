/*
 * cache: an object cache with a cleaner thread, after cache4j.
 *
 * The cleaner says in `sleeping` that it waits, so that a full cache can wake it before its time.
 * What is wrong, as in cache4j: `sleeping` is set before the cleaner is ready to be woken and
 * outside the lock. Whoever fills the cache in between interrupts a cleaner that does not
 * sleep yet; the interruption then hits it where it does not expect one.
 *
 * expect: S T     the flag set against the flag tested
 * expect: C T     the flag cleared against the flag tested
 * harm: S T       "interrupted while awake": abort
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 8, FULL = 4 };
static struct { int key, value, used; } slot[SLOTS];
static int filled;
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

static int sleeping, interrupted;
static int in_try;              /* the cleaner's own: between try and catch */
static pthread_mutex_t wake_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int rounds = 2;

/* As Thread.interrupt(): whoever is not sleeping gets it at its next blocking call. */
static void interrupt_cleaner(void)
{
	pthread_mutex_lock(&wake_lock);
	interrupted = 1;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&wake_lock);
}

/* Every blocking call of the cleaner: an interruption outside try is nobody's. */
static void check_interruption(void)
{
	pthread_mutex_lock(&wake_lock);
	int hit = interrupted;
	pthread_mutex_unlock(&wake_lock);
	if (hit && !in_try) {
		fputs("cleaner: interrupted while awake\n", stderr);
		abort();
	}
}

static void clean(void)
{
	pthread_mutex_lock(&cache_lock);
	for (int i = 0; i < SLOTS; i++)
		slot[i].used = 0;
	filled = 0;
	pthread_mutex_unlock(&cache_lock);
}

static void *cleaner(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		sleeping = 1; /* @S */ /* too early, without the lock */
		check_interruption();
		in_try = 1;
		pthread_mutex_lock(&wake_lock);
		interrupted = 0;
		pthread_mutex_unlock(&wake_lock);
		in_try = 0;
		sleeping = 0; /* @C */
		clean();
	}
	return arg;
}

static void put(int key, int value)
{
	pthread_mutex_lock(&cache_lock);
	for (int i = 0; i < SLOTS; i++)
		if (!slot[(key + i) % SLOTS].used) {
			slot[(key + i) % SLOTS].key = key;
			slot[(key + i) % SLOTS].value = value;
			slot[(key + i) % SLOTS].used = 1;
			filled++;
			break;
		}
	if (filled >= FULL && sleeping) /* @T */
		interrupt_cleaner();
	pthread_mutex_unlock(&cache_lock);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	rounds = argc > 1 ? atoi(argv[1]) : rounds;
	pthread_create(&thread, NULL, cleaner, NULL);
	for (int i = 0; i < 3 * rounds; i++)
		put(i, i * i);
	pthread_join(thread, NULL);
	puts("done");
	return 0;
}
