/* never: A B */
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int x, waiting;
static void unlock(void *p) {
	x = 1; /* @A */
	pthread_mutex_unlock(p);
}
static void *f(void *p) {
	pthread_mutex_lock(&l);
	pthread_cleanup_push(unlock, &l);
	waiting = 1;
	for (;;)
		pthread_cond_wait(&c, &l);
	pthread_cleanup_pop(1);
	return p;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, NULL, f, NULL);
	pthread_cancel(t);
	pthread_mutex_lock(&l);
	x = 2; /* @B */
	pthread_mutex_unlock(&l);
	pthread_join(t, NULL);
	return waiting > 1;
}
