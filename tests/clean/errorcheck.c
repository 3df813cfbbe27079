/* never: A A */
#include <errno.h>
#include "../threads.h"
static pthread_mutex_t l;
int x;
static void *f(void *p) {
	pthread_mutex_lock(&l);
	if (pthread_mutex_lock(&l) == EDEADLK)
		x++; /* @A */
	pthread_mutex_unlock(&l);
	return p;
}
int main(void) {
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&l, &a);
	run2(f, f);
	return x != 2;
}
