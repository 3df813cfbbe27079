/* never: A A */
#include "../threads.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x = 7, y[2];
static void *f(void *p) {
	pthread_rwlock_rdlock(&l);
	y[(long)p * 1] = x; /* @A */
	pthread_rwlock_unlock(&l);
	return p;
}
int main(void) { run2(f, f); return 0; }
