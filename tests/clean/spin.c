/* never: A A */
#include "../threads.h"
static pthread_spinlock_t l;
int x;
static void *f(void *p) {
	pthread_spin_lock(&l);
	x++; /* @A */
	pthread_spin_unlock(&l);
	return p;
}
int main(void) {
	pthread_spin_init(&l, 0);
	run2(f, f);
	return 0;
}
