/* The mutex is destroyed and made again at the same address: not the same lock.
   expect: A B
   confirm: none */
#include <semaphore.h>
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int x;
static void *f(void *p) {
	pthread_mutex_lock(&l);
	x = 1; /* @A */
	pthread_mutex_unlock(&l);
	pthread_mutex_destroy(&l);
	pthread_mutex_init(&l, NULL);
	__atomic_store_n(&p, p, __ATOMIC_RELAXED);
	return p;
}
int gone;
static void *h(void *p) {
	f(p);
	__atomic_store_n(&gone, 1, __ATOMIC_RELAXED);
	return p;
}
static void *g(void *p) {
	while (!__atomic_load_n(&gone, __ATOMIC_RELAXED))
		;
	pthread_mutex_lock(&l);
	x = 2; /* @B */
	pthread_mutex_unlock(&l);
	return p;
}
int main(void) { run2(h, g); return 0; }
