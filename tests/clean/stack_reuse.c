/* A later thread gets the stack of an ended one.
   never: A A */
#include "../threads.h"
int sink;
static void *f(void *p) {
	int local[64], *volatile leak = local;
	for (int i = 0; i < 64; i++)
		leak[i] = i; /* @A */
	return (void *)(long)local[(long)p];
}
int main(void) {
	for (int i = 0; i < 8; i++) {
		pthread_t t;
		pthread_attr_t a;
		pthread_attr_init(&a);
		pthread_attr_setdetachstate(&a, PTHREAD_CREATE_JOINABLE);
		pthread_create(&t, &a, f, NULL);
		pthread_join(t, NULL);
	}
	run2(f, f);
	return sink;
}
