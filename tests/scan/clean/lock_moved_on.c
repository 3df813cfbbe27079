/* Locks one node and writes to that one.
 * never: A A */
#include <pthread.h>

struct node {
	pthread_mutex_t lock;
	struct node *next;
	int value;
};
static struct node two = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct node one = { .lock = PTHREAD_MUTEX_INITIALIZER, .next = &two };
static struct node other = { .lock = PTHREAD_MUTEX_INITIALIZER, .next = &two };

static void *work(void *arg)
{
	struct node *node = arg;
	pthread_mutex_t *lock = &node->lock;

	pthread_mutex_lock(lock);
	node->value++; /* @A */
	pthread_mutex_unlock(lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, &one);
	pthread_create(&b, NULL, work, &other);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return two.value > 2;
}
