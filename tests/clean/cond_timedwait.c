/* never: A B */
#include <time.h>
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int x, tries;
static void *f(void *p) {
	pthread_mutex_lock(&l);
	x = 1; /* @A */
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&l);
	return p;
}
static void *g(void *p) {
	struct timespec t;
	pthread_mutex_lock(&l);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 60;
	while (!x && tries++ < 3) /* @B */
		pthread_cond_timedwait(&c, &l, &t);
	pthread_mutex_unlock(&l);
	return p;
}
int main(void) { run2(f, g); return 0; }
