/* Lock coupling that forgets to couple: the next node is used unlocked.
 * expect: A A */
#include <pthread.h>

struct node {
	pthread_mutex_t lock;
	struct node *next;
	int mark;
};
static struct node last = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct node middle = { .lock = PTHREAD_MUTEX_INITIALIZER, .next = &last };
static struct node first = { .lock = PTHREAD_MUTEX_INITIALIZER, .next = &middle };

static void *mark_all(void *arg)
{
	struct node *node = &first, *next;

	pthread_mutex_lock(&node->lock);
	for (;;) {
		next = node->next;
		if (next)
			pthread_mutex_lock(&next->lock);
		pthread_mutex_unlock(&node->lock);
		node->mark++; /* @A */
		if (!next)
			return arg;
		node = next;
	}
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, mark_all, NULL);
	pthread_create(&b, NULL, mark_all, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return last.mark != 2;
}
