/*
 * vector: a synchronised growing array whose size is also asked for without the lock, after
 * Vector of JDK 1.1. A stale size is all that comes of it: contains_all() locks for each element
 * and treats one that is gone as absent.
 *
 * expect: S A      size read against an element added
 * expect: S R      size read against all removed
 */
#include "driver.h"

struct collection {
	pthread_mutex_t lock;
	int *element;
	int size, room;
};

static struct collection *collection_new(void)
{
	struct collection *c = calloc(1, sizeof(*c));

	pthread_mutex_init(&c->lock, NULL);
	return c;
}

static void collection_add(struct collection *c, int value)
{
	pthread_mutex_lock(&c->lock);
	if (c->size == c->room)
		c->element = realloc(c->element, sizeof(int) * (size_t)(c->room += 8));
	c->element[c->size] = value;
	c->size++; /* @A */
	pthread_mutex_unlock(&c->lock);
}

static int size_of(struct collection *c)
{
	return c->size; /* @S */ /* Vector.size() of 1.1 was not synchronized */
}

static int element_at(struct collection *c, int i, int *value)
{
	pthread_mutex_lock(&c->lock);
	int there = i < c->size;
	if (there)
		*value = c->element[i];
	pthread_mutex_unlock(&c->lock);
	return there;
}

static int contains(struct collection *c, int value)
{
	int found = 0, other;

	for (int i = 0; element_at(c, i, &other); i++)
		found |= other == value;
	return found;
}

static int collection_contains_all(struct collection *c, struct collection *other)
{
	int all = 1, value;

	for (int i = 0; i < size_of(other); i++)
		all &= element_at(other, i, &value) && contains(c, value);
	return all;
}

static void collection_remove_all(struct collection *c)
{
	pthread_mutex_lock(&c->lock);
	c->size = 0; /* @R */
	pthread_mutex_unlock(&c->lock);
}
