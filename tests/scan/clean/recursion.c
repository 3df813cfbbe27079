/* A walk over a tree, under a lock from start to end.
 * never: A A */
#include <pthread.h>

struct tree {
	struct tree *left, *right;
	int visits;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tree leaf, root = { .left = &leaf };

static void walk(struct tree *t)
{
	if (!t)
		return;
	t->visits++; /* @A */
	walk(t->left);
	walk(t->right);
}

static void *visitor(void *arg)
{
	pthread_mutex_lock(&lock);
	walk(&root);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, visitor, NULL);
	pthread_create(&b, NULL, visitor, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return leaf.visits != 2;
}
