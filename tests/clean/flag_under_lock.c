/* The paper's figure 1 without z: x is ordered by y, which is only touched under the lock.
   Hybrid detection suspects it; no schedule brings the two together.
   maybe: A B
   never: A B */
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int x, y, seen;
static void *f(void *p) {
	x = 1; /* @A */
	pthread_mutex_lock(&l);
	y = 1;
	pthread_mutex_unlock(&l);
	return p;
}
static void *g(void *p) {
	int ready;
	pthread_mutex_lock(&l);
	ready = y;
	pthread_mutex_unlock(&l);
	if (ready)
		seen = x; /* @B */
	return p;
}
int main(void) { run2(f, g); return 0; }
