/* never: A B */
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
int items[2], count, sum;
static void *f(void *p) {
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&l);
		while (count == 2)
			pthread_cond_wait(&room, &l);
		items[count++] = i; /* @A */
		pthread_cond_broadcast(&more);
		pthread_mutex_unlock(&l);
	}
	return p;
}
static void *g(void *p) {
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&l);
		while (!count)
			pthread_cond_wait(&more, &l);
		sum += items[--count]; /* @B */
		pthread_cond_broadcast(&room);
		pthread_mutex_unlock(&l);
	}
	return p;
}
int main(void) { run2(f, g); return sum != 190; }
