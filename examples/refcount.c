/*
 * A connection shared by two threads, with a reference count.
 *
 * What is wrong: put() decrements under the lock but looks at the count again after it
 * has let the lock go. Both threads can then see 0 and both tear the connection down.
 * deadheat shows: the read in put() against the write in put(), confirmed; harmful: the
 * second closing aborts.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct connection {
	pthread_mutex_t lock;
	int references;
	int open;
};

static void connection_close(struct connection *c)
{
	if (!c->open) {
		fputs("connection closed twice\n", stderr);
		abort();
	}
	c->open = 0;
}

static void put(struct connection *c)
{
	pthread_mutex_lock(&c->lock);
	c->references--;
	pthread_mutex_unlock(&c->lock);
	if (c->references == 0) /* wrong: the count of another moment */
		connection_close(c);
}

static void *worker(void *arg)
{
	put(arg);
	return NULL;
}

int main(void)
{
	static struct connection c = { PTHREAD_MUTEX_INITIALIZER, 2, 1 };
	pthread_t a, b;

	pthread_create(&a, NULL, worker, &c);
	pthread_create(&b, NULL, worker, &c);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
