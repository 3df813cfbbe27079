/*
 * server - a small key-value server with its load built in, and four planted races.
 *
 *     server [--threads 4] [--seconds 10 | --requests 1000000] [--races counter,refcount,log,lazy]
 *            [--cold 10000] [--clean]
 *
 * Each thread serves requests of its own connections from a table under striped locks: that
 * part is right. The planted ones, each in one function of its own:
 *
 *     counter    stat_count            requests_served++
 *     refcount   session_get / put     session->references++ and --
 *     log        log_append            text and position of one buffer
 *     lazy       config_get            created at first use, and again after each reload
 *
 * Hot: at every request. --cold N: at one request in N, of each thread. --clean: the same
 * under a lock (or with an atomic): must stay silent. It prints "served N sum S"; the sum is of what is right.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEYS 4096
#define STRIPES 64
#define LOG_SIZE 4096
#define NOINLINE __attribute__((noinline))

enum { RACE_COUNTER = 1, RACE_REFCOUNT = 2, RACE_LOG = 4, RACE_LAZY = 8 };

static int threads = 4;
static double seconds;
static long requests = 200000;
static int races = 15;
static long cold = 1;
static bool clean;
static atomic_bool over;
static pthread_mutex_t planted_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- what is right --------------------------------------------------------------- */

struct entry {
	char *value;
	unsigned size;
};
static struct entry table[KEYS];
static pthread_mutex_t stripes[STRIPES];

static void table_set(unsigned key, const char *value, unsigned size)
{
	pthread_mutex_t *lock = &stripes[key % STRIPES];
	char *copy = malloc(size), *old;

	memcpy(copy, value, size);
	pthread_mutex_lock(lock);
	old = table[key].value;
	table[key].value = copy;
	table[key].size = size;
	pthread_mutex_unlock(lock);
	free(old);
}

static unsigned long table_get(unsigned key)
{
	pthread_mutex_t *lock = &stripes[key % STRIPES];
	unsigned long sum = 0;

	pthread_mutex_lock(lock);
	for (unsigned i = 0; i < table[key].size; i++)
		sum = sum * 31 + (unsigned char)table[key].value[i];
	pthread_mutex_unlock(lock);
	return sum;
}

/* ---- what is planted ----------------------------------------------------------------- */

static void planted_begin(void)
{
	if (clean)
		pthread_mutex_lock(&planted_lock);
}

static void planted_end(void)
{
	if (clean)
		pthread_mutex_unlock(&planted_lock);
}

static unsigned long requests_served;

static NOINLINE void stat_count(void)
{
	planted_begin();
	requests_served++;
	planted_end();
}

struct session {
	long references;
	long uses;
};
static struct session *session;

static NOINLINE struct session *session_get(void)
{
	planted_begin();
	session->references++;
	planted_end();
	return session;
}

static NOINLINE void session_put(struct session *s)
{
	planted_begin();
	s->references--;
	planted_end();
}

static struct {
	char text[LOG_SIZE];
	unsigned position;
} events;

static NOINLINE void log_append(unsigned key, char kind)
{
	unsigned at;

	planted_begin();
	at = events.position;
	events.text[at % LOG_SIZE] = kind;
	events.text[(at + 1) % LOG_SIZE] = (char)('a' + key % 26);
	events.position = at + 2;
	planted_end();
}

struct config {
	unsigned limit;
	unsigned uses;
};
static struct config *config;

/* Never freed: the race is on the pointer and what it points to, the harm a lost object. */
static NOINLINE unsigned config_get(bool reload)
{
	struct config *made;
	unsigned limit;

	planted_begin();
	if (reload || !config) {
		made = malloc(sizeof(*made));
		made->uses = 0;
		made->limit = 64;
		config = made;
	}
	limit = config->limit;
	planted_end();
	return limit;
}

static void planted(unsigned key, long n)
{
	if (races & RACE_COUNTER)
		stat_count();
	if (races & RACE_REFCOUNT)
		session_put(session_get());
	if (races & RACE_LOG)
		log_append(key, 'g');
	if (races & RACE_LAZY && config_get(n % 1000 == 0) != 64)
		abort();
}

/* ---- load ---------------------------------------------------------------------------------- */

static unsigned next(unsigned *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

struct worker {
	pthread_t thread;
	unsigned number;
	unsigned long sum;
	long served;
};

static void *serve(void *argument)
{
	struct worker *worker = argument;
	unsigned state = 2463534242u + worker->number * 7919u;
	unsigned long sum = 0;
	long n;

	for (n = 0; seconds > 0 ? !atomic_load_explicit(&over, memory_order_relaxed) : n < requests / threads; n++) {
		unsigned key = next(&state) % KEYS;
		char value[32];

		if (key % 8 == 0) {
			unsigned size = (unsigned)snprintf(value, sizeof(value), "value %u", key);

			table_set(key, value, size);
		} else {
			sum += table_get(key) != 0;
		}
		if ((n + 1) % cold == 0)
			planted(key, (n + 1) / cold);
	}
	worker->sum = sum;
	worker->served = n;
	return NULL;
}

static int parse_races(const char *text)
{
	static const char *const names[] = { "counter", "refcount", "log", "lazy" };
	int set = 0;

	for (int i = 0; i < 4; i++)
		if (strstr(text, names[i]))
			set |= 1 << i;
	return set;
}

static void parse(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (!strcmp(argv[i], "--clean")) {
			clean = true;
			continue;
		}
		if (!strcmp(argv[i], "--threads"))
			threads = atoi(value);
		else if (!strcmp(argv[i], "--seconds"))
			seconds = atof(value);
		else if (!strcmp(argv[i], "--requests"))
			requests = atol(value);
		else if (!strcmp(argv[i], "--races"))
			races = parse_races(value);
		else if (!strcmp(argv[i], "--cold"))
			cold = atol(value);
		else {
			fprintf(stderr, "server: unknown option %s\n", argv[i]);
			exit(2);
		}
		i++;
	}
}

int main(int argc, char **argv)
{
	struct worker workers[64] = { 0 };
	unsigned long sum = 0;
	long served = 0;

	parse(argc, argv);
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&stripes[i], NULL);
	for (unsigned i = 0; i < KEYS; i++)
		table_set(i, "start", 5);
	session = calloc(1, sizeof(*session));
	for (int i = 0; i < threads && i < 64; i++) {
		workers[i].number = (unsigned)i;
		if (pthread_create(&workers[i].thread, NULL, serve, &workers[i]))
			return perror("server: pthread_create"), 1;
	}
	if (seconds > 0) {
		struct timespec length = { (time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9) };

		nanosleep(&length, NULL);
		atomic_store(&over, true);
	}
	for (int i = 0; i < threads && i < 64; i++) {
		pthread_join(workers[i].thread, NULL);
		sum += workers[i].sum;
		served += workers[i].served;
	}
	printf("served %ld sum %lu\n", served, sum);
	return 0;
}
