/* A list with a lock in its head; the length is asked without it.
 * expect: A B */
#include <pthread.h>
#include <stdlib.h>

struct item {
	struct item *next;
};
struct list {
	pthread_mutex_t lock;
	struct item *first;
	int length;
};
static struct list list = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void list_push(struct list *l, struct item *item)
{
	pthread_mutex_lock(&l->lock);
	item->next = l->first;
	l->first = item;
	l->length++; /* @A */
	pthread_mutex_unlock(&l->lock);
}

static int list_length(struct list *l)
{
	int length;

	length = l->length; /* @B */
	return length;
}

static void *push(void *arg)
{
	struct item *item = malloc(sizeof(*item));

	if (item)
		list_push(&list, item);
	return arg;
}

static void *measure(void *arg)
{
	return list_length(&list) ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, push, NULL);
	pthread_create(&b, NULL, measure, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
