/* The next node's lock is taken too late.
   expect: A A */
#include "../threads.h"
struct { pthread_mutex_t lock; int value; } node[2] = {
	{ PTHREAD_MUTEX_INITIALIZER, 0 }, { PTHREAD_MUTEX_INITIALIZER, 0 },
};
static void *f(void *p) {
	pthread_mutex_lock(&node[0].lock);
	pthread_mutex_unlock(&node[0].lock);
	node[1].value++; /* @A */
	pthread_mutex_lock(&node[1].lock);
	pthread_mutex_unlock(&node[1].lock);
	return p;
}
int main(void) { run2(f, f); return 0; }
