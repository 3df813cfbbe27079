/* expect: A B */
/* Sixty locks, one at a time, guard nothing from who takes none: more ways to hold locks than a list tells apart. */
#include "../threads.h"
#define ITEMS 60
static pthread_mutex_t item[ITEMS];
int x;
static void *locked(void *p) {
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&item[i]);
		x = i; /* @A */
		__asm__ volatile("" ::: "memory");
		pthread_mutex_unlock(&item[i]);
	}
	return p;
}
static void *bare(void *p) {
	for (int i = 0; i < ITEMS; i++) {
		x = i; /* @B */
		__asm__ volatile("" ::: "memory");
	}
	return p;
}
int main(void) {
	for (int i = 0; i < ITEMS; i++)
		pthread_mutex_init(&item[i], NULL);
	run2(locked, bare);
	return 0;
}
