/*
 * hashset: a hash set behind a synchronising wrapper, after Collections.synchronizedSet(HashSet)
 * of JDK 1.4.2: contains_all() walks the buckets of the other set without its lock.
 *
 * expect: M A      modification count looked at against an element added
 * expect: M R      ... against all removed
 * expect: B I      bucket read against an element put in
 * expect: B E      bucket read against the bucket emptied
 * harm: M R        concurrent modification: abort
 */
#include "driver.h"

enum { BUCKETS = 4 };
struct entry { int value; struct entry *next; };
struct collection {
	pthread_mutex_t lock;
	struct entry *bucket[BUCKETS];
	int modified;
};

static struct collection *collection_new(void)
{
	struct collection *c = calloc(1, sizeof(*c));

	pthread_mutex_init(&c->lock, NULL);
	return c;
}

static int holds(struct collection *c, int value)
{
	for (struct entry *e = c->bucket[value % BUCKETS]; e; e = e->next)
		if (e->value == value)
			return 1;
	return 0;
}

static void collection_add(struct collection *c, int value)
{
	struct entry *entry = malloc(sizeof(*entry));

	pthread_mutex_lock(&c->lock);
	if (!holds(c, value)) {
		*entry = (struct entry){ value, c->bucket[value % BUCKETS] };
		c->bucket[value % BUCKETS] = entry; /* @I */
		c->modified++; /* @A */
	}
	pthread_mutex_unlock(&c->lock);
}

static int contains(struct collection *c, int value)
{
	pthread_mutex_lock(&c->lock);
	int found = holds(c, value);
	pthread_mutex_unlock(&c->lock);
	return found;
}

static int collection_contains_all(struct collection *c, struct collection *other)
{
	int all = 1;

	pthread_mutex_lock(&other->lock);
	int modified = other->modified;
	pthread_mutex_unlock(&other->lock);
	for (int i = 0; i < BUCKETS; i++) {
		struct entry *e = other->bucket[i]; /* @B */

		for (; e; e = e->next) {
			if (other->modified != modified) /* @M */
				concurrent_modification();
			all &= contains(c, e->value);
		}
	}
	return all;
}

static void collection_remove_all(struct collection *c)
{
	pthread_mutex_lock(&c->lock);
	for (int i = 0; i < BUCKETS; i++)
		c->bucket[i] = NULL; /* @E */
	c->modified++; /* @R */
	pthread_mutex_unlock(&c->lock);
}
