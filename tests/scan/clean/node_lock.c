/* Every node has a lock for its own value.
 * never: A B */
#include <pthread.h>

struct node {
	pthread_mutex_t lock;
	struct node *next;
	int value;
};
static struct node second = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct node first = { .lock = PTHREAD_MUTEX_INITIALIZER, .next = &second };

static void *bump_all(void *arg)
{
	for (struct node *n = &first; n; n = n->next) {
		pthread_mutex_lock(&n->lock);
		n->value++; /* @A */
		pthread_mutex_unlock(&n->lock);
	}
	return arg;
}

static void *clear_next(void *arg)
{
	struct node *n = &first;

	pthread_mutex_lock(&n->lock);
	n->value = 0; /* @B */
	pthread_mutex_unlock(&n->lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, bump_all, NULL);
	pthread_create(&b, NULL, clear_next, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
