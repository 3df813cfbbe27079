/* never: A A */
#include "../threads.h"
struct { pthread_mutex_t lock; int value; } node[3] = {
	{ PTHREAD_MUTEX_INITIALIZER, 0 }, { PTHREAD_MUTEX_INITIALIZER, 0 }, { PTHREAD_MUTEX_INITIALIZER, 0 },
};
static void *f(void *p) {
	pthread_mutex_lock(&node[0].lock);
	for (int i = 0; i < 3; i++) {
		node[i].value++; /* @A */
		if (i < 2)
			pthread_mutex_lock(&node[i + 1].lock);
		pthread_mutex_unlock(&node[i].lock);
	}
	return p;
}
int main(void) { run2(f, f); return node[2].value != 2; }
