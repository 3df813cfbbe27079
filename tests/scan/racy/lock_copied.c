/* A struct with its lock is copied: the copy's lock guards nothing.
 * expect: A A */
#include <pthread.h>

struct box {
	pthread_mutex_t lock;
	int *content;
};
static int content;
static struct box box = { .lock = PTHREAD_MUTEX_INITIALIZER, .content = &content };

static void *work(void *arg)
{
	struct box copy = box;
	struct box *use = &copy;

	pthread_mutex_lock(&use->lock);
	*use->content += 1; /* @A */
	pthread_mutex_unlock(&use->lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return content > 2;
}
