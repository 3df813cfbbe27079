/* From a member back to its object, and to another member.
 * expect: A B */
#include <pthread.h>
#include <stddef.h>

struct link {
	struct link *next;
};
struct element {
	pthread_mutex_t lock;
	int value;
	struct link link;
};
static struct element element = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct link *list = &element.link;

static void *by_link(void *arg)
{
	struct element *e = (struct element *)((char *)list - offsetof(struct element, link));

	e->value = 1; /* @A */
	return arg;
}

static void *by_name(void *arg)
{
	pthread_mutex_lock(&element.lock);
	element.value = 2; /* @B */
	pthread_mutex_unlock(&element.lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, by_link, NULL);
	pthread_create(&b, NULL, by_name, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return element.value > 2;
}
