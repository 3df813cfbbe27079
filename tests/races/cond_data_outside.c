/* The hand-over is right, but the producer touches the data again after the signal.
   expect: B C */
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, data, seen;
static void *f(void *p) {
	pthread_mutex_lock(&l);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&l);
	data = 2; /* @B */
	return p;
}
static void *g(void *p) {
	pthread_mutex_lock(&l);
	while (!ready)
		pthread_cond_wait(&c, &l);
	pthread_mutex_unlock(&l);
	seen = data; /* @C */
	return p;
}
int main(void) { run2(f, g); return 0; }
