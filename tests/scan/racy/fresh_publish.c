/* A node is put into the list before it is filled in.
 * expect: A B */
#include <pthread.h>
#include <stdlib.h>

struct node {
	struct node *next;
	int value;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static void *producer(void *arg)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	pthread_mutex_lock(&lock);
	node->next = head;
	head = node;
	pthread_mutex_unlock(&lock);
	node->value = 7; /* @A */
	return arg;
}

static void *consumer(void *arg)
{
	int sum = 0;

	pthread_mutex_lock(&lock);
	for (struct node *node = head; node; node = node->next)
		sum += node->value; /* @B */
	pthread_mutex_unlock(&lock);
	return sum ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
