/* never: A A */
#include "../threads.h"
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, got;
static void *f(void *p) {
	if (pthread_rwlock_trywrlock(&l) == 0) {
		x++; /* @A */
		pthread_rwlock_unlock(&l);
	}
	return p;
}
int main(void) { run2(f, f); return got; }
