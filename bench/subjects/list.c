/*
 * list: a linked list behind a synchronising wrapper, after Collections.synchronizedList of
 * JDK 1.4.2. What is wrong: contains_all() makes an iterator of the other list under that list's
 * lock and then walks it without (the paper's containsAll / removeAll bug).
 *
 * expect: M A      modification count looked at against an element added
 * expect: M R      ... against all removed
 * expect: Z C      whether there is more, against the element counted
 * expect: Z O      whether there is more, against all removed
 * harm: M R        concurrent modification: abort
 */
#include "driver.h"

struct node { int value; struct node *next; };
struct collection {
	pthread_mutex_t lock;
	struct node *head;
	int size, modified;
};
struct iterator { struct collection *of; struct node *at; int index, modified; };

static struct collection *collection_new(void)
{
	struct collection *c = calloc(1, sizeof(*c));

	pthread_mutex_init(&c->lock, NULL);
	return c;
}

static void collection_add(struct collection *c, int value)
{
	struct node *node = malloc(sizeof(*node));

	pthread_mutex_lock(&c->lock);
	*node = (struct node){ value, c->head };
	c->head = node;
	c->size++; /* @C */
	c->modified++; /* @A */
	pthread_mutex_unlock(&c->lock);
}

static struct iterator iterate(struct collection *c)
{
	pthread_mutex_lock(&c->lock);
	struct iterator it = { c, c->head, 0, c->modified };
	pthread_mutex_unlock(&c->lock);
	return it;
}

static int has_next(struct iterator *it)
{
	return it->index < it->of->size; /* @Z */
}

static int next(struct iterator *it)
{
	int value;

	if (it->of->modified != it->modified) /* @M */
		concurrent_modification();
	value = it->at->value;
	it->at = it->at->next;
	it->index++;
	return value;
}

static int contains(struct collection *c, int value)
{
	int found = 0;

	pthread_mutex_lock(&c->lock);
	for (struct node *n = c->head; n; n = n->next)
		found |= n->value == value;
	pthread_mutex_unlock(&c->lock);
	return found;
}

static int collection_contains_all(struct collection *c, struct collection *other)
{
	struct iterator it = iterate(other);
	int all = 1;

	while (has_next(&it))
		all &= contains(c, next(&it));
	return all;
}

/* Nodes are left to the collector, as in Java. */
static void collection_remove_all(struct collection *c)
{
	pthread_mutex_lock(&c->lock);
	c->head = NULL;
	c->size = 0; /* @O */
	c->modified++; /* @R */
	pthread_mutex_unlock(&c->lock);
}
