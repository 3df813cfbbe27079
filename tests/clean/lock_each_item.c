/* Sixty locks, one at a time, and one they all take: that one is enough. */
#include "../threads.h"
#define ITEMS 60
static pthread_mutex_t item[ITEMS], all = PTHREAD_MUTEX_INITIALIZER;
int x;
static void *locked(void *p) {
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&item[i]);
		pthread_mutex_lock(&all);
		x = i;
		__asm__ volatile("" ::: "memory");
		pthread_mutex_unlock(&all);
		pthread_mutex_unlock(&item[i]);
	}
	return p;
}
int main(void) {
	for (int i = 0; i < ITEMS; i++)
		pthread_mutex_init(&item[i], NULL);
	run2(locked, locked);
	return 0;
}
