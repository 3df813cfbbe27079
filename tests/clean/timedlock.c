/* never: A A */
#include <time.h>
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int x;
static void *f(void *p) {
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 100;
	if (pthread_mutex_timedlock(&l, &t))
		return p;
	x++; /* @A */
	pthread_mutex_unlock(&l);
	return p;
}
int main(void) { run2(f, f); return 0; }
