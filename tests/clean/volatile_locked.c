/* never: A A */
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
volatile int x;
static void *f(void *p) {
	pthread_mutex_lock(&l);
	x++; /* @A */
	pthread_mutex_unlock(&l);
	return p;
}
int main(void) { run2(f, f); return x != 2; }
