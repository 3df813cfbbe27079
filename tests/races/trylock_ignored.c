/* expect: A B */
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
int x;
static void *f(void *p) {
	if (pthread_mutex_trylock(&held) == 0) /* main has it: always busy */
		pthread_mutex_unlock(&held);
	x = 1; /* @A */
	return p;
}
static void *g(void *p) {
	pthread_mutex_lock(&l);
	x = 2; /* @B */
	pthread_mutex_unlock(&l);
	return p;
}
int main(void) {
	pthread_mutex_lock(&held);
	run2(f, g);
	pthread_mutex_unlock(&held);
	return 0;
}
