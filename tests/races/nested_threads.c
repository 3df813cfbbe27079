/* The outer thread forgets to join the inner one before it ends.
   expect: A B */
#include "../threads.h"
int x;
static pthread_t inner_thread;
static void *inner(void *p) {
	x++; /* @A */
	return p;
}
static void *outer(void *p) {
	pthread_create(&inner_thread, NULL, inner, NULL);
	return p;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, NULL, outer, NULL);
	pthread_join(t, NULL);
	x++; /* @B */
	pthread_join(inner_thread, NULL);
	return 0;
}
