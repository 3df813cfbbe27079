/*
 * work-stealing queue: the owner takes from the tail, a thief from the head. The last item is
 * decided without a lock, and both can get it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { ITEMS = 4 };
static atomic_int head, tail;
static atomic_int taken[ITEMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void use(int item)
{
	assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void *thief(void *arg)
{
	for (int i = 0; i < ITEMS; i++) {
		int item = -1;

		pthread_mutex_lock(&lock);
		if (head < tail) {
			item = head;
			head = item + 1;
		}
		pthread_mutex_unlock(&lock);
		if (item >= 0)
			use(item);
	}
	return arg;
}

static void *owner(void *arg)
{
	for (int i = 0; i < ITEMS; i++) {
		int t = tail - 1;

		if (head <= t) { /* wrong: the thief may have moved head before tail is lowered */
			tail = t;
			use(t);
		}
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	tail = ITEMS;
	pthread_create(&a, NULL, owner, NULL);
	pthread_create(&b, NULL, thief, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
