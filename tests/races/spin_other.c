/* expect: A B */
#include "../threads.h"
static pthread_spinlock_t l, m;
int x;
static void *f(void *p) {
	pthread_spin_lock(&l);
	x = 1; /* @A */
	pthread_spin_unlock(&l);
	return p;
}
static void *g(void *p) {
	pthread_spin_lock(&m);
	x = 2; /* @B */
	pthread_spin_unlock(&m);
	return p;
}
int main(void) {
	pthread_spin_init(&l, 0);
	pthread_spin_init(&m, 0);
	run2(f, g);
	return 0;
}
