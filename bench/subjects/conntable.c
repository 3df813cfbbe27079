/*
 * conntable: connections in a table, each with a reference count, after the servers in RACEZ's
 * study.
 *
 * The table is locked, the counts are not: a lookup takes its reference after the lock was let
 * go, a release decrements and tests in two steps.
 *
 * expect: A A      two lookups take a reference
 * expect: A D      a lookup takes one while a release gives one back
 * expect: D D      two releases give one back
 * expect: A Z      the test for the last one against the others
 * maybe: D Z
 * harm: D D        closed twice, or used after closing: abort
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONNECTIONS = 2, THREADS = 2 };
struct connection { int references; int open; };
static struct connection *table[CONNECTIONS];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds = 1;

static struct connection *lookup(int number)
{
	pthread_mutex_lock(&table_lock);
	struct connection *c = table[number];
	pthread_mutex_unlock(&table_lock);
	if (c)
		c->references++; /* @A */ /* too late */
	return c;
}

static void take_out(struct connection *c)
{
	pthread_mutex_lock(&table_lock);
	if (!c->open) {
		fputs("connection closed twice\n", stderr);
		abort();
	}
	c->open = 0;
	for (int i = 0; i < CONNECTIONS; i++)
		if (table[i] == c)
			table[i] = NULL;
	pthread_mutex_unlock(&table_lock);
}

static void release(struct connection *c)
{
	c->references--; /* @D */
	if (c->references == 0) /* @Z */
		take_out(c);
}

static void *client(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		struct connection *c = lookup(i % CONNECTIONS);

		if (c)
			release(c);
	}
	return arg;
}

int main(int argc, char **argv)
{
	static struct connection connection[CONNECTIONS];
	pthread_t thread[THREADS];

	rounds = argc > 1 ? atoi(argv[1]) : rounds;
	for (int i = 0; i < CONNECTIONS; i++) {
		connection[i].open = 1;
		table[i] = &connection[i];
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, client, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	puts("done");
	return 0;
}
