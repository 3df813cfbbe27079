/* never: A B */
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int open_gate, seen[3];
static void *f(void *p) {
	pthread_mutex_lock(&l);
	while (!open_gate) /* @A */
		pthread_cond_wait(&c, &l);
	seen[(long)p] = 1;
	pthread_mutex_unlock(&l);
	return p;
}
int main(void) {
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, f, (void *)i);
	pthread_mutex_lock(&l);
	open_gate = 1; /* @B */
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&l);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return seen[0] + seen[1] + seen[2] != 3;
}
