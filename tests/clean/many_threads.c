/* never: A A */
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int x;
static void *f(void *p) {
	pthread_mutex_lock(&l);
	x++; /* @A */
	pthread_mutex_unlock(&l);
	return p;
}
int main(void) {
	pthread_t t[100];
	for (int i = 0; i < 100; i++)
		pthread_create(&t[i], NULL, f, NULL);
	for (int i = 0; i < 100; i++)
		pthread_join(t[i], NULL);
	return x != 100;
}
