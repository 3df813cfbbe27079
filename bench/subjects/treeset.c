/*
 * treeset: a sorted tree behind a synchronising wrapper, after Collections.synchronizedSet
 * (TreeSet) of JDK 1.4.2: contains_all() goes down the other tree without its lock, and asks for
 * the root twice.
 *
 * expect: T W      root tested against the root replaced (second round)
 * expect: T O      root tested against all removed
 * expect: U W      root used against the root replaced
 * expect: U O      root used against all removed
 * maybe: L P      left child read against an element put there
 * expect: G P      right child likewise
 * harm: U O        the root is gone: a null pointer is followed
 */
#include "driver.h"

struct node { int value; struct node *left, *right; };
struct collection {
	pthread_mutex_t lock;
	struct node *root;
};

static struct collection *collection_new(void)
{
	struct collection *c = calloc(1, sizeof(*c));

	pthread_mutex_init(&c->lock, NULL);
	return c;
}

static void collection_add(struct collection *c, int value)
{
	struct node *node = calloc(1, sizeof(*node)), **at;

	node->value = value;
	pthread_mutex_lock(&c->lock);
	if (!c->root) {
		c->root = node; /* @W */
	} else {
		at = &c->root;
		while (*at)
			at = value < (*at)->value ? &(*at)->left : &(*at)->right;
		*at = node; /* @P */
	}
	pthread_mutex_unlock(&c->lock);
}

static int contains(struct collection *c, int value)
{
	pthread_mutex_lock(&c->lock);
	struct node *n = c->root;
	while (n && n->value != value)
		n = value < n->value ? n->left : n->right;
	pthread_mutex_unlock(&c->lock);
	return n != NULL;
}

static int walk(struct collection *c, struct node *n)
{
	struct node *left, *right;
	int all = contains(c, n->value);

	left = n->left; /* @L */
	right = n->right; /* @G */
	if (left)
		all &= walk(c, left);
	if (right)
		all &= walk(c, right);
	return all;
}

static int collection_contains_all(struct collection *c, struct collection *other)
{
	if (!other->root) /* @T */
		return 1;
	return walk(c, other->root); /* @U */
}

static void collection_remove_all(struct collection *c)
{
	pthread_mutex_lock(&c->lock);
	c->root = NULL; /* @O */
	pthread_mutex_unlock(&c->lock);
}
