/* The wrapper puts what it allocates where it is told: into two fields of one structure. */
#include <pthread.h>
#include <stdlib.h>

static struct {
	char *left, *right;
} all;

static void make(char **where, size_t size)
{
	*where = malloc(size);
	if (!*where)
		abort();
	**where = 0;
}

static void make_one(char **where)
{
	make(where, 1);
}

static void *first(void *arg)
{
	*all.left = 1;
	return arg;
}

static void *second(void *arg)
{
	*all.right = 1;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	make_one(&all.left);
	make_one(&all.right);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return *all.left + *all.right != 2;
}
